--! compatible
-- Until when a maintenance, a person or a silent window of the policy kept the alarm from all channels, the last time: the
-- steps of its escalation count from then (docs/specification/notifications.md, Escalation).
alter table svc_notify_ledger add column muted_until timestamptz;
