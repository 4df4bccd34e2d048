-- Why a point has no value, or why its value is in doubt, in the words of its driver.
alter table svc_point_value add column issue text;
alter table svc_point_latest add column issue text;

-- The reference of the alarm about this name that a person confirmed last; the driver is sent it.
alter table svc_endpoint_claim add column acknowledged_change text not null default '';
