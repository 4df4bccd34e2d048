-- What each channel knows of an alarm, beside what it should know (docs/specification/notifications.md, Ledger): one row
-- for each channel that a policy chose when the alarm fired.
create table svc_notify_ledger (
  tenant_id bigint not null,
  alarm_id bigint not null,
  notify_id bigint not null,
  channel_id bigint not null,
  message_id bigint not null default 0,
  -- 0 nothing, 1 that the alarm fires, 2 that it is over: as its receiver answered
  known_flag smallint not null default 0 check (known_flag between 0 and 2),
  known_time timestamptz,
  -- Messages about the firing that its receiver took, reminders included.
  fired_count integer not null default 0 check (fired_count >= 0),
  -- The message under way in svc_notify_history; 0: none.
  history_id bigint not null default 0,
  -- Failed deliveries of that message, five tries each.
  failure_count integer not null default 0 check (failure_count >= 0),
  -- Why the channel does not know what it should; empty where nothing is missing.
  reason text not null default '',
  -- When the ledger looks at the row again; null: when the alarm or the delivery changes.
  due_time timestamptz,
  -- The channel knows what it should and nothing follows.
  end_time timestamptz,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  primary key (tenant_id, alarm_id, notify_id, channel_id)
);
create index svc_notify_ledger_due on svc_notify_ledger (due_time) where end_time is null and due_time is not null;
create index svc_notify_ledger_open on svc_notify_ledger (tenant_id, channel_id) where end_time is null;
create index svc_notify_ledger_sending on svc_notify_ledger (tenant_id, history_id) where history_id <> 0;

-- Alarms that fire go on with what was delivered of them so far.
select set_config('svc.tenant_free', 'migration', true);
insert into svc_notify_ledger (tenant_id, alarm_id, notify_id, channel_id, message_id, known_flag, known_time,
  fired_count, history_id, due_time)
select h.tenant_id, h.alarm_id, h.notify_id, h.channel_id, max(h.message_id),
  case when bool_or(h.status_flag = 2) then 1 else 0 end,
  max(h.operate_time) filter (where h.status_flag = 2), count(*) filter (where h.status_flag = 2),
  coalesce(max(h.id) filter (where h.status_flag in (0, 1, 4)), 0), now()
from svc_notify_history h
join svc_entity_alarm a on a.tenant_id = h.tenant_id and a.id = h.alarm_id and a.state_flag = 1
where h.event_flag = 0
group by h.tenant_id, h.alarm_id, h.notify_id, h.channel_id;
call svc_protect('svc_notify_ledger');
