-- Drivers ignore what is older than what they know; and values that were not stored are counted.

create sequence svc_metadata_version;
grant usage on sequence svc_metadata_version to svc_app;

-- Values that a driver reported and that were not stored, by reason.
create table svc_value_refusal (
  tenant_id bigint not null,
  driver_code text not null,
  reason text not null check (reason in ('UNKNOWN_POINT', 'OTHER_DRIVER')),
  refused bigint not null default 0,
  -- The last one.
  device_id bigint not null,
  point_id bigint not null,
  first_time timestamptz not null,
  last_time timestamptz not null,
  primary key (tenant_id, driver_code, reason)
);
call svc_protect('svc_value_refusal');
