import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { EntityState } from '../device/state.ts';
import { keepUnsent } from '../driver/driver-updates.ts';
import { receivedUntil } from '../driver/listening.ts';
import { EntityType } from '../entity/entity-type.ts';
import { followPeer, type Peer, peersOf } from './peer-change.ts';

type State = Payload<'svc.e.state'>;
type Serving = Extract<Payload<'svc.e.metadata'>, { kind: 'serving' }>;

/** A node that sent none of the last two heartbeats of a lease loses its devices to a copy that asks. */
const LAPSING_MS = 14_000;
const BATCH = 10_000;

/** The node that serves a device, for all copies of its driver. */
type Word = {
  driverCode: string;
  node: string;
  tenantId: string;
  deviceId: string;
  claimTime: Date | null;
  peer: Peer | null;
};

export const extendLease = sql`
  on conflict (tenant_id, entity_type_flag, entity_id) do update set
    last_state_flag = case when s.entity_state_flag = excluded.entity_state_flag
      then s.last_state_flag else s.entity_state_flag end,
    entity_state_flag = excluded.entity_state_flag, parent_entity_id = excluded.parent_entity_id,
    lease_version = s.lease_version + 1, description = excluded.description,
    last_heartbeat_time = excluded.last_heartbeat_time, expire_time = excluded.expire_time,
    last_online_time = coalesce(excluded.last_online_time, s.last_online_time),
    offline_since = case when excluded.last_online_time is null then coalesce(s.offline_since,
      case when s.expire_time < excluded.last_heartbeat_time then s.last_heartbeat_time
        else excluded.last_heartbeat_time end) end,
    online_since = case when excluded.last_online_time is null then null
      when s.online_since is null or s.expire_time < excluded.last_heartbeat_time then excluded.online_since
      else s.online_since end,
    read_issue = excluded.read_issue, command_life_ms = excluded.command_life_ms,
    operate_time = excluded.last_heartbeat_time, lapsed = false`;

/**
 * Stores the device states that a driver node reports. One node serves a device at a time: the one it
 * registered at last, or, where any copy could, the first that asked and still sends heartbeats. Reports of
 * other nodes on the device are ignored. Answers the serving nodes that the copies do not know yet.
 */
export async function takeStates(q: Queries, state: State, now: number): Promise<Word[]> {
  const { driverCode, node, leaseMs } = state;
  // The last report on a device counts; one statement must not touch a row twice.
  const last = [...new Map(state.devices.map((device) => [device.deviceId, device])).values()];
  const freed = state.leaving ? await leave(q, driverCode, node) : [];
  if (last.length === 0) return freed;
  // The ages of registrations are as of the sending of the message, which may have waited in its queue.
  const sentAt = Math.min(now, state.centerAt ?? now);
  const claimed = ({ claim, heldMs }: (typeof last)[number]): string | null =>
    claim === 'none' || heldMs === undefined ? null : new Date(sentAt - heldMs).toISOString();
  const at = sql`${new Date(now)}::timestamptz`;
  const peers = peersOf(last);
  // Only devices that exist, in the given tenant, with this driver.
  const { rows: taken } = await sql<{ deviceId: string }>`
    insert into svc_entity_state as s (tenant_id, entity_type_flag, entity_id, parent_entity_id,
      entity_state_flag, description, node, claim_time, peer_host, peer_claim, peer_change,
      last_heartbeat_time, expire_time, last_online_time, online_since, offline_since, read_issue,
      command_life_ms)
    select d.tenant_id, ${EntityType.DEVICE}, d.id, d.driver_id, r.state, r.description,
      case when r.claims then ${node} else '' end, r.claim_time,
      r.peer_host, r.peer_claim, r.peer_change::jsonb, ${at}, ${new Date(now + leaseMs)}::timestamptz,
      case when r.state <> ${EntityState.OFFLINE} then ${at} end,
      case when r.state <> ${EntityState.OFFLINE} then ${at} end,
      case when r.state = ${EntityState.OFFLINE} then ${at} end, r.read_issue, r.command_life_ms
    from unnest(${last.map(({ tenantId }) => tenantId)}::bigint[],
      ${last.map(({ deviceId }) => deviceId)}::bigint[],
      ${last.map(({ status }) => EntityState[status])}::smallint[],
      ${last.map(({ description }) => storable(description))}::text[],
      ${last.map(({ claim }) => claim !== 'none')}::boolean[],
      ${last.map(claimed)}::timestamptz[], ${peers.hosts}, ${peers.claims}, ${peers.changes},
      ${last.map(({ readIssue }) => storable(readIssue ?? ''))}::text[],
      ${last.map(({ commandLifeMs }) => commandLifeMs ?? 0)}::integer[])
      as r (tenant_id, device_id, state, description, claims, claim_time, peer_host, peer_claim, peer_change,
        read_issue, command_life_ms)
    join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      and v.driver_code = ${driverCode}
    order by d.tenant_id, d.id ${extendLease},
      node = case when excluded.node = '' then s.node else excluded.node end,
      claim_time = case when s.node = ${node} then greatest(s.claim_time, excluded.claim_time)
        else excluded.claim_time end,${followPeer(now)}
    where s.node in ('', ${node}) or excluded.claim_time > coalesce(s.claim_time, '-infinity')
      or excluded.node <> '' and excluded.claim_time is null and s.expire_time <= ${receivedUntil(now)}
    returning s.entity_id as device_id`.execute(q);
  const mine = new Set(taken.map(({ deviceId }) => deviceId));
  const asked = last.filter(
    ({ deviceId, claim }) => claim === undefined || claim === 'asks' || !mine.has(deviceId),
  );
  return [...freed, ...(await serversOf(q, driverCode, asked))];
}

