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
  unique (tenant_id, profile_id, point_code),
  unique (tenant_id, profile_id, point_name)
);

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
  unique (tenant_id, device_code),
  unique (tenant_id, device_name)
);
create index svc_device_driver on svc_device (tenant_id, driver_id);
create index svc_device_profile on svc_device (tenant_id, profile_id);

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
  primary key (tenant_id, entity_type_flag, entity_id)
) with (fillfactor = 50);

call svc_protect('svc_driver');
call svc_protect('svc_driver_attribute');
call svc_protect('svc_point_attribute');
call svc_protect('svc_profile');
call svc_protect('svc_point');
call svc_protect('svc_device');
call svc_protect('svc_driver_attribute_config');
call svc_protect('svc_point_attribute_config');
call svc_protect('svc_command');
call svc_protect('svc_event');
call svc_protect('svc_entity_state');
call svc_protect('svc_command_attribute');
call svc_protect('svc_event_attribute');
call svc_protect('svc_command_param');
call svc_protect('svc_event_param');
call svc_protect('svc_command_attribute_config');
call svc_protect('svc_event_attribute_config');
call svc_protect('svc_group');
call svc_protect('svc_group_bind');
call svc_protect('svc_label');
call svc_protect('svc_label_bind');
