import type { Measured } from './measure.ts';
import type { Trip } from './meter.ts';

/** Of the caller, of what is asked, and of how much of it there is. */
const USUAL = 3;

const HEAD = `# Trips to the database / statements in them: warm, and after two seconds of silence. A trip is one write.
# A call that takes one trip of at most ${USUAL} statements is not listed.
# UPDATE_TRIPS=1 writes it anew (test/api/trips/trips.test.ts).
`;

const cell = (trips: readonly Trip[]): string => `${trips.length}/${trips.flat().length}`.padEnd(8);

const lineOf = (name: string, { warm, cold }: Measured): string =>
  `${cell(warm)}${cell(cold)}${name}`;

const isUsual = ({ warm, cold }: Measured): boolean =>
  [warm, cold].every((trips) => trips.length === 1 && trips.flat().length <= USUAL);

/** One line for each call that is not usual, by its name. */
export const tableOf = (measured: ReadonlyMap<string, Measured>): string =>
  HEAD +
  [...measured]
    .filter(([, counts]) => !isUsual(counts))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, counts]) => `${lineOf(name, counts)}\n`)
    .join('');

const SHOWN = 3;

/** The statements of the first calls with another line than in `table`. */
export function changesOf(measured: ReadonlyMap<string, Measured>, table: string): string {
  const lines = new Set(table.split('\n'));
  const changed = [...measured].filter(
    ([name, counts]) => !isUsual(counts) && !lines.has(lineOf(name, counts)),
  );
  return changed
    .slice(0, SHOWN)
    .map(([name, { warm, cold }]) => `${name}\n warm:${shown(warm)}\n cold:${shown(cold)}\n`)
    .join('');
}

const shown = (trips: readonly Trip[]): string =>
  trips.flatMap((trip) => trip.map((sql, at) => `\n  ${at === 0 ? '→' : ' '} ${sql}`)).join('');
