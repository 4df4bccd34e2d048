--! compatible
-- The devices of a group: a rule that watches groups is looked at by their members, not by each device of its profile.
create index svc_group_bind_group on svc_group_bind (tenant_id, group_id, entity_id);
