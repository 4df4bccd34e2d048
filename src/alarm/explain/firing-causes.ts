import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { AlarmLevel, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { isOfOutage } from '../search/explained.ts';
import { FIRING } from '../search/matching.ts';
import { type SensorDoubt, sensorDoubtOf } from './sensor-doubt.ts';

/** Firing alarms of one cause: an outage with what it explains, or one alarm for itself. */
export type FiringCause = {
  /** Of the cause; it fires itself. */
  alarmId: string;
  level: keyof typeof AlarmLevel;
  since: Date;
  deviceName: string | null;
  driverName: string | null;
  pointName: string | null;
  ruleName: string | null;
  message: string;
  /** Other firing alarms that it explains. */
  explains: number;
  deviceId: string;
  /** It is the outage of a device or driver. */
  isOutage: boolean;
  /** What its rule doubts of the sensor; null for any other alarm. */
  doubt: SensorDoubt | null;
};

/** `more`: not all that fire were looked at, or not all causes are in `rows`. */
export type FiringCauses = { rows: FiringCause[]; firing: number; causes: number; more: boolean };

const MAX_CAUSES = 10;
/** Firing alarms that are looked at, the most urgent first. */
const MAX_FIRING = 10_000;
/** A device that reports a fault answers. */
const AWAY = [AlarmType.OFFLINE, AlarmType.STATE_FLIP];

type CauseRow = Omit<FiringCause, 'level' | 'doubt'> & {
  level: number;
  alarmExt: Record<string, unknown>;
  firing: number;
  causes: number;
};

/**
 * Firing alarms, each with the firing outage of its driver or else of its device where it is about silence or about a
 * device that is away: the most urgent and those that explain most first.
 */
export async function firingCauses(q: Queries, tenantId: string): Promise<FiringCauses> {
  const outage = (type: number, of: string) => sql`(select s.alarm_id from svc_rule_state s
    where s.tenant_id = a.tenant_id and s.fingerprint = 'outage:' || ${type}::int || ':' || ${sql.ref(of)}
      and s.entity_state_flag = ${RuleStatus.FIRING} and ${sql.ref(of)} <> 0 and s.alarm_id <> a.id)`;
  const { rows } = await sql<CauseRow>`
    with firing as (
      select a.* from svc_entity_alarm a where a.tenant_id = ${tenantId} and a.urgency >= ${sql.lit(FIRING)}
      order by a.urgency desc, a.create_time limit ${MAX_FIRING}),
    rooted as (
      select a.id, a.alarm_level_flag, case
        when a.rule_id = 0 and a.device_id <> 0 then coalesce(${outage(EntityType.DRIVER, 'a.driver_id')}, a.id)
        when ${isOfOutage} then coalesce(
          ${outage(EntityType.DRIVER, 'a.driver_id')}, ${outage(EntityType.DEVICE, 'a.device_id')}, a.id)
        else a.id end as root
      from firing a),
    causes as (
      select root, min(alarm_level_flag) as level, (count(*) filter (where id <> root))::int as explains
      from rooted group by root)
    select c.root as alarm_id, c.level, c.explains, coalesce(o.first_trigger_time, o.create_time) as since,
      o.device_id, o.rule_id = 0 and o.alarm_type_flag in (${sql.join(AWAY)}) as is_outage, d.device_name, v.driver_name, p.point_name, o.alarm_ext ->> 'ruleName' as rule_name, o.message,
      jsonb_build_object('condition', o.alarm_ext -> 'condition', 'window', o.alarm_ext -> 'window') as alarm_ext,
      (select count(*)::int from firing) as firing, (count(*) over ())::int as causes
    from causes c join svc_entity_alarm o on o.tenant_id = ${tenantId} and o.id = c.root
    left join svc_device d on d.tenant_id = o.tenant_id and d.id = o.device_id
    left join svc_point p on p.tenant_id = o.tenant_id and p.id = o.point_id
    left join svc_driver v on v.tenant_id = o.tenant_id and v.id = o.driver_id and o.device_id = 0
    order by c.level, c.explains desc, since, c.root limit ${MAX_CAUSES}`.execute(q);
  const [first] = rows;
  return {
    rows: rows.map(({ firing: _firing, causes: _causes, alarmExt, ...row }) => ({
      ...row,
      level: nameOf(AlarmLevel, row.level),
      doubt: sensorDoubtOf(alarmExt),
    })),
    firing: first?.firing ?? 0,
    causes: first?.causes ?? 0,
    more: first !== undefined && (first.firing === MAX_FIRING || rows.length < first.causes),
  };
}
