-- Alarms without a rule that recovered, as outages do: a handover names the devices that came back.
create index svc_entity_alarm_outage on svc_entity_alarm (tenant_id, last_recover_time)
  where rule_id = 0 and last_recover_time is not null;
