import { type Check, link, owned } from '../db/check.ts';

/** States belong to rules and alarms that exist; alarms and reports may outlive what they speak of. */
export const checks: readonly Check[] = [
  ...owned(['svc_event_history', 'svc_entity_alarm', 'svc_rule', 'svc_rule_state']),
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
];
