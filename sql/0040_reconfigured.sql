-- An unknown write whose device or point was configured anew: readings since then may be of another place or scaling.
alter table svc_point_command_history add column reconfigured_time timestamptz;
