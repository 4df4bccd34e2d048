import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';
import { allowing } from './kind/delivery-status.ts';

const LEDGER_KEY = "c.alarm_id || ':' || c.notify_id || ':' || c.channel_id";
/** The sweepers run every 2 s; a row that has been due this long was missed. */
const LEFT_MS = 600_000;

/**
 * Rule states need their rule and alarm, rules their policy and template, binds their policy and channel,
 * notifications and their ledger their alarm. Alarms may outlive rules and devices; notifications may outlive rules,
 * policies and channels.
 */
export const checks: readonly Check[] = [
  ...owned([
    'svc_maintenance',
    'svc_alarm_comment',
    'svc_event_history',
    'svc_entity_alarm',
    'svc_rule',
    'svc_rule_state',
  ]),
  ...owned([
    'svc_notify',
    'svc_notify_channel',
    'svc_notify_channel_bind',
    'svc_message_template',
    'svc_notify_history',
  ]),
  ...owned(['svc_notify_ledger'], LEDGER_KEY),
  ...link({
    table: 'svc_notify_ledger',
    column: 'alarm_id',
    to: 'svc_entity_alarm',
    key: LEDGER_KEY,
  }),
  ...link({ table: 'svc_alarm_comment', column: 'alarm_id', to: 'svc_entity_alarm' }),
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
  ...link({
    table: 'svc_notify_history',
    column: 'alarm_id',
    to: 'svc_entity_alarm',
    when: 'c.alarm_id <> 0',
  }),
  {
    name: 'svc_notify_history has none that is due and was forgotten',
    find: (at) => sql<Finding>`
      select 'svc_notify_history ' || c.id as entity, 'due ' || c.next_try_time as detail
      from svc_notify_history c where c.status_flag in (${sql.join(allowing('send'))})
        and (c.next_try_time is null or c.next_try_time < ${new Date(at.getTime() - LEFT_MS)})`,
  },
  {
    name: 'svc_notify_ledger has none that is due and was forgotten',
    find: (at) => sql<Finding>`
      select 'svc_notify_ledger ' || ${sql.raw(LEDGER_KEY)} as entity, 'due ' || c.due_time as detail
      from svc_notify_ledger c where c.end_time is null
        and c.due_time < ${new Date(at.getTime() - LEFT_MS)}`,
  },
];
