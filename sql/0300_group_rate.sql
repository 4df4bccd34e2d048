--! compatible
-- A message about several alarms counts for the rate of each of them (docs/specification/notifications.md, Together).
alter table svc_notify_history add column rule_state_ids bigint[] not null default '{}';
-- The newest messages of a channel: floods, and rates of groups, are counted by these.
create index svc_notify_history_recent on svc_notify_history (tenant_id, channel_id, create_time desc);
