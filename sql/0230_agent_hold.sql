-- Accounts of agents that asked for what only people may do. People hear of it once; where the tenant wants that, the
-- account only reads from then on. A person that lifts it deletes the row. A row raises the version of its tenant.
create table svc_agent_hold (
  tenant_id bigint not null,
  principal_id bigint not null,
  principal_name text not null default '',
  place text not null,
  source text not null default '',
  held_flag smallint not null check (held_flag in (0, 1)),
  create_time timestamptz not null default now(),
  primary key (tenant_id, principal_id)
);
call svc_protect('svc_agent_hold');
create constraint trigger svc_version after insert or update or delete on svc_agent_hold
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');

alter table svc_agent_switch add column hold_flag smallint not null default 0 check (hold_flag in (0, 1));
