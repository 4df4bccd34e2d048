-- The proposals of one principal, and those of a tenant in their order.
create index svc_action_proposer on svc_action (tenant_id, user_id, create_time desc, id desc);
create index svc_action_newest on svc_action (tenant_id, create_time desc, id desc);
drop index svc_action_tenant;
