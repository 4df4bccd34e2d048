-- What the point was when a command for it was issued. The command is judged and shown by that, also after the
-- point was changed or deleted; null for commands that had ended before.
alter table svc_point_command_history
  add column point_type_flag smallint,
  add column value_decimal smallint,
  add column point_unit text;

-- What may still be judged.
select set_config('svc.tenant_free', 'migration', true);
-- 0 PENDING, 1 SENT; 4, 6, 7, 8: a reading may prove it
update svc_point_command_history c
set point_type_flag = p.point_type_flag, value_decimal = p.value_decimal, point_unit = p.unit
from svc_point p
where p.tenant_id = c.tenant_id and p.id = c.point_id and c.status in (0, 1, 4, 6, 7, 8);
select set_config('svc.tenant_free', '', true);
