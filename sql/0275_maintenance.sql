--! compatible
-- Times in which places are worked on: alarms there are raised and kept (docs/specification/alarms.md, Maintenance).
create table svc_maintenance (
  id bigint generated always as identity primary key,
  maintenance_name text not null,
  -- 0 PLANT, 1 DRIVER, 2 GROUP, 3 LABEL, 4 DEVICE
  scope_flag smallint not null check (scope_flag between 0 and 4),
  -- Ids of the kind that the scope names, as texts; none for the plant.
  entity_ids jsonb not null default '[]',
  -- 0 MUTE: no messages, 1 MARK: messages say it
  mode_flag smallint not null default 0 check (mode_flag in (0, 1)),
  owner text not null default '',
  reason text not null default '',
  begin_time timestamptz not null,
  end_time timestamptz not null check (end_time >= begin_time),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
create index svc_maintenance_end on svc_maintenance (tenant_id, end_time);
call svc_protect('svc_maintenance');