/** The serving nodes of those devices that have one. */
async function serversOf(
  q: Queries,
  driverCode: string,
  devices: readonly { tenantId: string; deviceId: string }[],
): Promise<Word[]> {
  if (devices.length === 0) return [];
  const { rows } = await sql<Word>`
    select ${driverCode}::text as driver_code, s.node, s.tenant_id, s.entity_id as device_id,
      s.claim_time, case when s.peer_host <> ''
        then jsonb_build_object('host', s.peer_host, 'change', s.peer_change) end as peer
    from unnest(${devices.map(({ tenantId }) => tenantId)}::bigint[],
      ${devices.map(({ deviceId }) => deviceId)}::bigint[]) as r (tenant_id, device_id)
    join svc_entity_state s on s.tenant_id = r.tenant_id and s.entity_id = r.device_id
      and s.entity_type_flag = ${EntityType.DEVICE} and s.node <> ''
    join svc_device d on d.tenant_id = s.tenant_id and d.id = s.entity_id
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      and v.driver_code = ${driverCode}`.execute(q);
  return rows;
}

/** A stopping node releases the devices that any copy could serve; registrations stay with it. */
async function leave(q: Queries, driverCode: string, node: string): Promise<Word[]> {
  const { rows } = await sql<Word>`
    update svc_entity_state s set node = ''
    from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    where s.entity_type_flag = ${EntityType.DEVICE} and s.node = ${node} and s.claim_time is null
      and d.tenant_id = s.tenant_id and d.id = s.entity_id and v.driver_code = ${driverCode}
    returning v.driver_code, '' as node, s.tenant_id, s.entity_id as device_id, s.claim_time,
      null as peer`.execute(q);
  return rows;
}

/**
 * Releases devices of nodes that missed heartbeats, before their leases end; at most 10,000 a time. While
 * the platform receives no heartbeats at all, no node counts as away.
 */
export async function releaseLapsed(q: Queries, now: number): Promise<Word[]> {
  const { rows } = await sql<Word>`
    update svc_entity_state s set node = ''
    from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    where d.tenant_id = s.tenant_id and d.id = s.entity_id
      and (s.tenant_id, s.entity_type_flag, s.entity_id) in (
        select tenant_id, entity_type_flag, entity_id from svc_entity_state
        where node <> '' and claim_time is null and entity_type_flag = ${EntityType.DEVICE}
          and expire_time <= ${receivedUntil(now)} + ${`${LAPSING_MS} ms`}::interval
        order by expire_time limit ${BATCH} for update skip locked)
    returning v.driver_code, '' as node, s.tenant_id, s.entity_id as device_id, s.claim_time,
      null as peer`.execute(q);
  return rows;
}

/**
 * Publishes to all copies of the drivers which node serves these devices now. What the bus does not take is
 * sent again with the devices: a copy that missed the release of a device would never ask for it.
 */
export async function tellServing(app: App, words: readonly Word[]): Promise<void> {
  const now = app.clock.now();
  const parts = new Map<string, Serving>();
  for (const [n, word] of words.entries()) {
    const { driverCode, node, tenantId, deviceId, claimTime, peer } = word;
    const key = JSON.stringify([driverCode, node, Math.floor(n / BATCH)]);
    const part: Serving = parts.get(key) ?? {
      kind: 'serving',
      driverCode,
      node,
      at: now,
      devices: [],
    };
    const heldMs = claimTime && Math.max(0, now - claimTime.getTime());
    part.devices.push({ tenantId, deviceId, heldMs, ...(peer && { peer }) });
    parts.set(key, part);
  }
  const waiting = [...parts.values()];
  try {
    for (const message of waiting.slice()) {
      await app.bus.publish('svc.e.metadata', message, { key: message.driverCode });
      waiting.shift();
    }
  } catch (error) {
    app.log.warn({ error }, 'serving node of devices not sent to drivers, retrying');
    for (const { devices } of waiting)
      for (const { tenantId, deviceId } of devices) keepUnsent(app, tenantId, { deviceId });
  }
}
