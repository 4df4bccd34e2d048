-- What agents may do: all, nothing but read, or nothing; for the platform (tenant 0), a tenant and a connection, of which
-- the strictest counts. A switch raises the version of who it counts for, so it acts in every process with the next trip.
create table svc_agent_switch (
  tenant_id bigint primary key,
  mode text not null check (mode in ('ON', 'READ_ONLY', 'OFF')),
  reason text not null default '',
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
call svc_protect('svc_agent_switch');
create policy platform_switch on svc_agent_switch for select using (tenant_id = 0);
create constraint trigger svc_version after insert or update or delete on svc_agent_switch
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');

alter table svc_mcp_connection add column read_only_flag smallint not null default 0 check (read_only_flag in (0, 1));
create constraint trigger svc_version_read_only after update of read_only_flag on svc_mcp_connection
  deferrable initially deferred for each row when (old.read_only_flag <> new.read_only_flag)
  execute function svc_raise_version('members', 'tenant');
