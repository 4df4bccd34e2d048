--! compatible
-- How often a rule fired in a week is read by the rule, not from all alarms of the week.
create index svc_entity_alarm_rule on svc_entity_alarm (tenant_id, rule_id, create_time desc) where rule_id <> 0;
