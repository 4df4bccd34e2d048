--! compatible
-- When the receiver of the channel acknowledged the alarm (docs/specification/notifications.md, Answers); no confirmation.
alter table svc_notify_ledger add column acknowledged_time timestamptz;
