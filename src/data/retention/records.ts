import { type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { DAY_MS } from '../history/closed.ts';
import { shareHolds } from './hold.ts';
import { shareClasses } from './retention-class.ts';

const EVERY_MS = 600_000;
/** Of a sweep; the next one goes on. */
const MAX_SLICES = 200;
const MAX_TENANTS = 1_000;

type Class = Selectable<Schema['svc_retention_class']>;
type Days = 'alarmDays' | 'notificationDays' | 'eventDays' | 'conversationDays';

type Old = { tenantId: string; before: Date; most: number };

/** A kind of records of which old ones are deleted. */
export type OldRecords = {
  days: Days;
  /** That a slice, a transaction, deletes at most. */
  most: number;
  /** Deletes some that ended before `before` and that no hold covers; answers how many, and what is done after the commit. */
  remove(q: Queries, old: Old): Promise<{ count: number; committed?: (app: App) => Promise<void> }>;
};

/** Deletes the records that the classes of tenants keep no longer, every ten minutes until stopped. */
export function startRecordRetention(
  app: App,
  kinds: readonly OldRecords[],
): { stop(): Promise<void> } {
  const ending = new AbortController();
  const sweeper = startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'old records could not be deleted, retrying' },
    () => sweepRecords(app, kinds, ending.signal),
  );
  return {
    stop() {
      ending.abort();
      return sweeper.stop();
    },
  };
}

/** One sweep over the tenants that limit their records, a slice of each kind in turn; what fails for one waits for the next sweep. */
export async function sweepRecords(
  app: App,
  kinds: readonly OldRecords[],
  ending?: AbortSignal,
): Promise<void> {
  const classes = await acrossTenants(app.db, 'sweeper', (q) =>
    q
      .selectFrom('svc_retention_class')
      .selectAll()
      .where('defaultFlag', '=', 1)
      .where('beginTime', '<=', new Date(app.clock.now()))
      .where((eb) => eb.or(kinds.map(({ days }) => eb(days, 'is not', null))))
      // Of more tenants than a sweep reaches, none is always the last.
      .orderBy(sql`random()`)
      .limit(MAX_TENANTS)
      .execute(),
  );
  let waiting = classes.flatMap((of) =>
    kinds.flatMap((kind) => (of[kind.days] === null ? [] : [{ of, kind }])),
  );
  for (let slices = 0; waiting.length > 0 && slices < MAX_SLICES;) {
    const further: typeof waiting = [];
    for (const one of waiting) {
      if (slices === MAX_SLICES || ending?.aborted) return;
      slices += 1;
      if (await takeSlice(app, one)) further.push(one);
    }
    waiting = further;
  }
}

/** Before when records of a kind are deleted by the class of the tenant's records; null: none are. */
export async function deletedBefore(
  q: Queries,
  tenantId: string,
  { days, now }: { days: Days; now: number },
): Promise<Date | null> {
  const present = await q
    .selectFrom('svc_retention_class')
    .select(days)
    .where('tenantId', '=', tenantId)
    .where('defaultFlag', '=', 1)
    .where('beginTime', '<=', new Date(now))
    .executeTakeFirst();
  const kept = present?.[days] ?? null;
  return kept === null ? null : new Date(Math.floor(now / DAY_MS - kept) * DAY_MS);
}

/** Whether there may be more. */
async function takeSlice(
  app: App,
  { of: { tenantId }, kind }: { of: Class; kind: OldRecords },
): Promise<boolean> {
  const { days, most, remove } = kind;
  try {
    const { count, committed } = await inTenant(app.db, tenantId, async (q) => {
      await shareHolds(q, tenantId);
      await shareClasses(q, tenantId);
      // As it is now: what a person took back meanwhile deletes nothing.
      const before = await deletedBefore(q, tenantId, { days, now: app.clock.now() });
      if (before === null) return { count: 0 };
      return remove(q, { tenantId, before, most });
    });
    await committed?.(app);
    if (count > 0) app.log.info({ tenantId, days, count }, 'records were deleted by their class');
    return count === most;
  } catch (error) {
    app.log.error({ error, tenantId, days }, 'records could not be deleted by their class');
    return false;
  }
}
