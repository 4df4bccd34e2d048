-- From where a client registered itself: no source takes the place of the others.
alter table svc_oauth_store add column source text;

-- What happened is only ever added to: the application cannot change it, and its owner not by accident.
revoke update, delete on svc_identity_audit_log, svc_mcp_audit_log from svc_app;

create function svc_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger svc_append_only before update or delete or truncate on svc_identity_audit_log
  for each statement execute function svc_refuse_change();
create trigger svc_append_only before update or delete or truncate on svc_mcp_audit_log
  for each statement execute function svc_refuse_change();
