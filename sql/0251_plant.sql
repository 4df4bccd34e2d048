--! baseline
-- What is connected: drivers, profiles, devices, points, their attributes and configs.
create table svc_driver (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  driver_name text not null,
  driver_code text not null,
  service_name text not null default '',
  service_host text not null default '',
  driver_type_flag smallint not null default 0 check (driver_type_flag between 0 and 3),
  driver_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, driver_code),
  unique (tenant_id, driver_name)
);
call svc_protect('svc_driver');

create table svc_driver_attribute (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_name text not null,
  attribute_code text not null,
  attribute_type_flag smallint not null check (attribute_type_flag between 0 and 7),
  default_value text not null default '',
  driver_id bigint not null,
  attribute_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, driver_id, attribute_code)
);
call svc_protect('svc_driver_attribute');

create table svc_point_attribute (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_name text not null,
  attribute_code text not null,
  attribute_type_flag smallint not null check (attribute_type_flag between 0 and 7),
  default_value text not null default '',
  driver_id bigint not null,
  attribute_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, driver_id, attribute_code)
);
call svc_protect('svc_point_attribute');

create table svc_profile (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  profile_name text not null,
  profile_code text not null,
  profile_share_flag smallint not null default 0 check (profile_share_flag between 0 and 2),
  profile_type_flag smallint not null default 2 check (profile_type_flag between 0 and 2),
  profile_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, profile_code),
  unique (tenant_id, profile_name)
);
call svc_protect('svc_profile');

create table svc_point (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  point_name text not null,
  point_code text not null,
  point_type_flag smallint not null check (point_type_flag between 0 and 7),
  rw_flag smallint not null default 0 check (rw_flag between 0 and 2),
  base_value double precision not null default 0,
  multiple double precision not null default 1,
  value_decimal smallint not null default 6 check (value_decimal between 0 and 15),
  min_value double precision,
  max_value double precision,
  unit text not null default '',
  profile_id bigint not null,
  point_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- How far the current value may move before a card is renewed; null: derived from limits and decimals.
  deadband double precision check (deadband >= 0),
  unique (tenant_id, profile_id, point_code),
  unique (tenant_id, profile_id, point_name)
);
create index svc_point_newest on svc_point (tenant_id, create_time desc, id desc);
call svc_protect('svc_point');

create table svc_device (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  device_name text not null,
  device_code text not null,
  driver_id bigint not null,
  profile_id bigint not null,
  device_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- The version of the last news of a device that went to its driver, to be compared with what the driver has.
  metadata_version bigint not null default 0,
  unique (tenant_id, device_code),
  unique (tenant_id, device_name)
);
create index svc_device_driver on svc_device (tenant_id, driver_id);
create index svc_device_profile on svc_device (tenant_id, profile_id);
-- The order of the lists: a page reads its own rows, not those of the tenant.
create index svc_device_newest on svc_device (tenant_id, create_time desc, id desc);
call svc_protect('svc_device');

create table svc_driver_attribute_config (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_id bigint not null,
  config_value text not null,
  config_ext jsonb not null default '{}',
  device_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, device_id, attribute_id)
);
call svc_protect('svc_driver_attribute_config');

create table svc_point_attribute_config (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_id bigint not null,
  config_value text not null,
  config_ext jsonb not null default '{}',
  device_id bigint not null,
  point_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, device_id, point_id, attribute_id)
);
call svc_protect('svc_point_attribute_config');

create table svc_command (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  command_name text not null,
  command_code text not null,
  command_type_flag smallint not null default 0 check (command_type_flag between 0 and 2),
  call_type_flag smallint not null default 1 check (call_type_flag between 0 and 1),
  timeout integer not null default 30,
  command_ext jsonb not null default '{}',
  profile_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, profile_id, command_code),
  unique (tenant_id, profile_id, command_name)
);
call svc_protect('svc_command');

create table svc_event (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  event_name text not null,
  event_code text not null,
  event_type_flag smallint not null default 0 check (event_type_flag between 0 and 3),
  event_level_flag smallint not null default 0 check (event_level_flag between 0 and 3),
  event_ext jsonb not null default '{}',
  profile_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, profile_id, event_code),
  unique (tenant_id, profile_id, event_name)
);
call svc_protect('svc_event');

create table svc_command_attribute (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_name text not null,
  attribute_code text not null,
  attribute_type_flag smallint not null check (attribute_type_flag between 0 and 7),
  default_value text not null default '',
  driver_id bigint not null,
  attribute_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, driver_id, attribute_code)
);
call svc_protect('svc_command_attribute');

create table svc_event_attribute (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_name text not null,
  attribute_code text not null,
  attribute_type_flag smallint not null check (attribute_type_flag between 0 and 7),
  default_value text not null default '',
  driver_id bigint not null,
  attribute_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, driver_id, attribute_code)
);
call svc_protect('svc_event_attribute');

