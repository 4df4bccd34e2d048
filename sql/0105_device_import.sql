-- Imports of tables of devices: applied in slices, a transaction each, so that a crash leaves whole slices.
create table svc_device_import (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  import_id uuid not null unique,
  driver_id bigint not null,
  profile_id bigint not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'DONE', 'CANCELLED', 'FAILED')),
  -- Why it failed.
  why text not null default '',
  total integer not null check (total >= 0),
  added integer not null default 0,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  creator_id bigint not null,
  creator_name text not null,
  create_time timestamptz not null,
  end_time timestamptz,
  check (added + changed + unchanged + refused <= total)
);
call svc_protect('svc_device_import');
create unique index svc_device_import_running on svc_device_import (tenant_id) where status = 'RUNNING';
create index svc_device_import_list on svc_device_import (tenant_id, id desc);

-- Rows that are not applied yet.
create table svc_device_import_slice (
  tenant_id bigint not null,
  import_id uuid not null,
  slice integer not null,
  -- JSON; as text, which keeps what a cell contains.
  content text not null,
  primary key (tenant_id, import_id, slice)
);
call svc_protect('svc_device_import_slice');

-- Rows that were refused, for the report.
create table svc_device_import_refusal (
  tenant_id bigint not null,
  import_id uuid not null,
  row_number integer not null,
  device_name text not null,
  column_title text not null,
  reason text not null,
  primary key (tenant_id, import_id, row_number)
);
call svc_protect('svc_device_import_refusal');
