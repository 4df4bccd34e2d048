-- Alarms in the order in which they need eyes, so that a page of 10,000,000 alarms reads its own rows: what fires (8 for
-- P0 to 5), what waits for a confirmation (4 to 1), and the rest (0 to -3). A column and no indexed expression: below
-- row-level security an index is searched by leakproof comparisons only.
alter table svc_entity_alarm add column urgency integer not null generated always as
  (case when state_flag = 1 then 8 when confirm_flag = 0 then 4 else 0 end - alarm_level_flag) stored;
create index svc_entity_alarm_urgency on svc_entity_alarm (tenant_id, urgency, create_time desc, id desc);
create index svc_entity_alarm_device on svc_entity_alarm (tenant_id, device_id, urgency, create_time desc, id desc);
-- One rule at one place.
create index svc_entity_alarm_place on svc_entity_alarm
  (tenant_id, device_id, entity_id, rule_id, urgency, create_time, id);