create table svc_command_param (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  param_name text not null,
  param_code text not null,
  param_direction_flag smallint not null default 0 check (param_direction_flag between 0 and 1),
  param_type_flag smallint not null check (param_type_flag between 0 and 7),
  required_flag smallint not null default 0 check (required_flag between 0 and 1),
  default_value text not null default '',
  param_ext jsonb not null default '{}',
  command_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, command_id, param_code)
);
call svc_protect('svc_command_param');

create table svc_event_param (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  param_name text not null,
  param_code text not null,
  param_type_flag smallint not null check (param_type_flag between 0 and 7),
  param_ext jsonb not null default '{}',
  event_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, event_id, param_code)
);
call svc_protect('svc_event_param');

create table svc_command_attribute_config (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_id bigint not null,
  config_value text not null,
  config_ext jsonb not null default '{}',
  device_id bigint not null,
  command_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, device_id, command_id, attribute_id)
);
call svc_protect('svc_command_attribute_config');

create table svc_event_attribute_config (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  attribute_id bigint not null,
  config_value text not null,
  config_ext jsonb not null default '{}',
  device_id bigint not null,
  event_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, device_id, event_id, attribute_id)
);
call svc_protect('svc_event_attribute_config');

-- A tree of groups per kind of entity; an entity is in at most one group of its kind.
create table svc_group (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  entity_type_flag smallint not null check (entity_type_flag between 0 and 8),
  parent_group_id bigint not null default 0,
  group_name text not null,
  group_code text not null,
  group_level smallint not null default 0,
  group_index integer not null default 0,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, entity_type_flag, parent_group_id, group_name)
);
call svc_protect('svc_group');

create table svc_group_bind (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  entity_type_flag smallint not null check (entity_type_flag between 0 and 8),
  group_id bigint not null,
  entity_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, entity_type_flag, entity_id)
);
call svc_protect('svc_group_bind');

create table svc_label (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  entity_type_flag smallint not null check (entity_type_flag between 0 and 8),
  label_name text not null,
  label_code text not null,
  label_color text not null default '#F4F4F5',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, entity_type_flag, label_name)
);
call svc_protect('svc_label');

create table svc_label_bind (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  entity_type_flag smallint not null check (entity_type_flag between 0 and 8),
  label_id bigint not null,
  entity_id bigint not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  signature text not null default '',
  version integer not null default 1,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, entity_type_flag, label_id, entity_id)
);
call svc_protect('svc_label_bind');

-- Lease of a driver (entity type 3) or device (6): alive until expire_time.
create table svc_entity_state (
  tenant_id bigint not null,
  entity_type_flag smallint not null check (entity_type_flag between 0 and 8),
  entity_id bigint not null,
  parent_entity_id bigint not null default 0,
  entity_state_flag smallint not null default 1 check (entity_state_flag between 0 and 3),
  last_state_flag smallint not null default 1 check (last_state_flag between 0 and 3),
  lease_version bigint not null default 0,
  expire_time timestamptz not null,
  last_heartbeat_time timestamptz not null,
  description text not null default '',
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  -- The driver node that serves a device: only what that node says of the device counts, and commands go to it.
  -- Empty: no node; a driver with several copies asks for it.
  node text not null default '',
  -- When the device registered at the node; null where any copy of the driver can serve it.
  claim_time timestamptz,
  -- Null: never.
  last_online_time timestamptz,
  -- Null while online; a lease that ends says so by itself (expire_time).
  offline_since timestamptz,
  -- Where a device that registers answers from, without the port: a copy of its driver that did not know
  -- the address before cannot see that it is another one.
  -- Empty while the device is not registered, and for drivers whose devices do not register.
  peer_host text not null default '',
  -- The claim of the name under which it registered there.
  peer_claim bigint not null default 0,
  -- The last change of the address: {"id", "from", "to", "at"}.
  peer_change jsonb,
  -- A lease that ends changes no row by itself: the scan for outages marks it, the next heartbeat takes the mark away.
  lapsed boolean not null default false,
  -- Null while it is not online; heartbeats do not move it.
  online_since timestamptz,
  -- What its driver says of the last read; empty: it was answered, or nothing was read.
  read_issue text not null default '',
  -- Validity of a command to a device that sleeps, in milliseconds; 0: the device listens all the time.
  command_life_ms integer not null default 0,
  primary key (tenant_id, entity_type_flag, entity_id)
) with (fillfactor = 50);
create index svc_entity_state_node on svc_entity_state (expire_time) where node <> '' and claim_time is null;
call svc_protect('svc_entity_state');

