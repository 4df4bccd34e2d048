-- What devices say and are told: values by origin time, the latest of each point, commands.

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
  primary key (tenant_id, device_id, point_id, create_time, seq)
) partition by range (create_time);
create table svc_point_value_default partition of svc_point_value default;

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
  primary key (tenant_id, device_id, point_id)
) with (fillfactor = 50);

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
  operate_time timestamptz not null default now()
);
create index svc_point_command_history_tenant on svc_point_command_history (tenant_id, occur_time desc);
create index svc_point_command_history_open on svc_point_command_history (expire_time) where status in (0, 1);

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
  operate_time timestamptz not null default now()
);
create index svc_command_history_tenant on svc_command_history (tenant_id, occur_time desc);
create index svc_command_history_open on svc_command_history (expire_time) where status in (0, 1);

call svc_protect('svc_point_value');
call svc_protect('svc_point_latest');
call svc_protect('svc_point_command_history');
call svc_protect('svc_command_history');
