import { type ChangeRow, changeRows, countChanges } from '../../data/change/change-row.ts';
import { type Folded, folded, unfolded } from '../../data/change/folded.ts';
import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';

/** Writes come first, so none of them is lost behind an import; of the rest the newest. */
const MAX_WRITES = 10;
const MAX_ROWS = 200;

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
  const toLine = (row: ChangeRow): Folded => unfolded(caller, row, now);
  return {
    lines: [
      ...writes.map(toLine),
      ...folded(
        caller,
        rest.filter(({ kind }) => kind === 'configuration'),
        now,
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
