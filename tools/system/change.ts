import { z } from 'zod';

import type { ChangeRow } from '../../src/data/change/change-row.ts';
import * as change from '../../src/data/change/change.ts';
import { folded } from '../../src/data/change/folded.ts';
import type { ChangeLine } from '../../src/data/change/line.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { oneOf } from '../given/one-of.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Sentence, Visible, Unit } from '../shape/text.ts';

/** More than the longest answer holds, so that an import is one line. */
const MAX_FOUND = 500;
/** So many changes that are alike are one line, unless a device or a point is asked for. */
const MANY = 6;

const Via = oneOf(['login', 'oauth', 'key', 'model', 'action', 'system']);

/** A change; fields that a change of its kind does not have are left out. */
export const Line = z.object({
  at: z.string(),
  by: Visible(120),
  via: z.string(),
  what: Phrase(300),
  device: Visible().optional(),
  point: Visible().optional(),
  from: Visible(80).optional(),
  to: Visible(80).optional(),
  unit: Unit.optional(),
  result: z.string().optional(),
  say: Sentence.optional(),
  comment: Visible(120).optional(),
  tainted: z.literal(true).optional(),
  actionId: z.string().optional(),
  commandId: z.string().optional(),
});

/** The row of a write says by whom it was proposed and confirmed: the rows of both would only say it again. */
function reportedByWrites(rows: readonly ChangeRow[]): (row: ChangeRow) => boolean {
  const written = new Set(
    rows.flatMap(({ kind, actionId }) => (kind === 'write' ? [actionId] : [])),
  );
  return ({ operation, actionId }) =>
    actionId !== null &&
    written.has(actionId) &&
    ['action:propose', 'action:confirm'].includes(operation);
}

const inPlantTime = (line: ChangeLine, { timezone }: Caller): ChangeLine => ({
  ...line,
  at: inZone(line.at, timezone),
});

export const changeTools = [
  defineTool({
    name: 'searchChanges',
    title: 'Search changes',
    domain: 'System',
    listed: 'direct',
    description:
      'Lists what was configured, proposed, decided and written, newest first: by whom, old and new value; many alike as one line without deviceId.',
    permission: 'svc-center-data:change:list',
    scope: 'svc:read',
    input: z.strictObject({
      since: Since.optional().describe('ISO-8601 or hours ago'),
      until: Since.optional().describe('As since'),
      deviceId: Ref.optional().describe('Id or name'),
      pointId: Ref.optional().describe('Id or name'),
      kind: z
        .enum(['configured', 'proposed', 'decided', 'written'])
        .optional()
        .describe('Only these'),
      by: Text(64).optional().describe('Part of a name'),
      via: Via.optional().describe('login, oauth, key, model, action, system'),
      cursor: z.string().min(1).max(200).optional().describe('nextCursor'),
      ...maxTokens,
    }),
    output: z.object({
      /** Of the first page: what is found in all, to 1,000 of a kind. */
      total: z.int().optional(),
      returned: z.int().optional(),
      nextCursor: z.string().nullable(),
      records: z.array(Line),
    }),
    annotations: READS,
    async run(app, caller, { since, until, deviceId, pointId, maxTokens: most, ...narrow }) {
      const now = app.clock.now();
      const { rows, cursors, isEnd, total } = await withNames(app, caller, async (find) =>
        change.rowsOf(app, caller, {
          ...narrow,
          ...(await find.ids({ deviceId, pointId })),
          since: momentOf(since, { zone: caller.timezone, now })?.toISOString(),
          until: momentOf(until, { zone: caller.timezone, now }),
          limit: MAX_FOUND,
        }),
      );
      const isSaid = reportedByWrites(rows);
      const told = rows.filter((row) => narrow.kind !== undefined || !isSaid(row));
      const many = deviceId === undefined && pointId === undefined ? MANY : Infinity;
      const fitting = (count: number) => {
        const lines = folded(caller, told.slice(0, count), now, many);
        return {
          lines,
          ...cutTo(
            lines.map(({ line }) => inPlantTime(line, caller)),
            most,
          ),
        };
      };
      const nextOf = ({ lines, rows: shown }: ReturnType<typeof fitting>) =>
        lines[shown.length]?.first;
      let count = told.length;
      let page = fitting(count);
      // What is folded into a line of this page is none of the next: its rows end where the first line left begins.
      for (let next = nextOf(page); next !== undefined; next = nextOf(page)) {
        count = told.indexOf(next);
        page = fitting(count);
      }
      const isWhole = count === told.length;
      const end = isWhole ? rows.at(-1) : told[count - 1];
      return {
        ...(narrow.cursor === undefined && { total }),
        returned: page.rows.length,
        nextCursor:
          isWhole && isEnd ? null : (cursors[rows.findIndex((row) => row === end)] ?? null),
        records: page.rows,
      };
    },
  }),
];
