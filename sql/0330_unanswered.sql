--! compatible
-- A message about the firing may have reached its receiver, whose answer is missing: it gets the end of the alarm
-- (docs/specification/notifications.md, Ledger).
alter table svc_notify_ledger add column unanswered boolean not null default false;
