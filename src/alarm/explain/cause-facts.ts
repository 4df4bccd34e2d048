import { type RawBuilder, sql } from 'kysely';

import { type ChangeRow, changeRows } from '../../data/change/change-row.ts';
import { CommandStatus, CommandType, UNCERTAIN } from '../../data/command/state.ts';
import type { Queries } from '../../db/connect.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { covers, MaintenanceScope } from '../alarm/in-maintenance.ts';
import { firedTime, ofAlarm, onsetTime } from './around.ts';
import { alarm, badBefore, SPAN_BEFORE, type NearReading, readingsBefore } from './readings.ts';

type Of = { tenantId: string; alarmId: string };

/** Where something happened, seen from the alarm; UPSTREAM: the driver of its device. */
export type Place = 'POINT' | 'DEVICE' | 'GROUP' | 'DRIVER' | 'UPSTREAM';

type Names = { deviceName: string | null; pointName: string | null };

export type OtherAlarm = Names & {
  id: string;
  at: Date;
  over: Date | null;
  deviceId: string;
  driverName: string | null;
  ruleName: string | null;
  message: string;
  /** Of a device or driver that is away or at fault. */
  isOutage: boolean;
  /** The alarm of which messages say that it explains this one. */
  isCommon: boolean;
  place: Place;
};

export type Write = Names & {
  commandId: string;
  actionId: string | null;
  at: Date;
  deviceId: string;
  value: string | null;
  unit: string | null;
  isCertain: boolean;
  place: Place;
};

/** A time in which people work on the place of the alarm. */
export type Work = {
  id: string;
  name: string;
  owner: string;
  /** It is of everything, so it says less of the place. */
  isOfPlant: boolean;
  at: Date;
  over: Date;
};

/** What is stored of the time before an alarm, around its place. */
export type CauseFacts = {
  alarms: OtherAlarm[];
  writes: Write[];
  changes: ChangeRow[];
  /** Of its point up to the firing, the newest first. */
  readings: NearReading[];
  /** The newest bad value of each point of its device. */
  bad: NearReading[];
  work: Work[];
};

const MAX_ALARMS = 200;
const MAX_WRITES = 50;
const MAX_CHANGES = 50;
const MAX_WORK = 3;

/** Asked in the trip of the report; parts that the caller may not read stay empty. */
export async function causeFacts(
  q: Queries,
  of: Of,
  { withValues, withChanges }: { withValues: boolean; withChanges: boolean },
): Promise<CauseFacts> {
  const [alarms, writes, changes, readings, bad, work] = await Promise.all([
    alarmsBefore(q, of),
    withChanges ? writesBefore(q, of) : [],
    withChanges ? changesBefore(q, of) : [],
    withValues ? readingsBefore(q, of) : [],
    withValues ? badBefore(q, of) : [],
    workAt(q, of),
  ]);
  return { alarms, writes, changes, readings, bad, work };
}

const isInGroup = (device: string): RawBuilder<boolean> => sql`exists (select from svc_group_bind b
  where b.tenant_id = a.tenant_id and b.entity_type_flag = ${sql.lit(EntityType.DEVICE)}
    and b.group_id = a.group_id and b.entity_id = ${sql.ref(device)})`;

