--! compatible
-- For the count of channels that failed deliveries keep from knowing of alarms (/readyz).
create index svc_notify_ledger_failing on svc_notify_ledger (tenant_id, channel_id)
  where end_time is null and failure_count > 0;
