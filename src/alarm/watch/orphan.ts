import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { EndReason } from '../alarm/episode.ts';
import { isServed, watchesDevice } from '../condition/devices.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

/** The place of a rule state `r` is not there any more: deleted, or a point that its device lost with its profile. */
const isGone = sql`(r.device_id <> 0 and not exists (select from svc_device d
    where d.tenant_id = r.tenant_id and d.id = r.device_id)
  or r.alarm_target_type_flag = ${AlarmTarget.POINT} and r.device_id <> 0 and not exists (select from svc_device d
    join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id
    where d.tenant_id = r.tenant_id and d.id = r.device_id and p.id = r.entity_id)
  or r.alarm_target_type_flag = ${AlarmTarget.DRIVER} and not exists (select from svc_driver v
    where v.tenant_id = r.tenant_id and v.id = r.entity_id)
  or r.rule_id = 0 and not exists (select from svc_entity_state s where s.tenant_id = r.tenant_id
    and s.entity_id = r.entity_id and r.fingerprint = 'outage:' || s.entity_type_flag || ':' || s.entity_id))`;

/** Or it is disabled: drivers serve no device that is, or whose driver or profile is, and no such point. */
const isDisabled = sql`(exists (select from svc_device d
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    join svc_profile f on f.tenant_id = d.tenant_id and f.id = d.profile_id
    where d.tenant_id = r.tenant_id and d.id = r.device_id
      and greatest(d.enable_flag, v.enable_flag, f.enable_flag) <> ${EnableFlag.ENABLE})
  or r.alarm_target_type_flag = ${AlarmTarget.POINT} and exists (select from svc_point p
    where p.tenant_id = r.tenant_id and p.id = r.entity_id and p.enable_flag <> ${EnableFlag.ENABLE})
  or r.alarm_target_type_flag = ${AlarmTarget.DRIVER} and exists (select from svc_driver v
    where v.tenant_id = r.tenant_id and v.id = r.entity_id and v.enable_flag <> ${EnableFlag.ENABLE}))`;

/** Or its rule watches chosen devices, and the place is none of them any more; all of them together: none is left. */
const isLeft = sql`exists (select from svc_rule u where u.tenant_id = r.tenant_id and u.id = r.rule_id
  and case when u.rule_ext #> '{content,aggregate}' is null
    then not ${watchesDevice(sql`u.rule_ext`, sql`r.tenant_id`, sql`r.device_id`)}
    else not exists (select from svc_point o
      join svc_device m on m.tenant_id = o.tenant_id and m.profile_id = o.profile_id
      where o.tenant_id = r.tenant_id and o.id = r.entity_id and ${isServed('m')}
        and ${watchesDevice(sql`u.rule_ext`, sql`r.tenant_id`, sql`m.id`)}) end)`;

/** Closes the open states of places that are gone, disabled or not watched any more. Their alarms end, say why, and can still be confirmed. */
export async function closeOrphans(q: Queries, at: Date): Promise<void> {
  const { PENDING, FIRING, CLOSED } = RuleStatus;
  const [disabled, left, deleted]: EndReason[] = ['PLACE_DISABLED', 'PLACE_LEFT', 'PLACE_DELETED'];
  await sql`
    with closed as (update svc_rule_state r set entity_state_flag = ${CLOSED}, operate_time = ${at}
    where r.entity_state_flag in (${PENDING}, ${FIRING}) and (${isGone} or ${isDisabled} or ${isLeft})
      returning r.tenant_id, r.alarm_id, case when ${isDisabled} then ${disabled} when ${isGone} then ${deleted} else ${left} end as reason),
    woken as (update svc_notify_ledger l set due_time = ${at} from closed
      where l.tenant_id = closed.tenant_id and l.alarm_id = closed.alarm_id and l.end_time is null)
    update svc_entity_alarm a set state_flag = ${CLOSED}, end_reason = closed.reason, operate_time = ${at}
    from closed where a.tenant_id = closed.tenant_id and a.id = closed.alarm_id
      and a.state_flag = ${FIRING}`.execute(q);
}
