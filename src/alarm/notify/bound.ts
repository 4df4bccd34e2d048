import { type RawBuilder, sql } from 'kysely';

import { EnableFlag } from '../../kernel/input/flag.ts';

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

/** Whether the rule of the alarm of a row with `alarm_id` and `notify_id` does not name another policy. */
export const isNamed = (row: string): RawBuilder<boolean> => sql<boolean>`not exists (
  select from svc_entity_alarm e join svc_rule r on r.tenant_id = e.tenant_id and r.id = e.rule_id
  where e.tenant_id = ${sql.ref(`${row}.tenant_id`)} and e.id = ${sql.ref(`${row}.alarm_id`)}
    and r.notify_id <> ${sql.ref(`${row}.notify_id`)})`;
