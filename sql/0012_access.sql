-- Confirming an alarm, reporting an event and attaching a file had the permission of looking; each has its own
-- now. Roles of tenants that held the old code keep what they could do; the built-in ones are bound at start.
set local svc.tenant_free = 'account';
insert into svc_resource (resource_code, resource_name, service_name)
select code, code, split_part(code, ':', 1)
from unnest(array[
  'svc-center-data:alarm:confirm',
  'svc-center-data:event_history:add',
  'svc-center-agentic:attachment:add'
]) as code
on conflict (resource_code, service_name) do nothing;
insert into svc_role_resource_bind (role_id, resource_id, remark)
select distinct held.role_id, fresh.id, 'held as ' || past.resource_code
from (values
  ('svc-center-data:dashboard:list', 'svc-center-data:alarm:confirm'),
  ('svc-center-data:event_history:list', 'svc-center-data:event_history:add'),
  ('svc-center-agentic:attachment:list', 'svc-center-agentic:attachment:add')
) as renamed (old_code, new_code)
join svc_resource past on past.resource_code = renamed.old_code
join svc_resource fresh on fresh.resource_code = renamed.new_code
join svc_role_resource_bind held on held.resource_id = past.id
on conflict (role_id, resource_id) do nothing;
set local svc.tenant_free = '';
