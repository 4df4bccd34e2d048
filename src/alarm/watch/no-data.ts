import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { type Break, receivedFor } from '../../manager/driver/listening.ts';
import { watchesDevice } from '../condition/devices.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { durationMs } from '../kind/duration.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { evaluate } from '../rule/evaluate.ts';

/** Rules of a scan; the next one goes on with the others. */
const MAX_RULES = 1_000;
const BATCH = 500;

type Rule = { id: string; tenantId: string; entityId: string; duration: string; since: Date };
/** The rules of each tenant in turn: the place of one among those of its tenant, and its tenant. */
type Turn = { turn: string; tenantId: string };
type Silent = { deviceId: string; pointId: string; driverId: string };

/**
 * Finds points without a good value for the duration of a `nodata` rule. Each call looks at the next 1,000 rules, those
 * of each tenant in turn, so that the rules of one tenant keep none of another's from being looked at. The breaks in
 * which the platform could not receive values are no silence: a rule goes on after them where it was.
 */
export function createSilenceScan(app: App): (breaks: readonly Break[]) => Promise<void> {
  let last: Turn | null = null;
  return async (breaks) => {
    const rules = await acrossTenants(app.db, 'sweeper', (q) => silenceRules(q, last));
    last = rules.length < MAX_RULES ? null : (rules.at(-1) ?? null);
    for (const rule of rules) await scanRule(app, rule, breaks);
  };
}

async function scanRule(app: App, rule: Rule, breaks: readonly Break[]): Promise<void> {
  const now = app.clock.now();
  const silentMs = durationMs(rule.duration);
  if (silentMs === null) return;
  const before = new Date(receivedFor(silentMs, now, breaks));
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

async function silenceRules(q: Queries, last: Turn | null): Promise<(Rule & Turn)[]> {
  const { rows } = await sql<Rule & Turn>`
    select * from (
      select r.id, r.tenant_id as "tenantId", r.entity_id as "entityId", r.operate_time as since,
        r.rule_ext #>> '{content,window,duration}' as duration,
        row_number() over (partition by r.tenant_id order by r.id) as turn
      from svc_rule r join svc_tenant t on t.id = r.tenant_id and t.enable_flag = 0
      where r.enable_flag = ${EnableFlag.ENABLE} and r.alarm_target_type_flag = ${AlarmTarget.POINT}
        and r.rule_ext #>> '{content,condition,operator}' = 'nodata') rules
    where (turn, "tenantId") > (${last?.turn ?? '0'}::bigint, ${last?.tenantId ?? '0'}::bigint)
    order by turn, "tenantId" limit ${MAX_RULES}`.execute(q);
  return rows;
}

/**
 * For a point without any good value, silence starts when the device was created or the rule last changed,
 * whichever is later. Bad values do not end a silence: a broken sensor reports them.
 */
async function silentPoints(q: Queries, rule: Rule, before: Date): Promise<Silent[]> {
  const { rows } = await sql<Silent>`
    select d.id as "deviceId", p.id as "pointId", d.driver_id as "driverId"
    from svc_rule r
    join svc_point p on p.tenant_id = r.tenant_id
    join svc_device d on d.tenant_id = p.tenant_id and d.profile_id = p.profile_id
      and d.enable_flag = ${EnableFlag.ENABLE}
    left join svc_point_latest l on l.tenant_id = p.tenant_id and l.device_id = d.id
      and l.point_id = p.id and l.quality <> ${Quality.BAD}
    left join svc_rule_state s on s.tenant_id = p.tenant_id
      and s.fingerprint = ${rule.id} || ':POINT:' || p.id || ':' || d.id
    where r.tenant_id = ${rule.tenantId} and r.id = ${rule.id}
      and ${watchesDevice(sql`r.rule_ext`, sql`r.tenant_id`, sql`d.id`)} and p.enable_flag = ${EnableFlag.ENABLE}
      and (${rule.entityId} = '0' or p.id = ${rule.entityId})
      and coalesce(s.entity_state_flag, ${RuleStatus.CLOSED}) <> ${RuleStatus.FIRING}
      and coalesce(l.receive_time, greatest(d.create_time, ${rule.since}::timestamptz)) <= ${before}
      and (l.quality is not null or not exists (
        select from svc_point_value v where v.tenant_id = p.tenant_id and v.device_id = d.id
          and v.point_id = p.id and v.create_time > ${before} and v.quality <> ${Quality.BAD}
        union all
        select from svc_value_hour h where h.tenant_id = p.tenant_id and h.device_id = d.id
          and h.point_id = p.id and h.start > ${before}::timestamptz - interval '1 day'
          and h.good_time > ${before}))
    order by d.id, p.id limit ${BATCH}`.execute(q);
  return rows;
}
