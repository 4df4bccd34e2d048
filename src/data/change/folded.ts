import type { Caller } from '../../kernel/app/app.ts';
import type { ChangeRow } from './change-row.ts';
import { readableBy } from './change.ts';
import { type ChangeLine, lineOf, nounOf, verbOf } from './line.ts';

/** So many changes of one kind by one person are one line. */
const MANY = 3;

/** A line, the number (`count`) of changes that were folded into it, and the first of them in their order. */
export type Folded = { line: ChangeLine; count: number; first: ChangeRow };

/** The line of a change that `caller` reads; `now` (ms since the epoch) as for `lineOf`. */
export const unfolded = (caller: Caller, row: ChangeRow, now: number): Folded => ({
  line: lineOf(readableBy(caller, row), now),
  count: 1,
  first: row,
});

/**
 * The lines of changes in their order, where many of one kind that one person configured are one, at the place of the
 * first; writes and decisions are one by one. `many`: from how many on.
 */
export function folded(
  caller: Caller,
  rows: readonly ChangeRow[],
  now: number,
  many = MANY,
): Folded[] {
  const groups = Map.groupBy(rows, keyOf);
  return rows.flatMap((row): Folded[] => {
    const group = groups.get(keyOf(row)) ?? [];
    const one = unfolded(caller, row, now);
    if (row.kind !== 'configuration' || group.length < many) return [one];
    return row === group[0] ? [manyOf(row, group.length, one.line)] : [];
  });
}

const keyOf = ({ kind, actorId, via, operation, entityType }: ChangeRow): string =>
  [kind, actorId, via, operation, entityType].join(' ');

const manyOf = (row: ChangeRow, count: number, { at, by, via }: ChangeLine): Folded => ({
  line: { at, by, via, what: `${count} × ${nounOf(row)} ${verbOf(row)}` },
  count,
  first: row,
});
