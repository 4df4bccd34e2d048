--! compatible
-- For how long values are kept: a class for all devices of a tenant, and others for the devices of some profiles. Without one
-- nothing is deleted.
create table svc_retention_class (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  class_name text not null,
  -- 1: of all devices whose profile has no class
  default_flag smallint not null default 0 check (default_flag in (0, 1)),
  -- Ids of profiles, as texts.
  profile_ids jsonb not null default '[]',
  -- Whole days of UTC; null: for ever.
  value_days integer check (value_days between 1 and 36500),
  -- Nothing is deleted because of it before then.
  begin_time timestamptz not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, class_name)
);
create unique index svc_retention_class_default on svc_retention_class (tenant_id) where default_flag = 1;
call svc_protect('svc_retention_class');
create trigger svc_change after insert or update or delete on svc_retention_class
  for each row execute function svc_log_change();

-- When the values of a tenant are looked through next, and how many were deleted.
create table svc_retention_run (
  tenant_id bigint primary key,
  due_time timestamptz not null,
  done_time timestamptz,
  value_count bigint not null default 0
);
call svc_protect('svc_retention_run');
