-- Devices that sleep between their reports, and commands that wait until they wake.
alter table svc_entity_state
  -- Validity of a command to a device that sleeps, in milliseconds; 0: the device listens all the time.
  add column command_life_ms integer not null default 0;
alter table svc_point_command_history
  -- When its driver said that it holds the command because the device sleeps.
  add column waiting_time timestamptz;
alter table svc_command_history
  add column waiting_time timestamptz;
