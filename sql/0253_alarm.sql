--! baseline
-- What devices report, what rules make of it, the alarms, and who is notified.
-- Ids of other tables are links only: no foreign keys (docs/specification/alarms.md, Alarm rules 1).
create table svc_event_history (
  id bigint generated always as identity primary key,
  record_id uuid not null,
  tenant_id bigint not null,
  device_id bigint not null,
  event_id bigint not null default 0,
  event_code text not null default '',
  -- 0 info, 1 alert, 2 fault, 3 lifecycle
  event_type_flag smallint not null default 0 check (event_type_flag between 0 and 3),
  -- 0 LOW, 1 MEDIUM, 2 HIGH, 3 CRITICAL
  event_level_flag smallint not null default 0 check (event_level_flag between 0 and 3),
  param_values jsonb not null default '{}',
  config_snapshot jsonb not null default '{}',
  message text not null default '',
  occur_time timestamptz not null,
  receive_time timestamptz not null default now(),
  acknowledge_flag smallint not null default 0 check (acknowledge_flag in (0, 1)),
  acknowledge_time timestamptz,
  acknowledge_user_id bigint not null default 0,
  schema_version smallint not null default 1,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  -- The time that a sender claimed when it lies too far ahead; occur_time is the reception then.
  claimed_time timestamptz,
  unique (tenant_id, record_id)
);
create index svc_event_history_tenant on svc_event_history (tenant_id, occur_time desc);
call svc_protect('svc_event_history');

create table svc_entity_alarm (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  -- 0 POINT, 1 DEVICE, 2 DRIVER, 3 EVENT
  alarm_target_type_flag smallint not null check (alarm_target_type_flag between 0 and 3),
  entity_id bigint not null,
  driver_id bigint not null default 0,
  device_id bigint not null default 0,
  point_id bigint not null default 0,
  rule_id bigint not null default 0,
  rule_state_id bigint not null default 0,
  -- 0 RULE, 1 OFFLINE, 2 FAULT, 3 STATE_FLIP, 4 REPORT
  alarm_type_flag smallint not null check (alarm_type_flag between 0 and 4),
  -- 0 RULE, 1 STATE_TIMEOUT, 2 DEVICE_REPORT, 3 DRIVER_REPORT, 4 SYSTEM, 5 EVENT_REPORT
  alarm_source_flag smallint not null check (alarm_source_flag between 0 and 5),
  -- P0 (highest) to P3
  alarm_level_flag smallint not null default 2 check (alarm_level_flag between 0 and 3),
  message text not null default '',
  alarm_ext jsonb not null default '{}',
  confirm_flag smallint not null default 0 check (confirm_flag in (0, 1)),
  confirm_time timestamptz,
  confirm_user_id bigint not null default 0,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  -- The episode that raised the alarm: 1 firing, 2 recovered, 3 closed; null where nothing watches.
  state_flag smallint check (state_flag between 1 and 3),
  first_trigger_time timestamptz,
  last_trigger_time timestamptz,
  last_recover_time timestamptz,
  last_notify_time timestamptz,
  trigger_count bigint not null default 0,
  -- What the rule demanded when it fired.
  condition text not null default '',
  -- Why the episode ended without a recovery.
  end_reason text not null default '',
  -- The name of the person who confirmed an alarm, as it was then.
  confirm_user_name text,
  -- Alarms in the order in which they need attention, so that a page of 10,000,000 alarms reads its own rows: what fires (8 for
  -- P0 to 5), what waits for a confirmation (4 to 1), and the rest (0 to -3). A column and no indexed expression: below
  -- row-level security an index is searched by leakproof comparisons only.
  urgency integer not null generated always as
    (case when state_flag = 1 then 8 when confirm_flag = 0 then 4 else 0 end - alarm_level_flag) stored,
  -- What the person that confirmed an alarm had to say about it.
  confirm_note text not null default ''
);
create index svc_entity_alarm_tenant on svc_entity_alarm (tenant_id, create_time desc, id desc);
-- What is open is little beside what was: found without reading the rest.
create index svc_entity_alarm_open on svc_entity_alarm (tenant_id, rule_id, id)
  where confirm_flag = 0 or state_flag = 1;
create index svc_entity_alarm_urgency on svc_entity_alarm (tenant_id, urgency, create_time desc, id desc);
create index svc_entity_alarm_device on svc_entity_alarm (tenant_id, device_id, urgency, create_time desc, id desc);
-- One rule at one place.
create index svc_entity_alarm_place on svc_entity_alarm
  (tenant_id, device_id, entity_id, rule_id, urgency, create_time, id);
-- Alarms without a rule that recovered, as outages do: a handover names the devices that came back.
create index svc_entity_alarm_outage on svc_entity_alarm (tenant_id, last_recover_time)
  where rule_id = 0 and last_recover_time is not null;
-- Alarms of one device over a time, newest first: what a trend marks.
create index svc_entity_alarm_when on svc_entity_alarm (tenant_id, device_id, create_time desc, id desc);
call svc_protect('svc_entity_alarm');

create table svc_rule (
  id bigint generated always as identity primary key,
  alarm_target_type_flag smallint not null check (alarm_target_type_flag between 0 and 3),
  rule_name text not null,
  rule_code text not null default '',
  -- 0: every entity of the kind in the tenant.
  entity_id bigint not null default 0,
  notify_id bigint not null default 0,
  message_id bigint not null default 0,
  rule_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, rule_name)
);
create unique index svc_rule_code on svc_rule (tenant_id, rule_code) where rule_code <> '';
create index svc_rule_entity on svc_rule (tenant_id, alarm_target_type_flag, entity_id);
call svc_protect('svc_rule');

