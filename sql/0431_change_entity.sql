--! compatible
-- The history of one thing: a rule, point or profile among the changes of a plant.
create index svc_change_log_entity on svc_change_log (tenant_id, entity_type, entity_id, create_time desc, id desc);
