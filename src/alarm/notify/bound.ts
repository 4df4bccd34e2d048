import { type RawBuilder, sql } from 'kysely';

import { EnableFlag } from '../../kernel/input/flag.ts';
import { AlarmType } from '../kind/alarm.ts';

const on = sql.lit(EnableFlag.ENABLE);

/** Whether the policy of a row with `notify_id` and `channel_id` sends over its channel: the policy and the bind are enabled. */
export const isBound = (row: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from svc_notify_channel_bind b
  join svc_notify n on n.tenant_id = b.tenant_id and n.id = b.notify_id and n.enable_flag = ${on}
  where b.tenant_id = ${sql.ref(`${row}.tenant_id`)} and b.notify_id = ${sql.ref(`${row}.notify_id`)}
    and b.channel_id = ${sql.ref(`${row}.channel_id`)} and b.enable_flag = ${on})`;

/** Whether the channel of a row with `channel_id` is enabled. */
export const isChannelOn = (row: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from svc_notify_channel c where c.tenant_id = ${sql.ref(`${row}.tenant_id`)}
    and c.id = ${sql.ref(`${row}.channel_id`)} and c.enable_flag = ${on})`;

/** Names of types of alarms by their stored numbers. */
const TYPES = JSON.stringify(
  Object.fromEntries(Object.entries(AlarmType).map(([name, flag]) => [flag, name])),
);

/** Whether a policy `n` asks for alarms without a rule of the type of an alarm `a`. */
export const asksForType = sql<boolean>`coalesce(
  n.notify_ext #> '{content,alarmTypes}' @> jsonb_build_array(${sql.lit(TYPES)}::jsonb -> a.alarm_type_flag::text), false)`;

/**
 * Whether the policy of a row with `alarm_id` and `notify_id` is asked for the alarm: its rule does not name another one, or
 * it has no rule and the policy lists its type.
 */
export const isAsked = (row: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from svc_entity_alarm a
  left join svc_rule r on r.tenant_id = a.tenant_id and r.id = a.rule_id and a.rule_id <> 0
  left join svc_notify n on n.tenant_id = a.tenant_id and n.id = ${sql.ref(`${row}.notify_id`)}
  where a.tenant_id = ${sql.ref(`${row}.tenant_id`)} and a.id = ${sql.ref(`${row}.alarm_id`)}
    and case when a.rule_id = 0 then ${asksForType} else coalesce(r.notify_id, n.id) = ${sql.ref(`${row}.notify_id`)} end)`;
