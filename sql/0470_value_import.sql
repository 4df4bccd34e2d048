--! compatible
-- Imports of past values, so that one can be taken back as a whole. A value is of an import by its issue and by when it
-- was received: no two imports of a tenant have the same time.
create table svc_value_import (
  id bigint generated always as identity primary key,
  -- How many values of which span, for the change log.
  import_name text not null,
  receive_time timestamptz not null,
  -- Of the values that were sent, both included.
  from_time timestamptz not null,
  to_time timestamptz not null,
  sent_count integer not null,
  -- Those that were new.
  value_count integer not null default 0,
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, receive_time)
);
call svc_protect('svc_value_import');
create trigger svc_change after insert or delete on svc_value_import
  for each row execute function svc_log_change();

-- The points that an import stored values of, until these are taken back.
create table svc_value_import_series (
  tenant_id bigint not null,
  import_id bigint not null,
  device_id bigint not null,
  point_id bigint not null,
  from_time timestamptz not null,
  to_time timestamptz not null,
  -- Closed rows that begin before it are done.
  next_time timestamptz not null default '-infinity',
  primary key (tenant_id, import_id, device_id, point_id)
);
call svc_protect('svc_value_import_series');

-- The deletion of the values of an import: of many points, each in its own span.
alter table svc_value_deletion add column import_id bigint;
create index svc_value_deletion_import on svc_value_deletion (tenant_id, import_id) where import_id is not null;
