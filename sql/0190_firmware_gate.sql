-- A proposal of firmware is an action; a roll-out exists once that is confirmed.
alter table svc_firmware_rollout
  -- Of the proposal; null for a roll-out that a person began directly.
  add column action_id uuid,
  -- Whose switches hold it: principal and client of the proposal.
  add column proposer_id bigint not null default 0,
  add column client_id text not null default '',
  -- Why it begins no more devices now; empty: it goes on.
  add column held text not null default '';
create unique index svc_firmware_rollout_action on svc_firmware_rollout (tenant_id, action_id) where action_id is not null;

alter table svc_firmware_update
  -- Driver, endpoint and keys with which the device was chosen; secrets as keyed hashes.
  add column target jsonb not null default '{}',
  -- Why it was not begun.
  add column code text not null default '';

alter table svc_firmware_package
  -- What a device answers at /3/0/1 that it is for; empty: not said.
  add column package_model text not null default '';

update svc_firmware_update set status = 'CANCELLED', end_time = now() where status = 'PROPOSED';
update svc_firmware_rollout set status = 'REJECTED', end_time = now(),
    why = 'No person decided before proposals of firmware became actions'
  where status = 'PROPOSED';

-- Roles keep the right to propose under its new name.
update svc_resource set resource_code = 'svc-center-agentic:firmware_rollout:propose',
    resource_name = 'svc-center-agentic:firmware_rollout:propose', service_name = 'svc-center-agentic'
  where resource_code = 'svc-center-manager:firmware_rollout:propose';
