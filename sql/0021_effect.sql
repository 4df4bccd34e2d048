-- What the write was checked to do (src/bus/effect.ts); null for reads.
alter table svc_point_command_history add column effect_digest text;

-- How far the current value may move before a card is renewed; null: derived from limits and decimals.
alter table svc_point add column deadband double precision check (deadband >= 0);

-- Every card names the other writes of its point.
create index svc_action_place on svc_action (tenant_id, device_id, point_id) where status = 0;
create index svc_point_command_history_place
  on svc_point_command_history (tenant_id, device_id, point_id, id desc) where type = 2;
