-- Firmware: packages, and their roll-outs to devices.
create table svc_firmware_package (
  id bigint generated always as identity primary key,
  package_name text not null,
  package_version text not null,
  size bigint not null check (size between 1 and 16777216),
  -- Of the bytes, in hex.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Where devices can fetch it by themselves; empty: nowhere.
  package_uri text not null default '',
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, package_name, package_version)
);
call svc_protect('svc_firmware_package');
create trigger svc_change after insert or update or delete on svc_firmware_package
  for each row execute function svc_log_change();

-- The bytes of a package in pieces of one size; the last one may be shorter.
create table svc_firmware_chunk (
  tenant_id bigint not null,
  package_id bigint not null,
  chunk integer not null check (chunk >= 0),
  content bytea not null,
  primary key (tenant_id, package_id, chunk)
);
call svc_protect('svc_firmware_chunk');

-- A package on its way to many devices, in waves. What it sends is fixed when it is made.
create table svc_firmware_rollout (
  id bigint generated always as identity primary key,
  rollout_name text not null,
  package_id bigint not null,
  package_name text not null,
  package_version text not null,
  size bigint not null,
  sha256 text not null,
  -- Empty: the bytes are sent to the device.
  package_uri text not null default '',
  wave_size integer not null check (wave_size between 1 and 1000),
  -- Share of the devices of the waves begun, in percent, whose failure stops it.
  failure_percent integer not null check (failure_percent between 1 and 100),
  -- How long one device may take.
  minutes integer not null check (minutes between 1 and 10080),
  status text not null check (status in ('PROPOSED', 'REJECTED', 'RUNNING', 'PAUSED', 'STOPPED', 'DONE')),
  -- Why it stopped, or why it was asked for.
  why text not null default '',
  total integer not null check (total between 1 and 10000),
  -- Waves begun.
  wave integer not null default 0,
  -- A proposal is void then.
  expire_time timestamptz,
  end_time timestamptz,
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
call svc_protect('svc_firmware_rollout');
create index svc_firmware_rollout_list on svc_firmware_rollout (tenant_id, id desc);
create index svc_firmware_rollout_running on svc_firmware_rollout (id) where status = 'RUNNING';
-- The waves it has begun are no change that a person made.
create trigger svc_change after insert or update of status or delete on svc_firmware_rollout
  for each row execute function svc_log_change();

-- One device of a roll-out.
create table svc_firmware_update (
  tenant_id bigint not null,
  rollout_id bigint not null,
  device_id bigint not null,
  update_id uuid not null unique,
  -- In the order in which they begin.
  position integer not null,
  -- 0: not begun.
  wave integer not null default 0,
  status text not null default 'WAITING' check (status in ('PROPOSED', 'WAITING', 'BEGUN', 'SENDING', 'DOWNLOADED', 'UPDATING',
    'VERIFIED', 'FAILED', 'MISMATCH', 'UNKNOWN', 'CANCELLED')),
  sent_bytes bigint not null default 0,
  -- State and Update Result of the device's object 5, as read last.
  object_state smallint,
  update_result smallint,
  version_before text,
  version_now text,
  -- How often the package and the order to install it were sent.
  pushes integer not null default 0,
  executions integer not null default 0,
  message text not null default '',
  begin_time timestamptz,
  -- When its driver is asked again to go on.
  next_time timestamptz,
  -- The last word of the driver.
  heard_time timestamptz,
  due_time timestamptz,
  end_time timestamptz,
  primary key (tenant_id, rollout_id, device_id)
);
call svc_protect('svc_firmware_update');
-- A device gets one firmware at a time.
create unique index svc_firmware_update_open on svc_firmware_update (tenant_id, device_id)
  where end_time is null and status <> 'PROPOSED';
create index svc_firmware_update_next on svc_firmware_update (next_time) where next_time is not null;
create index svc_firmware_update_order on svc_firmware_update (tenant_id, rollout_id, position);
