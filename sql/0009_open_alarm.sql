-- What is open is little beside what was: found without reading the rest.
create index svc_entity_alarm_open
  on svc_entity_alarm (tenant_id, create_time desc, id desc) where confirm_flag = 0;
create index svc_rule_state_alarm on svc_rule_state (tenant_id, alarm_id);
create index svc_rule_state_live
  on svc_rule_state (tenant_id, operate_time desc) where entity_state_flag in (0, 1);
