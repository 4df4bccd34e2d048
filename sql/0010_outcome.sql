-- An action ends exactly as its command: what may have happened is no failure, and what the device
-- contradicts is no success. 8 UNKNOWN, 9 MISMATCH; 6 is WITHDRAWN by its proposer.
alter table svc_action drop constraint svc_action_status_check;
alter table svc_action add constraint svc_action_status_check check (status between 0 and 9);

drop index svc_action_untold;
create index svc_action_untold on svc_action (operate_time)
  where not told and status in (2, 3, 4, 5, 6, 8, 9);

-- Ends written down before were called FAILED or EXECUTED only.
set local svc.tenant_free = 'seed';
update svc_action a set status = 8
from svc_point_command_history c
where c.command_id = a.command_id and c.tenant_id = a.tenant_id
  and a.status = 4 and c.status in (4, 6, 7, 8);
update svc_action a set status = 9
from svc_point_command_history c
where c.command_id = a.command_id and c.tenant_id = a.tenant_id
  and a.status = 3 and c.status = 2 and c.verification = 2;
set local svc.tenant_free = '';
