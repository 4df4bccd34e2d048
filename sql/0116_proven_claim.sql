-- A device that proves a key of its own shares its identity with no device of its tenant, and may share it with those
-- of others: its key tells them apart. In clear an identity stays the one of a single device of all tenants.
alter table svc_endpoint_claim add column proven boolean not null default false;
alter table svc_endpoint_claim drop constraint svc_endpoint_claim_driver_code_endpoint_key;
create unique index svc_endpoint_claim_tenant on svc_endpoint_claim (tenant_id, driver_code, endpoint);
create unique index svc_endpoint_claim_clear on svc_endpoint_claim (driver_code, endpoint) where not proven;
