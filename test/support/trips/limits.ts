import type { Route } from '../../../src/kernel/app/route.ts';
import { tools } from '../../../tools/index.ts';
import type { Measured } from './measure.ts';
import { rows } from './rows.ts';

const READ_COMMAND = 4;
const WRITE_COMMAND = 6;

/** Commands, to their end. */
const commands: Record<string, number> = {
  'POST /api/v3/data/point_command/read': READ_COMMAND,
  'tool readPointValue': READ_COMMAND,
  'POST /api/v3/data/point_command/write': WRITE_COMMAND,
  'POST /api/v3/data/command_history/call': WRITE_COMMAND,
};

const isRead = ({ riskLevel, openWorld }: Route['risk']): boolean =>
  riskLevel === 'LOW' && !openWorld;

/** How many trips a call may take, warm or cold; without an entry, as many as the table says. */
export const limits: ReadonlyMap<string, number> = new Map([
  ...rows
    // A login is more than a look, dead letters belong to the bus, which is asked after the caller is checked, and a
    // table is read by the columns and compared in slices, or sent page by page, as values are read to try a rule; a
    // drill reads one policy after the other.
    .filter(
      ({ risk, path, csv }) =>
        !/^\/(token\/|dead_letter\/list$|device\/import\/preview$|point_value\/export\/parquet$|rule\/(preview|drill)$)/.test(
          path,
        ) &&
        csv !== 'stream' &&
        isRead(risk),
    )
    .map(({ name }) => [name, 1] as const),
  ...tools
    .filter(
      ({ name, annotations, opens }) =>
        annotations.readOnlyHint &&
        !annotations.openWorldHint &&
        !opens?.call &&
        name !== 'previewRule' &&
        name !== 'drillNotification',
    )
    .map(({ name }) => [`tool ${name}`, 1] as const),
  ...['new conversation', 'with history'].flatMap((turn) =>
    [`chat ${turn}`, `chat ${turn}, stream`].map((name) => [name, 3] as const),
  ),
  ...Object.entries(commands),
]);

/** `warm` or `cold` and the name of each call that takes more trips than it may then. */
export const overLimit = (measured: ReadonlyMap<string, Measured>): string[] =>
  [...limits]
    .flatMap(([name, limit]) =>
      Object.entries(measured.get(name) ?? {})
        .filter(([, trips]) => trips.length > limit)
        .map(([when]) => `${when} ${name}`),
    )
    .toSorted();
