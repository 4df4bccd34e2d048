--! compatible
-- Sessions of MCP clients of the revisions before 2026-07-28, each served by any process: what its client said of
-- itself, and what it follows, with the place of the feed at which it began to. No text of it is a credential.
create table svc_mcp_session (
  tenant_id bigint not null,
  session_id uuid not null,
  principal_id bigint not null,
  client_id text not null,
  opening jsonb not null,
  log_level text not null default '',
  uris jsonb not null default '{}',
  -- The stream that was opened last, in whatever process; the one before it ends.
  stream_id uuid,
  open_time timestamptz not null,
  use_time timestamptz not null,
  primary key (tenant_id, session_id)
);
create index svc_mcp_session_owner on svc_mcp_session (tenant_id, principal_id, client_id);
create index svc_mcp_session_use_time on svc_mcp_session (use_time);
call svc_protect('svc_mcp_session');