-- The device that an identity belongs to, where its driver declares an attribute to be one (an
-- endpoint name, say): the drivers of all tenants share one name space, so the index spans them while
-- row-level security shows each tenant its own rows only. `id` grows with every claim.
create table svc_endpoint_claim (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  driver_code text not null,
  endpoint text not null check (char_length(endpoint) between 1 and 255),
  device_id bigint not null,
  config_id bigint not null,
  create_time timestamptz not null default now(),
  -- The reference of the alarm about this name that a person confirmed last; the driver is sent it.
  acknowledged_change text not null default '',
  -- A device that proves a key of its own shares its identity with no device of its tenant, and may share it with those
  -- of others: its key tells them apart. In clear an identity stays the one of a single device of all tenants.
  proven boolean not null default false
);
create index svc_endpoint_claim_device on svc_endpoint_claim (tenant_id, device_id);
create unique index svc_endpoint_claim_tenant on svc_endpoint_claim (tenant_id, driver_code, endpoint);
create unique index svc_endpoint_claim_clear on svc_endpoint_claim (driver_code, endpoint) where not proven;
call svc_protect('svc_endpoint_claim');

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
create unique index svc_device_import_running on svc_device_import (tenant_id) where status = 'RUNNING';
create index svc_device_import_list on svc_device_import (tenant_id, id desc);
call svc_protect('svc_device_import');

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

-- What a device said of itself when it registered at its driver, the newest word of each device.
create table svc_device_registration (
  tenant_id bigint not null,
  device_id bigint not null,
  endpoint text not null check (char_length(endpoint) between 1 and 255),
  -- Of the protocol.
  version text not null,
  -- When the device registered these objects.
  register_time timestamptz not null,
  -- Paths of the objects and their instances, separated by blanks: "3/0 3303/0".
  objects text not null,
  -- Objects beyond the limit of a registration.
  left_out integer not null check (left_out >= 0),
  primary key (tenant_id, device_id)
);
call svc_protect('svc_device_registration');

-- Endpoints that drivers refused because no device has them. The row is of the tenant that may see it: the one whose
-- key the endpoint proved or to which it was assigned, else the platform tenant.
create table svc_waiting_endpoint (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  driver_code text not null,
  endpoint text not null check (char_length(endpoint) between 1 and 255),
  -- The device whose key it proved; 0: none.
  key_device_id bigint not null default 0,
  -- By an administrator of the platform tenant.
  assigned boolean not null default false,
  -- Address of its last attempt, without the port.
  host text not null,
  since_time timestamptz not null,
  last_time timestamptz not null,
  -- From since_time on, by the driver's count.
  attempts integer not null,
  unique (driver_code, endpoint, key_device_id)
);
create index svc_waiting_endpoint_list on svc_waiting_endpoint (tenant_id, last_time desc, id desc);
call svc_protect('svc_waiting_endpoint');

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
  -- What a device answers at /3/0/1 that it is for; empty: not said.
  package_model text not null default '',
  unique (tenant_id, package_name, package_version)
);
call svc_protect('svc_firmware_package');

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
  operate_time timestamptz not null default now(),
  -- Of the proposal, which becomes a roll-out once it is confirmed; null for a roll-out that a person began directly.
  action_id uuid,
  -- Whose switches hold it: principal and client of the proposal.
  proposer_id bigint not null default 0,
  client_id text not null default '',
  -- Why it begins no more devices now; empty: it goes on.
  held text not null default ''
);
create index svc_firmware_rollout_list on svc_firmware_rollout (tenant_id, id desc);
create index svc_firmware_rollout_running on svc_firmware_rollout (id) where status = 'RUNNING';
create unique index svc_firmware_rollout_action on svc_firmware_rollout (tenant_id, action_id) where action_id is not null;
call svc_protect('svc_firmware_rollout');

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
  next_time timestamptz,
  -- The last word of the driver.
  heard_time timestamptz,
  due_time timestamptz,
  end_time timestamptz,
  -- Driver, endpoint and keys with which the device was chosen; secrets as keyed hashes.
  target jsonb not null default '{}',
  -- Why it was not begun.
  code text not null default '',
  -- What came of the last order to the device; SENT: it may be at work on it.
  answer text not null default 'NONE' check (answer in ('NONE', 'SENT', 'ACCEPTED', 'REFUSED')),
  -- Mark of the driver for the registration under which the device got that order.
  session text not null default '',
  -- Update Result of the device before that order, or 0 since it was reset; null: not known.
  result_before smallint,
  -- As what it ended (end_time), where what the device said later corrected it.
  ended_as text check (ended_as in ('UNKNOWN', 'MISMATCH')),
  correction text not null default '',
  corrected_time timestamptz,
  -- When the driver of a device was allowed to begin with it; for a minute from then on nothing else ends that.
  allowed_time timestamptz,
  primary key (tenant_id, rollout_id, device_id)
);
-- A device gets one firmware at a time.
create unique index svc_firmware_update_open on svc_firmware_update (tenant_id, device_id)
  where end_time is null and status <> 'PROPOSED';
create index svc_firmware_update_next on svc_firmware_update (next_time) where next_time is not null;
create index svc_firmware_update_order on svc_firmware_update (tenant_id, rollout_id, position);
create index svc_firmware_update_device on svc_firmware_update (tenant_id, device_id, begin_time);
call svc_protect('svc_firmware_update');
comment on column svc_firmware_update.next_time is
  'When its driver is asked again: to go on, or what became of an update that ended without certainty';
