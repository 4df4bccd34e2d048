--! compatible
-- A pager is told that a person confirmed its alarm (docs/specification/notifications.md, Channels): event 2 of a
-- notification, and whether the receiver took it.
alter table svc_notify_history drop constraint svc_notify_history_event_flag_check;
alter table svc_notify_history add constraint svc_notify_history_event_flag_check check (event_flag in (0, 1, 2));
alter table svc_notify_ledger add column confirm_known boolean not null default false;
