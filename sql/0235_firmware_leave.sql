--! compatible
-- When the driver of a device was allowed to begin with it; for a minute from then on nothing else ends that.
alter table svc_firmware_update add column allowed_time timestamptz;
