-- Calls over MCP by the trace they were a part of.
create index svc_mcp_audit_log_trace on svc_mcp_audit_log (tenant_id, trace_id, create_time desc) where trace_id <> '';
