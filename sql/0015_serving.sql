-- The driver node that serves a device: only what that node says of the device counts, and commands go to it.

alter table svc_entity_state
  -- Empty: no node; a driver with several copies asks for it.
  add column node text not null default '',
  -- When the device registered at the node; null where any copy of the driver can serve it.
  add column claim_time timestamptz;

create index svc_entity_state_node on svc_entity_state (expire_time) where node <> '' and claim_time is null;