async function alarmsBefore(q: Queries, of: Of): Promise<OtherAlarm[]> {
  const begin = sql`coalesce(o.first_trigger_time, o.create_time)`;
  const { rows } = await sql<OtherAlarm>`
    with a as (${alarm(of)}),
    near as (
      (select o.id from a join svc_entity_alarm o on o.tenant_id = ${of.tenantId}
        where o.create_time > a.onset - ${SPAN_BEFORE} and o.create_time <= a.at
          and (o.device_id = a.device_id and a.device_id <> 0 or o.driver_id = a.driver_id and a.driver_id <> 0 or ${isInGroup('o.device_id')})
        order by o.create_time desc, o.id desc limit ${MAX_ALARMS})
      union
      -- An outage may have begun long before.
      (select o.id from a join svc_rule_state s on s.tenant_id = ${of.tenantId}
          and s.fingerprint in ('outage:${sql.lit(EntityType.DEVICE)}:' || a.device_id,
            'outage:${sql.lit(EntityType.DRIVER)}:' || a.driver_id)
        join svc_entity_alarm o on o.tenant_id = s.tenant_id and o.id = s.alarm_id
        where o.create_time <= a.at)
      union
      (select l.cause_id from svc_notify_ledger l
        where l.tenant_id = ${of.tenantId} and l.alarm_id = ${of.alarmId} and l.cause_id <> 0 limit 1))
    select o.id, ${begin} as at, o.last_recover_time as over, o.device_id, d.device_name, p.point_name, v.driver_name,
      o.alarm_ext ->> 'ruleName' as rule_name, o.message, o.rule_id = 0 and o.state_flag is not null as is_outage,
      exists (select from svc_notify_ledger l where l.tenant_id = a.tenant_id and l.alarm_id = a.id
        and l.cause_id = o.id) as is_common,
      case when o.device_id = 0 then 'UPSTREAM'
        when o.device_id = a.device_id and o.point_id = a.point_id and a.point_id <> 0 then 'POINT'
        when o.device_id = a.device_id then 'DEVICE'
        when ${isInGroup('o.device_id')} then 'GROUP' else 'DRIVER' end as place
    from near join a on near.id <> a.id
    join svc_entity_alarm o on o.tenant_id = ${of.tenantId} and o.id = near.id
    left join svc_device d on d.tenant_id = o.tenant_id and d.id = o.device_id
    left join svc_point p on p.tenant_id = o.tenant_id and p.id = o.point_id
    left join svc_driver v on v.tenant_id = o.tenant_id and v.id = o.driver_id
    where ${begin} <= a.at
    order by ${begin} desc, o.id desc`.execute(q);
  return rows;
}

async function writesBefore(q: Queries, of: Of): Promise<Write[]> {
  const { PENDING, FAILED, EXPIRED } = CommandStatus;
  const { rows } = await sql<Write>`
    with a as (${alarm(of)})
    select w.command_id, w.action_id, coalesce(w.send_time, w.occur_time) as at, w.device_id, d.device_name,
      p.point_name, w.request_value as value, coalesce(w.point_unit, p.unit) as unit,
      not w.status = any(${[...UNCERTAIN]}) as is_certain,
      case when w.device_id <> a.device_id then 'GROUP' when w.point_id = a.point_id then 'POINT' else 'DEVICE' end as place
    from a join svc_point_command_history w on w.tenant_id = ${of.tenantId}
    left join svc_device d on d.tenant_id = w.tenant_id and d.id = w.device_id
    left join svc_point p on p.tenant_id = w.tenant_id and p.id = w.point_id
    where w.type = ${CommandType.WRITE} and w.occur_time > a.onset - ${SPAN_BEFORE} and w.occur_time <= a.at
      and not w.status = any(${[PENDING, FAILED, EXPIRED]})
      and (w.device_id = a.device_id or ${isInGroup('w.device_id')})
    order by w.occur_time desc, w.id desc limit ${MAX_WRITES}`.execute(q);
  return rows;
}

/** Of its device and profile, its rule and its driver. */
function changesBefore(q: Queries, of: Of): Promise<ChangeRow[]> {
  return changeRows(q, of.tenantId, {
    since: ofAlarm(of, sql<Date>`${onsetTime} - ${SPAN_BEFORE}`),
    until: ofAlarm(of, sql<Date>`${firedTime} + interval '1 millisecond'`),
    before: null,
    // No device has the id -1.
    deviceId: ofAlarm(of, sql<string>`coalesce(nullif(device_id, 0), -1)`),
    besides: {
      ruleId: ofAlarm(of, sql<string>`nullif(rule_id, 0)`),
      driverId: ofAlarm(of, sql<string>`nullif(driver_id, 0)`),
    },
    // A label sorts devices; no rule asks for it.
    without: 'label_bind',
    kind: 'configured',
    limit: MAX_CHANGES,
  });
}

/** Maintenance that ran when its condition began to hold. */
async function workAt(q: Queries, of: Of): Promise<Work[]> {
  const { rows } = await sql<Work>`
    with a as (${alarm(of)})
    select m.id, m.maintenance_name as name, m.owner, m.scope_flag = ${MaintenanceScope.PLANT} as is_of_plant,
      m.begin_time as at, m.end_time as over
    from a join svc_maintenance m on m.tenant_id = ${of.tenantId}
    where m.end_time > a.onset and m.begin_time <= a.onset
      and ${covers({ device: sql`a.device_id`, driver: sql`a.driver_id` })}
    order by m.begin_time desc, m.id limit ${MAX_WORK}`.execute(q);
  return rows;
}
