-- The writes of a proposal of several, in their order. A step has a command once its turn has come, and the action has the
-- command of the last such step.
create table svc_action_step (
  tenant_id bigint not null,
  action_id uuid not null,
  step smallint not null check (step between 1 and 20),
  device_id bigint not null,
  point_id bigint not null,
  -- At most one, so no step is sent twice.
  command_id uuid unique,
  -- Why the action stopped before this step, which then has no command.
  refusal text not null default '',
  primary key (tenant_id, action_id, step),
  unique (tenant_id, action_id, device_id, point_id)
);
call svc_protect('svc_action_step');
-- A card names the other proposals for its points.
create index svc_action_step_place on svc_action_step (tenant_id, device_id, point_id);
