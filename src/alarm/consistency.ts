import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';
import { allowing } from './deliver/delivery-status.ts';

/** The sweeper looks every other second; what is due for so long was forgotten. */
const LEFT_MS = 600_000;

/**
 * States belong to rules and alarms that exist, and policies have the channels they name. Alarms,
 * reports and the history of notifications may outlive what they speak of.
 */
export const checks: readonly Check[] = [
  ...owned(['svc_event_history', 'svc_entity_alarm', 'svc_rule', 'svc_rule_state']),
  ...owned([
    'svc_notify',
    'svc_notify_channel',
    'svc_notify_channel_bind',
    'svc_message_template',
    'svc_notify_history',
  ]),
  ...link({
    table: 'svc_rule_state',
    column: 'rule_id',
    to: 'svc_rule',
    when: 'c.rule_id <> 0',
  }),
  ...link({
    table: 'svc_rule_state',
    column: 'alarm_id',
    to: 'svc_entity_alarm',
    when: 'c.alarm_id <> 0',
  }),
  ...link({
    table: 'svc_rule',
    column: 'notify_id',
    to: 'svc_notify',
    when: 'c.notify_id <> 0',
  }),
  ...link({
    table: 'svc_rule',
    column: 'message_id',
    to: 'svc_message_template',
    when: 'c.message_id <> 0',
  }),
  ...link({ table: 'svc_notify_channel_bind', column: 'notify_id', to: 'svc_notify' }),
  ...link({ table: 'svc_notify_channel_bind', column: 'channel_id', to: 'svc_notify_channel' }),
  ...link({ table: 'svc_notify_history', column: 'alarm_id', to: 'svc_entity_alarm' }),
  {
    name: 'svc_notify_history has none that is due and was forgotten',
    find: (at) => sql<Finding>`
      select 'svc_notify_history ' || c.id as entity, 'due ' || c.next_try_time as detail
      from svc_notify_history c where c.status_flag in (${sql.join(allowing('send'))})
        and (c.next_try_time is null or c.next_try_time < ${new Date(at.getTime() - LEFT_MS)})`,
  },
];
