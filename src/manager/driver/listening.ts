import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';

/** Received kinds of messages: heartbeats of drivers, or values of points. */
type Kind = 'state' | 'value';

const LOOK_MS = 1_000;
/** While all is well one look in five is stored. */
const WRITE_EVERY = 5;
/** After a shorter break every lease still has the time of two heartbeats. */
export const BREAK_MS = 10_000;
/** docs/specification/drivers.md, Device health check. */
const LEASE_MS = 45_000;
/** Breaks that are kept; before the end of the oldest of them nothing counts as received. */
const MAX_BREAKS = 500;

/** From the last time at which messages were received to the next (ms). */
const Break = z.object({ from: z.number(), to: z.number() });
export type Break = z.output<typeof Break>;
const Breaks = z.array(Break);
/** Done with the end of a break, in its transaction. */
export type AfterBreak = (q: Queries, over: Break) => Promise<void>;

/**
 * Stores that this process can receive a kind of message: its bus works, its queue is read and the database
 * takes writes. After a break of more than 10 s, leases that were valid when it began are extended, and
 * `after` is done. Resolves after the first look.
 */
export async function startListening(
  app: App,
  kind: Kind,
  queue: string,
  after: AfterBreak,
): Promise<{ stop(): Promise<void> }> {
  let hears = false;
  let looks = 0;
  const look = async (): Promise<void> => {
    try {
      if (hears && ++looks % WRITE_EVERY !== 0) return;
      const missing = await app.bus.missing();
      const isDeaf = missing.includes('message bus') || missing.includes(queue);
      if (isDeaf) await pause(app, kind);
      else if (!hears || !(await goOn(app, kind))) await resume(app, kind, after);
      hears = !isDeaf;
    } catch (error) {
      hears = false;
      app.log.debug({ error, kind }, 'reception state not stored, retrying');
    }
  };
  await look();
  let looking = Promise.resolve();
  const cancel = app.clock.every(LOOK_MS, () => (looking = look()));
  return {
    async stop() {
      cancel();
      await looking;
    },
  };
}

/** The time leases are judged by: now, or the start of a break in receiving heartbeats. */
export const receivedUntil = (
  now: number,
) => sql<Date>`coalesce((select paused_time from svc_listening
  where kind = 'state'), ${new Date(now)}::timestamptz)`;

/** The breaks are in their order; the first has all that is before the kept ones. */
export type Listening = { aliveAt: number; isPaused: boolean; breaks: readonly Break[] };

/** Null before any process has listened. */
export async function listeningTo(q: Queries, kind: Kind): Promise<Listening | null> {
  const row = await q
    .selectFrom('svc_listening')
    .select(['aliveTime', 'sinceTime', 'pausedTime', 'breaks'])
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (!row) return null;
  const { aliveTime, pausedTime } = row;
  return {
    aliveAt: aliveTime.getTime(),
    isPaused: pausedTime !== null,
    breaks: breaksOf(row),
  };
}

/** A former version stores the end of the last break alone. */
function breaksOf({ breaks, sinceTime }: { breaks: unknown; sinceTime: Date }): Break[] {
  const to = sinceTime.getTime();
  const known = Breaks.safeParse(breaks).data ?? [];
  return known.at(-1)?.to === to ? known : [{ from: 0, to }];
}

/** The time (ms) from which on messages could be received for `ms` in all, until `at`. */
export function receivedFor(ms: number, at: number, breaks: readonly Break[]): number {
  let left = ms;
  let end = at;
  for (const { from, to } of breaks.toReversed()) {
    const received = end - Math.min(to, end);
    if (received >= left) break;
    left -= received;
    end = Math.min(from, end);
  }
  return end - left;
}

/** Starts a break at `aliveAt`, unless another process received messages after it. */
export async function pauseSince(app: App, kind: Kind, aliveAt: number): Promise<void> {
  await acrossTenants(app.db, 'sweeper', (q) =>
    q
      .updateTable('svc_listening')
      .set({ pausedTime: new Date(aliveAt) })
      .where('kind', '=', kind)
      .where('pausedTime', 'is', null)
      .where('aliveTime', '<=', new Date(aliveAt))
      .execute(),
  );
}

/** Starts a break when no process has received anything for a while. */
async function pause(app: App, kind: Kind): Promise<void> {
  const before = new Date(app.clock.now() - BREAK_MS);
  await acrossTenants(app.db, 'sweeper', (q) =>
    q
      .updateTable('svc_listening')
      .set((eb) => ({ pausedTime: eb.ref('aliveTime') }))
      .where('kind', '=', kind)
      .where('pausedTime', 'is', null)
      .where('aliveTime', '<=', before)
      .execute(),
  );
}

/** Renews the time of the last look; false when another process started a break. */
async function goOn(app: App, kind: Kind): Promise<boolean> {
  const { numUpdatedRows } = await acrossTenants(app.db, 'sweeper', (q) =>
    q
      .updateTable('svc_listening')
      .set({ aliveTime: new Date(app.clock.now()) })
      .where('kind', '=', kind)
      .where('pausedTime', 'is', null)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

async function resume(app: App, kind: Kind, after: AfterBreak): Promise<void> {
  const now = app.clock.now();
  const at = new Date(now);
  const brokeFor = await acrossTenants(app.db, 'sweeper', async (q) => {
    const first = { kind, aliveTime: at, sinceTime: at, pausedTime: null };
    await q
      .insertInto('svc_listening')
      .values(first)
      .onConflict((conflict) => conflict.column('kind').doNothing())
      .execute();
    const row = await q
      .selectFrom('svc_listening')
      .select(['aliveTime', 'sinceTime', 'pausedTime', 'breaks'])
      .where('kind', '=', kind)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const heard = row.pausedTime ?? row.aliveTime;
    const ms = now - heard.getTime();
    const hadBreak = ms > BREAK_MS;
    const over = { from: heard.getTime(), to: now };
    const breaks = JSON.stringify(shortened([...breaksOf(row), over]));
    await q
      .updateTable('svc_listening')
      .set({ aliveTime: at, pausedTime: null, ...(hadBreak ? { sinceTime: at, breaks } : {}) })
      .where('kind', '=', kind)
      .execute();
    if (hadBreak && kind === 'state')
      await sql`update svc_entity_state set expire_time = greatest(expire_time, ${new Date(now + LEASE_MS)}::timestamptz)
        where expire_time > ${heard}`.execute(q);
    if (hadBreak) await after(q, over);
    return hadBreak ? ms : 0;
  });
  if (brokeFor > 0)
    app.log.info({ kind, ms: brokeFor }, 'messages of drivers received again after a break');
}

const shortened = (breaks: readonly Break[]): Break[] =>
  breaks
    .slice(-MAX_BREAKS)
    .map((each, index) =>
      index === 0 && breaks.length > MAX_BREAKS ? { ...each, from: 0 } : each,
    );
