-- Alarms of one device over a time, newest first: what a trend marks.
create index svc_entity_alarm_when on svc_entity_alarm (tenant_id, device_id, create_time desc, id desc);
