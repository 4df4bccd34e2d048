--! baseline
-- What devices send and are sent: values by origin time, the latest of each point, commands.

-- Drivers ignore metadata that is older than what they have.
create sequence svc_metadata_version;
grant usage on sequence svc_metadata_version to svc_app;

create table svc_point_value (
  tenant_id bigint not null,
  device_id bigint not null,
  point_id bigint not null,
  driver_id bigint not null,
  -- Origin time at the device.
  create_time timestamptz not null,
  seq bigint not null default 0,
  raw_value text not null,
  cal_value text not null,
  num_value double precision,
  -- 0 good, 1 uncertain, 2 bad
  quality smallint not null default 0 check (quality between 0 and 2),
  receive_time timestamptz not null,
  -- The time that a sender claimed when it lies too far ahead; create_time is the reception then.
  claimed_time timestamptz,
  -- Why a point has no value, or why its value is in doubt, in the words of its driver.
  issue text,
  primary key (tenant_id, device_id, point_id, create_time, seq)
) partition by range (create_time);
create table svc_point_value_default partition of svc_point_value default;
call svc_protect('svc_point_value');

-- Weekly partitions from the week before `at` to eight weeks after it; what exists is left alone.
create function svc_maintain_partitions(at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  week timestamp := date_trunc('week', at at time zone 'UTC') - interval '1 week';
  name text;
begin
  for i in 0..9 loop
    name := 'svc_point_value_' || to_char(week, 'IYYY"w"IW');
    if to_regclass(name) is null then
      begin
        execute format('create table %I partition of svc_point_value for values from (%L) to (%L)',
          name, week at time zone 'UTC', (week + interval '1 week') at time zone 'UTC');
      exception
        -- Rows of that week already lie in the default partition, or another process was first.
        when check_violation or duplicate_table then null;
      end;
    end if;
    week := week + interval '1 week';
  end loop;
end $$;
revoke execute on function svc_maintain_partitions(timestamptz) from public;
grant execute on function svc_maintain_partitions(timestamptz) to svc_app;

create table svc_point_latest (
  tenant_id bigint not null,
  device_id bigint not null,
  point_id bigint not null,
  driver_id bigint not null,
  create_time timestamptz not null,
  seq bigint not null default 0,
  raw_value text not null,
  cal_value text not null,
  num_value double precision,
  quality smallint not null default 0,
  receive_time timestamptz not null,
  claimed_time timestamptz,
  issue text,
  primary key (tenant_id, device_id, point_id)
) with (fillfactor = 50);
call svc_protect('svc_point_latest');

create table svc_point_command_history (
  id bigint generated always as identity primary key,
  command_id uuid not null unique,
  tenant_id bigint not null,
  type smallint not null check (type between 0 and 4),
  device_id bigint not null,
  point_id bigint not null,
  request_value text,
  response_value text,
  -- 0 PENDING 1 SENT 2 SUCCESS 3 FAILED 4 TIMEOUT 5 EXPIRED 6 DEAD 7 DUPLICATE 8 UNKNOWN
  status smallint not null default 0 check (status between 0 and 8),
  -- 0 NONE 1 VERIFIED 2 MISMATCH 3 UNVERIFIED
  verification smallint not null default 0 check (verification between 0 and 3),
  read_back_value text,
  error_code text not null default '',
  error_message text not null default '',
  -- 0 HTTP 1 GRPC 2 AGENTIC 3 SCHEDULED
  source smallint not null default 0 check (source between 0 and 3),
  source_user_id bigint not null default 0,
  action_id uuid,
  occur_time timestamptz not null,
  send_time timestamptz,
  finish_time timestamptz,
  expire_time timestamptz not null,
  schema_version smallint not null default 1,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  -- A write that ended UNKNOWN stays open to evidence: a reading after it was sent.
  -- What the point held when the write was sent, where that was known and good.
  before_value text,
  -- The reading that bears on an unknown write, with the time it was taken.
  seen_value text,
  seen_time timestamptz,
  -- When a reading proved it: until then it was UNKNOWN, and error_code says why.
  settled_time timestamptz,
  -- Set early where a later write to the point ended what readings can say.
  open_until timestamptz,
  -- How far the readings of the point were looked through for this write.
  looked_time timestamptz,
  -- What was seen is news for the action this write belongs to.
  seen_news boolean not null default false,
  -- What the write was checked to do (src/bus/effect.ts); null for reads.
  effect_digest text,
  -- An unknown write whose device or point was configured anew: readings since then may be of another place or scaling.
  reconfigured_time timestamptz,
  -- What the point was when a command for it was issued. The command is judged and shown by that, also after the
  -- point was changed or deleted; null for commands that had ended before.
  point_type_flag smallint,
  value_decimal smallint,
  point_unit text,
  -- When its driver said that it holds the command because the device sleeps.
  waiting_time timestamptz
);
create index svc_point_command_history_tenant on svc_point_command_history (tenant_id, occur_time desc);
create index svc_point_command_history_open on svc_point_command_history (expire_time) where status in (0, 1);
create index svc_point_command_history_doubt on svc_point_command_history (send_time)
  where type = 2 and status in (4, 6, 7, 8);
create index svc_point_command_history_news on svc_point_command_history (id) where seen_news;
-- Whether a later write to the same point took over what readings say.
create index svc_point_command_history_point
  on svc_point_command_history (tenant_id, device_id, point_id, send_time) where type = 2;
create index svc_point_command_history_place
  on svc_point_command_history (tenant_id, device_id, point_id, id desc) where type = 2;
call svc_protect('svc_point_command_history');

-- Calls of the custom commands that profiles define.
create table svc_command_history (
  id bigint generated always as identity primary key,
  record_id uuid not null unique,
  tenant_id bigint not null,
  device_id bigint not null,
  command_id bigint not null,
  command_code text not null,
  param_values jsonb not null default '{}',
  result_values jsonb not null default '{}',
  config_snapshot jsonb not null default '{}',
  -- The states of svc_point_command_history.
  status smallint not null default 0 check (status between 0 and 8),
  error_code text not null default '',
  error_message text not null default '',
  -- 0 HTTP 1 GRPC 2 AGENTIC
  source smallint not null default 0 check (source between 0 and 2),
  source_user_id bigint not null default 0,
  occur_time timestamptz not null,
  send_time timestamptz,
  finish_time timestamptz,
  expire_time timestamptz not null,
  schema_version smallint not null default 1,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  waiting_time timestamptz
);
create index svc_command_history_tenant on svc_command_history (tenant_id, occur_time desc);
create index svc_command_history_open on svc_command_history (expire_time) where status in (0, 1);
call svc_protect('svc_command_history');

-- What the platform could not hear is not silence: since when it hears what drivers say of their devices
-- (kind state) and report of their points (kind value). Of all tenants, as the bus is.
create table svc_listening (
  kind text primary key,
  -- The last time that a consumer could take a message and store it.
  alive_time timestamptz not null,
  -- Since when that was so without a break.
  since_time timestamptz not null,
  -- Set while it is not so: leases are judged as of then.
  paused_time timestamptz
);
alter table svc_listening enable row level security, force row level security;
create policy global_read on svc_listening for select using (true);
create policy platform_write on svc_listening
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, update on svc_listening to svc_app;

-- Messages of the in-process bus that no consumer could take, for a replay. Of all tenants: for the
-- operators of the platform only.
create table svc_dead_letter (
  id bigint generated always as identity primary key,
  topic text not null,
  queue text not null,
  key text not null,
  message_id text not null,
  reason text not null,
  payload text not null,
  create_time timestamptz not null
);
alter table svc_dead_letter enable row level security, force row level security;
create policy platform_only on svc_dead_letter
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, delete on svc_dead_letter to svc_app;

-- Values that a driver reported and that were not stored, by reason.
create table svc_value_refusal (
  tenant_id bigint not null,
  driver_code text not null,
  reason text not null check (reason in ('UNKNOWN_POINT', 'OTHER_DRIVER')),
  refused bigint not null default 0,
  -- The last one.
  device_id bigint not null,
  point_id bigint not null,
  first_time timestamptz not null,
  last_time timestamptz not null,
  primary key (tenant_id, driver_code, reason)
);
call svc_protect('svc_value_refusal');