create table svc_rule_state (
  id bigint generated always as identity primary key,
  -- 0: the state of an outage, which needs no rule.
  rule_id bigint not null default 0,
  alarm_target_type_flag smallint not null check (alarm_target_type_flag between 0 and 3),
  entity_id bigint not null,
  -- Devices of one profile share its points, so a state belongs to a device too.
  device_id bigint not null default 0,
  fingerprint text not null,
  -- 0 pending, 1 firing, 2 recovered, 3 closed
  entity_state_flag smallint not null default 0 check (entity_state_flag between 0 and 3),
  first_trigger_time timestamptz,
  last_trigger_time timestamptz,
  last_recover_time timestamptz,
  last_notify_time timestamptz,
  trigger_count bigint not null default 0,
  alarm_id bigint not null default 0,
  -- Since when the condition, or after firing its recovery, holds without a break (origin time).
  holding_since timestamptz,
  -- Origin time of the newest fact seen; older ones neither fire nor clear.
  last_fact_time timestamptz,
  entity_state_ext jsonb not null default '{}',
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- With last_fact_time: two values of one millisecond are two facts.
  last_fact_seq bigint not null default 0,
  -- Until when the notifications of one rule at one place, or of one outage, are held back by a person.
  silenced_until timestamptz,
  silenced_by text not null default '',
  silence_reason text not null default '',
  unique (tenant_id, fingerprint)
);
create index svc_rule_state_rule on svc_rule_state (tenant_id, rule_id, entity_id);
create index svc_rule_state_open on svc_rule_state (holding_since) where entity_state_flag in (0, 1);
create index svc_rule_state_alarm on svc_rule_state (tenant_id, alarm_id);
create index svc_rule_state_live
  on svc_rule_state (tenant_id, operate_time desc) where entity_state_flag in (0, 1);
create index svc_rule_state_silenced on svc_rule_state (silenced_until) where silenced_until is not null;
call svc_protect('svc_rule_state');

create table svc_notify (
  id bigint generated always as identity primary key,
  notify_name text not null,
  notify_code text not null default '',
  -- 0 AUTO, 1 MANUAL
  auto_confirm_flag smallint not null default 1 check (auto_confirm_flag between 0 and 1),
  -- Milliseconds between two notifications of one rule state.
  notify_interval bigint not null default 0 check (notify_interval >= 0),
  notify_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, notify_name)
);
create unique index svc_notify_code on svc_notify (tenant_id, notify_code) where notify_code <> '';
call svc_protect('svc_notify');

create table svc_notify_channel (
  id bigint generated always as identity primary key,
  channel_name text not null,
  channel_code text not null default '',
  -- 0 email, 1 SMS, 2 webhook
  channel_type_flag smallint not null check (channel_type_flag between 0 and 2),
  -- Where it goes: mailbox, number or address.
  target text not null default '',
  credential_ref text not null default '',
  -- AES-256-GCM, bound to tenant and row
  credential text not null default '',
  channel_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, channel_name)
);
create unique index svc_notify_channel_code on svc_notify_channel (tenant_id, channel_code) where channel_code <> '';
call svc_protect('svc_notify_channel');

create table svc_notify_channel_bind (
  id bigint generated always as identity primary key,
  notify_id bigint not null,
  channel_id bigint not null,
  bind_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, notify_id, channel_id)
);
create index svc_notify_channel_bind_channel on svc_notify_channel_bind (tenant_id, channel_id);
call svc_protect('svc_notify_channel_bind');

-- What a notification says; svc_message has the lines of conversations (docs/specification/settled.md).
create table svc_message_template (
  id bigint generated always as identity primary key,
  message_name text not null,
  message_code text not null default '',
  -- P0 (highest) to P3
  message_level smallint not null default 2 check (message_level between 0 and 3),
  message_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, message_name)
);
create unique index svc_message_template_code on svc_message_template (tenant_id, message_code) where message_code <> '';
call svc_protect('svc_message_template');

-- The outbox and the audit of notifications in one: rows are only ever moved on.
create table svc_notify_history (
  id bigint generated always as identity primary key,
  rule_id bigint not null default 0,
  notify_id bigint not null default 0,
  message_id bigint not null default 0,
  channel_id bigint not null,
  alarm_id bigint not null,
  channel_type_flag smallint not null check (channel_type_flag between 0 and 2),
  target text not null default '',
  -- 0 pending, 1 sent, 2 success, 3 failed, 4 retry
  status_flag smallint not null default 0 check (status_flag between 0 and 4),
  request_ext jsonb not null default '{}',
  response_ext jsonb not null default '{}',
  error_message text not null default '',
  retry_count integer not null default 0 check (retry_count >= 0),
  next_try_time timestamptz,
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- The same at every try, and never that of another installation: receivers drop what they have got.
  delivery_id uuid not null default gen_random_uuid(),
  -- 0: an alarm without a state.
  rule_state_id bigint not null default 0,
  -- 0 FIRED, 1 RECOVERED
  event_flag smallint not null default 0 check (event_flag in (0, 1))
);
create index svc_notify_history_tenant on svc_notify_history (tenant_id, create_time desc);
create index svc_notify_history_alarm on svc_notify_history (tenant_id, alarm_id);
create index svc_notify_history_open on svc_notify_history (next_try_time) where status_flag in (0, 1, 4);
create index svc_notify_history_state
  on svc_notify_history (tenant_id, rule_state_id, channel_id, create_time desc);
create index svc_notify_history_waiting
  on svc_notify_history (tenant_id, next_try_time) where status_flag in (0, 1, 4);
-- How much waits for one channel is counted without what waits for the others.
create index svc_notify_history_channel
  on svc_notify_history (tenant_id, channel_id) where status_flag in (0, 1, 4);
call svc_protect('svc_notify_history');
