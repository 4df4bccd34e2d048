import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { durationMs } from '../kind/duration.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { evaluate } from '../rule/evaluate.ts';

const MAX_RULES = 1_000;
const BATCH = 500;

type Rule = { id: string; tenantId: string; entityId: string; duration: string; since: Date };
type Silent = { deviceId: string; pointId: string; driverId: string };

/**
 * Finds points without a value for the duration of a `nodata` rule. Silence before `since` (ms) does not
 * count: the platform could not receive values then.
 */
export async function scanSilence(app: App, since: number): Promise<void> {
  const rules = await acrossTenants(app.db, 'sweeper', silenceRules);
  for (const rule of rules) {
    const now = app.clock.now();
    const silentMs = durationMs(rule.duration);
    if (silentMs === null || now - since < silentMs) continue;
    const before = new Date(now - silentMs);
    const points = await inOneTrip(app.db, rule.tenantId, (q) => silentPoints(q, rule, before));
    const facts = points.map(({ deviceId, pointId, driverId }) => ({
      entityId: pointId,
      deviceId,
      pointId,
      driverId,
      values: { deviceId, pointId, driverId },
      at: now,
      silentFor: rule.id,
    }));
    await evaluate(app, rule.tenantId, 'POINT', facts);
  }
}

async function silenceRules(q: Queries): Promise<Rule[]> {
  const { rows } = await sql<Rule>`
    select r.id, r.tenant_id as "tenantId", r.entity_id as "entityId", r.operate_time as since,
      r.rule_ext #>> '{content,window,duration}' as duration
    from svc_rule r join svc_tenant t on t.id = r.tenant_id and t.enable_flag = 0
    where r.enable_flag = ${EnableFlag.ENABLE} and r.alarm_target_type_flag = ${AlarmTarget.POINT}
      and r.rule_ext #>> '{content,condition,operator}' = 'nodata'
    order by r.id limit ${MAX_RULES}`.execute(q);
  return rows;
}

/**
 * For a point without any value, silence starts when the device was created or the rule last changed,
 * whichever is later.
 */
async function silentPoints(q: Queries, rule: Rule, before: Date): Promise<Silent[]> {
  const { rows } = await sql<Silent>`
    select d.id as "deviceId", p.id as "pointId", d.driver_id as "driverId"
    from svc_point p
    join svc_device d on d.tenant_id = p.tenant_id and d.profile_id = p.profile_id
      and d.enable_flag = ${EnableFlag.ENABLE}
    left join svc_point_latest l on l.tenant_id = p.tenant_id and l.device_id = d.id
      and l.point_id = p.id
    left join svc_rule_state s on s.tenant_id = p.tenant_id
      and s.fingerprint = ${rule.id} || ':POINT:' || p.id || ':' || d.id
    where p.tenant_id = ${rule.tenantId} and p.enable_flag = ${EnableFlag.ENABLE}
      and (${rule.entityId} = '0' or p.id = ${rule.entityId})
      and coalesce(s.entity_state_flag, ${RuleStatus.CLOSED}) <> ${RuleStatus.FIRING}
      and coalesce(l.receive_time, greatest(d.create_time, ${rule.since}::timestamptz)) <= ${before}
    order by d.id, p.id limit ${BATCH}`.execute(q);
  return rows;
}
