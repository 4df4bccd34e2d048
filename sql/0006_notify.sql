-- Notifications on their way: what makes a delivery recognisable, and how often a state was told about.

alter table svc_notify_history
  -- The same at every try, and never that of another installation: receivers drop what they have got.
  add column delivery_id uuid not null default gen_random_uuid(),
  -- 0: an alarm without a state.
  add column rule_state_id bigint not null default 0,
  -- 0 FIRED, 1 RECOVERED
  add column event_flag smallint not null default 0 check (event_flag in (0, 1));
create index svc_notify_history_state
  on svc_notify_history (tenant_id, rule_state_id, channel_id, create_time desc);
create index svc_notify_history_waiting
  on svc_notify_history (tenant_id, next_try_time) where status_flag in (0, 1, 4);
create index svc_notify_channel_bind_channel on svc_notify_channel_bind (tenant_id, channel_id);
