import { type ChangeRow, changeRows, countChanges } from '../../data/change/change-row.ts';
import { readableBy } from '../../data/change/change.ts';
import { type ChangeLine, lineOf, nounOf, verbOf } from '../../data/change/line.ts';
import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';

/** Writes come first, so none of them is lost behind an import; of the rest the newest. */
const MAX_WRITES = 10;
const MAX_ROWS = 200;
/** So many changes of one kind by one person are one line. */
const MANY = 3;

/** A line, and the number (`count`) of changes that were folded into it. */
type Folded = { line: ChangeLine; count: number };

/**
 * Changes since a time: what was written, then what was configured, then proposals that came to nothing; each newest
 * first. `total` counts those that have no line too, to 1,000 of a kind.
 */
export type Changes = { lines: Folded[]; total: number };

type Asked = { since: Date; now: number };

export async function changesIn(
  q: Queries,
  caller: Caller,
  { since, now }: Asked,
): Promise<Changes> {
  const { tenantId } = caller;
  const asked = { since, before: null };
  const [writes, newest, total] = await Promise.all([
    changeRows(q, tenantId, { ...asked, kind: 'written', limit: MAX_WRITES }),
    changeRows(q, tenantId, { ...asked, limit: MAX_ROWS }),
    countChanges(q, tenantId, since),
  ]);
  const rest = newest.filter(({ kind }) => kind !== 'write');
  const written = new Set(
    [...writes, ...newest].flatMap(({ kind, actionId }) => (kind === 'write' ? [actionId] : [])),
  );
  const decided = lastOfEach(
    rest.filter(({ kind, actionId }) => kind === 'decision' && !written.has(actionId)),
  );
  const toLine = (row: ChangeRow): Folded => ({
    line: lineOf(readableBy(caller, row), now),
    count: 1,
  });
  return {
    lines: [
      ...writes.map(toLine),
      ...folded(rest.filter(({ kind }) => kind === 'configuration')).map(([row, count]) =>
        count < MANY ? toLine(row) : { line: manyOf(row, count, toLine(row).line), count },
      ),
      ...decided.map(toLine),
    ],
    total,
  };
}

/** Of each proposal what became of it last; that a reading proved it is part of its write. */
function lastOfEach(rows: readonly ChangeRow[]): ChangeRow[] {
  const seen = new Set<string | null>();
  return rows.filter(({ actionId, operation }) => {
    if (operation === 'action:evidence' || seen.has(actionId)) return false;
    seen.add(actionId);
    return true;
  });
}

const keyOf = ({ actorId, via, operation, entityType }: ChangeRow): string =>
  [actorId, via, operation, entityType].join(' ');

/** The newest row of each kind of change that one person made many times, and how often; others one by one. */
function folded(rows: readonly ChangeRow[]): [ChangeRow, number][] {
  const groups = Map.groupBy(rows, keyOf);
  return rows.flatMap((row): [ChangeRow, number][] => {
    const group = groups.get(keyOf(row)) ?? [];
    if (group.length < MANY) return [[row, 1]];
    return row === group[0] ? [[row, group.length]] : [];
  });
}

const manyOf = (row: ChangeRow, count: number, { at, by, via }: ChangeLine): ChangeLine => ({
  at,
  by,
  via,
  what: `${count} × ${nounOf(row)} ${verbOf(row)}`,
});
