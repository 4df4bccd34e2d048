--! compatible
-- A step of escalation or a rota does not call the channel yet (docs/specification/notifications.md, Escalation): it is
-- not one that misses the alarm.
alter table svc_notify_ledger add column uncalled boolean not null default false;
