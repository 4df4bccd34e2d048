--! compatible
-- Answers and cancellations of an MCP client that reached another process than the one whose call they are for.
create table svc_mcp_mail (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  session_id uuid not null,
  message text not null,
  create_time timestamptz not null
);
create index svc_mcp_mail_session on svc_mcp_mail (tenant_id, session_id, id);
create index svc_mcp_mail_create_time on svc_mcp_mail (create_time);
call svc_protect('svc_mcp_mail');
