import { sql } from 'kysely';

import { relyingOn } from '../../../../db/basis.ts';
import { inOneTrip, inOneTripAcrossTenants } from '../../../../db/tenant.ts';
import type { App } from '../../../../kernel/app/app.ts';
import { startSweeper } from '../../../../kernel/app/sweeper.ts';
import { slot } from '../../../../kernel/slot.ts';

/** sql/0466_turn_relay.sql */
const CHANNEL = 'svc_turn';
const STORED_MS = 600_000;
const EVERY_MS = 60_000;
const BATCH = 10_000;
const MAX_ROWS = 200;

/**
 * FOLLOW and STOP go to the process that runs the turn, the others come from it: ALIVE answers each of those and says
 * again and again that it runs, EVENTS has events from number `place` on, END the last of all.
 */
export type RelayKind = 'FOLLOW' | 'STOP' | 'ALIVE' | 'EVENTS' | 'END';
export type Relayed = { kind: RelayKind; place: number; body: string };
/** A turn of one owner. */
export type Link = { tenantId: string; turnId: string; owner: string };

const LISTENERS = slot(() => ({
  node: crypto.randomUUID(),
  isListening: false,
  ofTurn: new Map<string, Set<() => void>>(),
}));

/**
 * Calls `heard` when another process announces new rows of the turn, and when the connection that listens for these
 * notices was lost, as some may have been missed. Answers what ends it.
 */
export function onRelayed(app: App, turnId: string, heard: () => void): () => void {
  const listeners = app.of(LISTENERS);
  const { ofTurn, node } = listeners;
  const hearing = ofTurn.get(turnId) ?? new Set();
  ofTurn.set(turnId, hearing.add(heard));
  if (!listeners.isListening) {
    listeners.isListening = true;
    app.db.notices.subscribe((announced) => {
      const [from, turn = ''] = announced?.split(' ') ?? [];
      if (from === node) return;
      const all = announced === null ? [...ofTurn.values()] : [ofTurn.get(turn) ?? []];
      for (const each of all.flatMap((one) => [...one])) each();
    }, CHANNEL);
  }
  return () => {
    hearing.delete(heard);
    if (hearing.size === 0) ofTurn.delete(turnId);
  };
}

/** Sends these in one trip; answers the number of the last, for `relayedAfter`. */
export async function relay(app: App, link: Link, rows: readonly Relayed[]): Promise<string> {
  const { tenantId, turnId, owner } = link;
  const now = new Date(app.clock.now());
  // Not on behalf of the call that began the turn.
  const sent = await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) =>
      sql<{ last: string }>`with sent as (
          insert into svc_turn_relay (tenant_id, turn_id, owner, kind, place, body, create_time)
          select ${tenantId}, ${turnId}, ${owner}, kind, place, body, ${now}
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(kind text, place bigint, body text)
          returning id)
        select max(id) as last, pg_notify(${CHANNEL}, ${`${app.of(LISTENERS).node} ${turnId}`}) from sent`.execute(
        q,
      ),
    ),
  );
  return sent.rows[0]?.last ?? '0';
}

/** Asks the processes that run turns of these owners in this conversation to stop them; waits for none. */
export async function stopThose(
  app: App,
  { tenantId, owners }: { tenantId: string; owners: readonly string[] },
  conversationId: string,
): Promise<void> {
  const now = new Date(app.clock.now());
  await inOneTrip(app.db, tenantId, (q) =>
    sql`with asked as (
        insert into svc_turn_relay (tenant_id, turn_id, owner, kind, place, body, create_time)
        select distinct tenant_id, turn_id, owner, 'STOP', 0, '', ${now}::timestamptz from svc_turn_relay
        where tenant_id = ${tenantId} and owner = any(${[...owners]}) and kind = 'ALIVE'
          and body::jsonb ->> 'conversationId' = ${conversationId}
        returning turn_id)
      select pg_notify(${CHANNEL}, ${app.of(LISTENERS).node}::text || ' ' || turn_id) from asked`.execute(
      q,
    ),
  );
}

/** What was sent about a turn of this owner after that number, in order; at most 200. */
export async function relayedAfter(
  app: App,
  { tenantId, turnId, owner }: Link,
  after: string,
  kinds: readonly RelayKind[],
): Promise<(Relayed & { id: string })[]> {
  const { rows } = await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) =>
      sql<Relayed & { id: string }>`select id, kind, place::int as place, body from svc_turn_relay
        where tenant_id = ${tenantId} and turn_id = ${turnId} and owner = ${owner} and id > ${after}::bigint
          and kind = any(${[...kinds]})
        order by id limit ${MAX_ROWS}`.execute(q),
    ),
  );
  return rows;
}

/** Deletes what was sent ten minutes ago. */
export function startRelaySweeper(app: App): { stop(): Promise<void> } {
  const often = { everyMs: EVERY_MS, failed: 'events of turns not deleted, retrying' };
  return startSweeper(app, often, async () => {
    const oldest = new Date(app.clock.now() - STORED_MS);
    await inOneTripAcrossTenants(app.db, 'sweeper', (q) =>
      sql`delete from svc_turn_relay where id in (
        select id from svc_turn_relay where create_time < ${oldest} order by create_time limit ${BATCH})`.execute(
        q,
      ),
    );
  });
}
