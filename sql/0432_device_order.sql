--! compatible
-- Names in the order that people expect: without regard to case (of letters as the database's locale has it), “Boiler 2”
-- before “Boiler 10”. Every number of up to 18 digits is as long as the others, and bytes decide. A name that did not come
-- through the API may be longer than one that does (64 characters), and its row then too long for an index: the order
-- looks at as much as names of the API have.
create function svc_name_order(name text) returns text language sql immutable parallel safe as $$
  select regexp_replace(regexp_replace(lower(left(name, 64)), '\d+', repeat('0', 17) || '\&', 'g'),
    '0+(\d{18})(?!\d)', '\1', 'g') collate "C"
$$;

-- The name beside it lets a page pass over what lies before it in the index alone.
create index svc_device_by_name on svc_device (tenant_id, svc_name_order(device_name), id) include (device_name);
