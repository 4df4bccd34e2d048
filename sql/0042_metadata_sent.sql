-- The version of the last news of a device that went to its driver, to be compared with what the driver has.
alter table svc_device add column metadata_version bigint not null default 0;
