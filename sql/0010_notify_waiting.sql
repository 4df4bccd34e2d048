-- How much waits for one channel is counted without what waits for the others.
create index svc_notify_history_channel
  on svc_notify_history (tenant_id, channel_id) where status_flag in (0, 1, 4);
