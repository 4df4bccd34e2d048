-- What agents used, in buckets of five minutes: of a connection, and of a principal with all its connections and chats.
create table svc_agent_usage (
  tenant_id bigint not null,
  kind text not null check (kind in ('connection', 'principal')),
  subject_id bigint not null,
  -- Its beginning.
  bucket timestamptz not null,
  calls bigint not null default 0,
  device_reads bigint not null default 0,
  proposals bigint not null default 0,
  -- About, as JSON.
  output_tokens bigint not null default 0,
  primary key (tenant_id, kind, subject_id, bucket)
);
call svc_protect('svc_agent_usage');

-- Budgets of an hour that differ from the default: null of a budget is no limit.
alter table svc_mcp_connection add column budgets jsonb not null default '{}' check (jsonb_typeof(budgets) = 'object');
create constraint trigger svc_version_budgets after update of budgets on svc_mcp_connection
  deferrable initially deferred for each row when (old.budgets <> new.budgets)
  execute function svc_raise_version('members', 'tenant');
