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
