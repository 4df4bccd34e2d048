-- Keys that an agent gives with its proposals, kept for a day: the same key with the same arguments is the same action,
-- whatever became of it.
create table svc_action_key (
  tenant_id bigint not null,
  user_id bigint not null,
  tool text not null,
  key text not null,
  -- SHA-256 of the arguments.
  arguments text not null,
  action_id uuid not null,
  create_time timestamptz not null,
  primary key (tenant_id, user_id, tool, key)
);
call svc_protect('svc_action_key');
create index svc_action_key_create_time on svc_action_key (create_time);

-- A card names an equal proposal that was rejected for its point.
create index svc_action_rejected on svc_action (tenant_id, device_id, point_id, decided_time) where status = 2;
