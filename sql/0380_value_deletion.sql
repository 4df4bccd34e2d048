--! compatible
-- Values that a person deletes: a span of a point of a device, in slices; a process that ends leaves the rest to the next.
create table svc_value_deletion (
  id bigint generated always as identity primary key,
  -- Device, point and span in words, for the change log.
  deletion_name text not null,
  device_id bigint not null,
  point_id bigint not null,
  -- Both included.
  from_time timestamptz not null,
  to_time timestamptz not null check (to_time >= from_time),
  reason text not null,
  -- 0 RUNNING, 1 DONE, 2 STOPPED: a hold came between
  state_flag smallint not null default 0 check (state_flag between 0 and 2),
  value_count bigint not null default 0,
  -- Closed rows that begin before it are done.
  next_time timestamptz not null default '-infinity',
  finish_time timestamptz,
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
create index svc_value_deletion_running on svc_value_deletion (tenant_id, id) where state_flag = 0;
call svc_protect('svc_value_deletion');
create trigger svc_change after insert or update of state_flag or delete on svc_value_deletion
  for each row execute function svc_log_change();

-- What has to be kept, whoever asks and whatever a class says, until it is lifted.
create table svc_retention_hold (
  id bigint generated always as identity primary key,
  hold_name text not null,
  -- 0: of all devices
  device_id bigint not null default 0,
  -- Null: from the first value, and without an end.
  from_time timestamptz,
  to_time timestamptz,
  reason text not null,
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
create index svc_retention_hold_tenant on svc_retention_hold (tenant_id, device_id);
call svc_protect('svc_retention_hold');
create trigger svc_change after insert or update or delete on svc_retention_hold
  for each row execute function svc_log_change();
