-- The uses of a point within an hour count over all its approvals (src/agentic/approval/use.ts).
drop index svc_standing_use_point;
create index svc_standing_use_point on svc_standing_use (tenant_id, device_id, point_id, use_time);
