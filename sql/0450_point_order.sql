--! compatible
-- As that of devices (0432_device_order.sql): the name beside it lets a page pass over what lies before it in the index alone.
create index svc_point_by_name on svc_point (tenant_id, svc_name_order(point_name), id) include (point_name);
