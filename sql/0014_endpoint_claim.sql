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
  unique (driver_code, endpoint)
);
create index svc_endpoint_claim_device on svc_endpoint_claim (tenant_id, device_id);
call svc_protect('svc_endpoint_claim');

-- What was configured before there were claims: the oldest configuration of a name has it.
set local svc.tenant_free = 'seed';
update svc_driver_attribute a set attribute_ext = attribute_ext || '{"identity": true}'
  from svc_driver d
  where d.tenant_id = a.tenant_id and d.id = a.driver_id and a.creator_id = 0
    and d.driver_code = 'Lwm2mDriver' and a.attribute_code = 'endpoint';
insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id)
  select distinct on (c.config_value) c.tenant_id, d.driver_code, c.config_value, c.device_id, c.id
  from svc_driver_attribute_config c
  join svc_driver_attribute a on a.tenant_id = c.tenant_id and a.id = c.attribute_id
  join svc_driver d on d.tenant_id = a.tenant_id and d.id = a.driver_id
  where d.driver_code = 'Lwm2mDriver' and a.attribute_code = 'endpoint' and a.creator_id = 0
    and char_length(c.config_value) between 1 and 255
  order by c.config_value, c.id;
set local svc.tenant_free = '';
