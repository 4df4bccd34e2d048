-- A write that ended UNKNOWN stays open to evidence: a reading after it was sent.
alter table svc_point_command_history
  -- What the point held when the write was sent, where that was known and good.
  add column before_value text,
  -- The reading that bears on an unknown write, with the time it was taken.
  add column seen_value text,
  add column seen_time timestamptz,
  -- When a reading proved it: until then it was UNKNOWN, and error_code says why.
  add column settled_time timestamptz,
  -- Set early where a later write to the point ended what readings can say.
  add column open_until timestamptz,
  -- How far the readings of the point were looked through for this write.
  add column looked_time timestamptz,
  -- What was seen is news for the action this write belongs to.
  add column seen_news boolean not null default false;
create index svc_point_command_history_doubt on svc_point_command_history (send_time)
  where type = 2 and status in (4, 6, 7, 8);
create index svc_point_command_history_news on svc_point_command_history (id) where seen_news;
-- Whether a later write to the same point took over what readings say.
create index svc_point_command_history_point
  on svc_point_command_history (tenant_id, device_id, point_id, send_time) where type = 2;

-- An end that stays open has more than one message: how it ended (0), what was read (1), its proof (2).
alter table svc_message add column action_step smallint not null default 0
  check (action_step between 0 and 2);
drop index svc_message_receipt;
create unique index svc_message_receipt on svc_message (action_id, action_step)
  where action_id is not null;
