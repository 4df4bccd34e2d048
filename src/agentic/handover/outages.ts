import { sql } from 'kysely';

import { AlarmType } from '../../alarm/kind/alarm.ts';
import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityState } from '../../manager/device/state.ts';
import { receivedUntil } from '../../manager/driver/listening.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';

/** A device that does not answer; `since` is null if it never connected. */
type Silent = { deviceId: string; deviceName: string; since: Date | null };

export type Outages = {
  offline: number;
  neverConnected: number;
  /** The latest that went offline, then the newest that never connected. */
  devices: Silent[];
  /** Names of the devices with an outage alarm that recovered in the window. */
  back: string[];
};

const MAX_DEVICES = 6;
const MAX_BACK = 6;
const OUTAGES = [AlarmType.OFFLINE, AlarmType.FAULT, AlarmType.STATE_FLIP];

/** Which enabled devices are offline at `now`, and which came back since `since`. */
export async function outagesIn(
  q: Queries,
  tenantId: string,
  { since, now }: { since: Date; now: number },
): Promise<Outages> {
  const silent = sql`
    select d.id as device_id, d.device_name, s.last_online_time is null as never,
      case when s.last_online_time is not null then
        case s.entity_state_flag when ${EntityState.OFFLINE} then s.offline_since else s.last_heartbeat_time end
      end as since
    from svc_device d left join svc_entity_state s on s.tenant_id = d.tenant_id and s.entity_id = d.id
      and s.entity_type_flag = ${EntityType.DEVICE}
    where d.tenant_id = ${tenantId} and d.enable_flag = ${EnableFlag.ENABLE} and (s.entity_id is null
      or s.entity_state_flag = ${EntityState.OFFLINE} or s.expire_time <= ${receivedUntil(now)})`;
  const [counts, devices, back] = await Promise.all([
    sql<{ offline: number; neverConnected: number }>`
      select (count(*) filter (where not never))::int as offline,
        (count(*) filter (where never))::int as never_connected from (${silent}) silent`.execute(q),
    sql<Silent>`select device_id, device_name, since from (${silent}) silent
      order by since desc nulls last, device_id desc limit ${MAX_DEVICES}`.execute(q),
    sql<{ deviceName: string }>`
      select distinct on (d.id) d.device_name from svc_entity_alarm a
      join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
      where a.tenant_id = ${tenantId} and a.rule_id = 0 and a.alarm_type_flag = any(${OUTAGES})
        and a.last_recover_time >= ${since} and a.create_time >= ${since}::timestamptz - interval '7 days'
      order by d.id limit ${MAX_BACK}`.execute(q),
  ]);
  const [counted = { offline: 0, neverConnected: 0 }] = counts.rows;
  return { ...counted, devices: devices.rows, back: back.rows.map(({ deviceName }) => deviceName) };
}
