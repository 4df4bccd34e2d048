-- Times that lie ahead, episodes of alarms, and since when a device is away.

-- The time that a sender claimed when it lies too far ahead; create_time (occur_time) is the reception then.
alter table svc_point_value add column claimed_time timestamptz;
alter table svc_point_latest add column claimed_time timestamptz;
alter table svc_event_history add column claimed_time timestamptz;

-- With last_fact_time: two values of one millisecond are two facts.
alter table svc_rule_state add column last_fact_seq bigint not null default 0;

alter table svc_entity_state
  -- Null: never.
  add column last_online_time timestamptz,
  -- Null while online; a lease that ends says so by itself (expire_time).
  add column offline_since timestamptz;

alter table svc_entity_alarm
  -- The episode that raised the alarm: 1 firing, 2 recovered, 3 closed; null where nothing watches.
  add column state_flag smallint check (state_flag between 1 and 3),
  add column first_trigger_time timestamptz,
  add column last_trigger_time timestamptz,
  add column last_recover_time timestamptz,
  add column last_notify_time timestamptz,
  add column trigger_count bigint not null default 0,
  -- What the rule demanded when it fired.
  add column condition text not null default '',
  -- Why the episode ended without a recovery.
  add column end_reason text not null default '';

-- What is known of the rows that are there.
select set_config('svc.tenant_free', 'migration', true);
-- 1: OFFLINE
update svc_entity_state set last_online_time = last_heartbeat_time
where entity_state_flag <> 1 or last_state_flag <> 1;
update svc_entity_state set offline_since = operate_time
where entity_state_flag = 1 and last_state_flag <> 1;
update svc_entity_alarm a set state_flag = s.entity_state_flag,
  first_trigger_time = s.first_trigger_time, last_trigger_time = s.last_trigger_time,
  last_recover_time = case when s.entity_state_flag = 1 then null else s.last_recover_time end,
  last_notify_time = s.last_notify_time, trigger_count = 1
from svc_rule_state s
where s.tenant_id = a.tenant_id and s.id = a.rule_state_id and s.alarm_id = a.id
  and s.entity_state_flag <> 0;
-- A later episode of the rule has begun, or the rule was changed: this one is over.
update svc_entity_alarm a set state_flag = case when a.confirm_flag = 1 then 3 else 2 end,
  first_trigger_time = a.create_time, trigger_count = 1
where a.state_flag is null and exists (select from svc_rule_state s
  where s.tenant_id = a.tenant_id and s.id = a.rule_state_id);
update svc_entity_alarm a set state_flag = 3, first_trigger_time = a.create_time, trigger_count = 1,
  end_reason = 'RULE_CHANGED'
where a.state_flag is null and a.rule_state_id <> 0;
select set_config('svc.tenant_free', '', true);

drop index svc_entity_alarm_open;
-- What is open is little beside what was: found without reading the rest.
create index svc_entity_alarm_open on svc_entity_alarm (tenant_id, rule_id, id)
  where confirm_flag = 0 or state_flag = 1;
