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
