--! compatible
-- For how long alarms that are over, notifications, events of devices and conversations are kept: the class of all devices
-- says so. Without days nothing is deleted.
alter table svc_retention_class
  add column alarm_days integer check (alarm_days between 1 and 36500),
  add column notification_days integer check (notification_days between 1 and 36500),
  add column event_days integer check (event_days between 1 and 36500),
  add column conversation_days integer check (conversation_days between 1 and 36500),
  add check (default_flag = 1
    or coalesce(alarm_days, notification_days, event_days, conversation_days) is null);
