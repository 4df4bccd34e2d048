-- Closed hours: the values of a point of a device in one hour of UTC as one row, lossless, with its statistics.

create table svc_value_hour (
  tenant_id bigint not null,
  device_id bigint not null,
  point_id bigint not null,
  start timestamptz not null,
  -- 0: its values are of several drivers, which the bytes say.
  driver_id bigint not null,
  value_count integer not null check (value_count > 0),
  bad_count integer not null,
  -- What follows is of the numbers that are not bad; milliseconds from the start.
  number_count integer not null,
  lowest double precision,
  highest double precision,
  total double precision,
  first_number double precision,
  last_number double precision,
  -- Of a counter: what came on top of the first number; a lower one than before counts from zero.
  increase double precision,
  first_ms integer,
  last_ms integer,
  -- Of the newest value that is not bad.
  good_time timestamptz,
  -- src/data/history/hour.ts
  hour bytea not null,
  primary key (tenant_id, device_id, point_id, start)
);
alter table svc_value_hour alter column hour set storage external;
-- Hours are added about in order of time: a summary of the blocks is enough, and takes no room.
create index svc_value_hour_start on svc_value_hour using brin (start) with (pages_per_range = 16);
call svc_protect('svc_value_hour');

-- Values of the closed hours by the quarter of an hour in which they were measured, and by their delay.
create table svc_value_delay (
  tenant_id bigint not null,
  start timestamptz not null,
  -- The least delay of the bin: src/data/history/delay.ts
  delay_ms integer not null,
  value_count bigint not null,
  primary key (tenant_id, start, delay_ms)
);
call svc_protect('svc_value_delay');

-- How far the hours of a tenant are closed. Its row is locked while some of them are: one worker at a time.
create table svc_value_closing (
  tenant_id bigint primary key,
  closed_until timestamptz,
  -- The pass under way closes what was measured before it; null between two passes.
  closing_until timestamptz,
  -- Where the pass goes on, in the order of the key of svc_point_value.
  next_device_id bigint not null default 0,
  next_point_id bigint not null default 0,
  next_time timestamptz not null default '-infinity',
  turn_time timestamptz,
  -- When the next hour has to be closed; null: as soon as possible, or never.
  due_time timestamptz
);
call svc_protect('svc_value_closing');
