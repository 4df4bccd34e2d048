import type { Queries } from '../../../db/connect.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { lockHours, unlessLocked } from '../lock.ts';
import { type Folded, fold } from './fold.ts';
import { type Part, partOf } from './part.ts';
import { noteTurn, progressOf } from './progress.ts';
import { countValues, groupKey, removeHot, rowsOfGroups, writeRows } from './store.ts';

/** Hours that end by `until` (ms) are closed; `closeAfterMs` after its end the next one is due. */
export type Turn = { until: number; closeAfterMs: number };

/** `busy`: late values are being stored, or another process is at it; what there is to do remains. */
export type Taken = 'more' | 'done' | 'busy';

/**
 * Closes a part of the hours of a tenant that are due, folds what came late into closed ones, and says whether more is
 * to do. Values are read, encoded and compared outside of a transaction; then their rows are written and their hot rows
 * deleted in one, unless another process took a turn meanwhile.
 */
export async function closeTurn(app: App, tenantId: string, turn: Turn): Promise<Taken> {
  const now = app.clock.now();
  const progress = await inOneTrip(app.db, tenantId, (q) => progressOf(q, tenantId, now));
  const until = progress.closingUntil ?? new Date(turn.until);
  const isDone = progress.closedUntil !== null && progress.closedUntil >= until;
  const part: Part = isDone
    ? { groups: [], next: null }
    : await inTenant(app.db, tenantId, (q) => partOf(q, tenantId, progress, until));
  app.crashAt('close-read');
  const folded = await foldAll(app, tenantId, part);
  const noted = { until, next: part.next, now, closeAfterMs: turn.closeAfterMs };
  const isWritten = await unlessLocked(() =>
    inTenant(app.db, tenantId, async (q) => {
      await lockHours(q, tenantId);
      if (!(await noteTurn(q, tenantId, progress.turns, noted))) return false;
      await write(app, q, tenantId, folded);
      app.crashAt('close-written');
      return true;
    }),
  );
  app.crashAt('closed');
  if (!isWritten) return 'busy';
  return part.next === null ? 'done' : 'more';
}

async function foldAll(app: App, tenantId: string, { groups }: Part): Promise<Folded> {
  const all: Folded = { closing: [], added: [], removed: [] };
  if (groups.length === 0) return all;
  const rows = await inOneTrip(app.db, tenantId, (q) => rowsOfGroups(q, tenantId, groups));
  for (const group of groups) {
    const { deviceId, pointId, day } = group;
    const folded = await fold(group, rows.get(groupKey(group)) ?? [], (error) =>
      app.log.error(
        { error, tenantId, deviceId, pointId, day: new Date(day) },
        'values stay rows, because their closed form would not give them back',
      ),
    );
    all.closing.push(...folded.closing);
    all.added.push(...folded.added);
    all.removed.push(...folded.removed);
  }
  return all;
}

async function write(
  app: App,
  q: Queries,
  tenantId: string,
  { closing, added, removed }: Folded,
): Promise<void> {
  if (removed.length === 0) return;
  await writeRows(q, tenantId, closing);
  app.crashAt('close-inserted');
  await countValues(q, tenantId, added);
  app.crashAt('close-counted');
  const count = await removeHot(q, tenantId, removed);
  app.crashAt('close-removed');
  // A value is gone that was read: the transaction is undone, the next turn reads again.
  if (count !== removed.length)
    throw new Error(`${removed.length} values were closed, but ${count} rows removed`);
}
