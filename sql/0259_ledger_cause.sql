--! compatible
-- The firing alarm that explains this one to the channel (docs/specification/notifications.md, One cause); 0: none.
alter table svc_notify_ledger add column cause_id bigint not null default 0;
create index svc_notify_ledger_explained on svc_notify_ledger (tenant_id, cause_id) where end_time is null and cause_id <> 0;
-- For the count of channels that failed deliveries keep from knowing of alarms (/readyz).
create index svc_notify_ledger_failing on svc_notify_ledger (tenant_id, channel_id)
  where end_time is null and failure_count > 0;
