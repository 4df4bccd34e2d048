--! compatible
-- Events of a running turn of the chat on their way to a process that does not run it, and what that asks for. Rows are
-- deleted minutes later.
create table svc_turn_relay (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  turn_id text not null,
  -- Principal and client: a turn is nothing for others.
  owner text not null,
  kind text not null,
  place bigint not null,
  body text not null,
  create_time timestamptz not null
);
create index svc_turn_relay_turn on svc_turn_relay (tenant_id, turn_id, id);
create index svc_turn_relay_create_time on svc_turn_relay (create_time);
call svc_protect('svc_turn_relay');
