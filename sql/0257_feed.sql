--! baseline
-- What happened in a tenant: alarms, actions, ends of commands and the status of devices, in one order that can be
-- followed from any place without missing or repeating a row. Triggers write it in the transaction of the change.
create table svc_feed (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  -- Its place in the order of the tenant; null until a reader gives it, which is after its commit (svc_order_feed).
  place bigint,
  kind text not null check (kind in ('alarm', 'action', 'command', 'device')),
  what text not null,
  -- The alarm, action, command or device.
  ref text not null,
  device_id bigint not null default 0,
  -- The action that a command belongs to.
  action_id uuid,
  occur_time timestamptz not null,
  create_time timestamptz not null default now()
);
create unique index svc_feed_place on svc_feed (tenant_id, place);
create index svc_feed_unplaced on svc_feed (tenant_id, id) where place is null;
create index svc_feed_create_time on svc_feed (create_time);
call svc_protect('svc_feed');

-- The last place that was given, and the last of those that were dropped.
create table svc_feed_head (
  tenant_id bigint primary key,
  place bigint not null default 0,
  dropped bigint not null default 0
);
call svc_protect('svc_feed_head');

-- Gives the committed rows of a tenant their places. A row that commits later gets a later place, so no reader passes
-- over one; writers wait for nothing, and readers for each other only, as long as giving takes.
create function svc_order_feed(tenant bigint) returns void language plpgsql as $$
declare
  head bigint;
  given bigint;
begin
  if not exists (select from svc_feed where tenant_id = tenant and place is null) then
    return;
  end if;
  insert into svc_feed_head (tenant_id) values (tenant) on conflict do nothing;
  select h.place into head from svc_feed_head h where h.tenant_id = tenant for update;
  -- A statement of its own: it sees what was given while this one waited.
  update svc_feed f set place = head + n.place
    from (select id, row_number() over (order by id) as place from svc_feed
      where tenant_id = tenant and place is null) n
    where f.id = n.id;
  get diagnostics given = row_count;
  update svc_feed_head set place = head + given where tenant_id = tenant;
end $$;

-- Drops what was written before `oldest`, and all but the last `kept` rows; at most `batch` at once.
create function svc_drop_feed(tenant bigint, oldest timestamptz, kept bigint, batch bigint) returns bigint
  language plpgsql as $$
declare
  head record;
  last bigint;
  taken bigint;
begin
  select h.place, h.dropped into head from svc_feed_head h where h.tenant_id = tenant for update;
  select greatest(coalesce(max(place), 0), head.place - kept) into last
    from svc_feed where tenant_id = tenant and create_time < oldest;
  last := least(last, head.dropped + batch);
  if last is null or last <= head.dropped then
    return 0;
  end if;
  delete from svc_feed where tenant_id = tenant and place <= last;
  get diagnostics taken = row_count;
  update svc_feed_head set dropped = last where tenant_id = tenant;
  return taken;
end $$;

-- The channel wakes whoever waits in any process; the same tenant twice in a transaction is one notice.
create function svc_feed_add(tenant bigint, kind text, what text, ref text, device bigint, action uuid, at timestamptz)
  returns void language sql as $$
  insert into svc_feed (tenant_id, kind, what, ref, device_id, action_id, occur_time)
    values (tenant, kind, what, ref, device, action, coalesce(at, now()));
  select pg_notify('svc_feed', tenant::text);
$$;

create function svc_feed_alarm() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform svc_feed_add(new.tenant_id, 'alarm', 'RAISED', new.id::text, new.device_id, null, new.create_time);
    return null;
  end if;
  if old.state_flag is distinct from new.state_flag then
    perform svc_feed_add(new.tenant_id, 'alarm', case new.state_flag when 2 then 'RECOVERED' else 'CLOSED' end,
      new.id::text, new.device_id, null,
      case new.state_flag when 2 then new.last_recover_time else new.operate_time end);
  end if;
  if old.confirm_flag <> new.confirm_flag then
    perform svc_feed_add(new.tenant_id, 'alarm', case new.confirm_flag when 1 then 'CONFIRMED' else 'UNCONFIRMED' end,
      new.id::text, new.device_id, null, new.operate_time);
  end if;
  return null;
end $$;
create trigger svc_feed_added after insert on svc_entity_alarm for each row execute function svc_feed_alarm();
create trigger svc_feed_changed after update on svc_entity_alarm for each row
  when (old.state_flag is distinct from new.state_flag or old.confirm_flag <> new.confirm_flag)
  execute function svc_feed_alarm();

create function svc_feed_action() returns trigger language plpgsql as $$
begin
  perform svc_feed_add(new.tenant_id, 'action',
    case when tg_op = 'INSERT' then 'PROPOSED' when new.status = 0 then 'RENEWED'
      else (array['CONFIRMED', 'REJECTED', 'EXECUTED', 'FAILED', 'EXPIRED', 'WITHDRAWN', 'PARTIALLY_CONFIRMED',
        'UNKNOWN', 'MISMATCH'])[new.status] end,
    new.action_id::text, new.device_id, new.action_id, new.operate_time);
  return null;
end $$;
create trigger svc_feed_added after insert on svc_action for each row execute function svc_feed_action();
create trigger svc_feed_changed after update on svc_action for each row
  when (old.status <> new.status or old.digest <> new.digest) execute function svc_feed_action();

-- Only ends, and what is read after one that left the effect open.
create function svc_feed_command() returns trigger language plpgsql as $$
begin
  perform svc_feed_add(new.tenant_id, 'command',
    case when old.status <> new.status
      then (array['SUCCESS', 'FAILED', 'TIMEOUT', 'EXPIRED', 'DEAD', 'DUPLICATE', 'UNKNOWN'])[new.status - 1]
      else 'SEEN' end,
    new.command_id::text, new.device_id, new.action_id, new.operate_time);
  return null;
end $$;
create trigger svc_feed_ended after update on svc_point_command_history for each row
  when (new.status > 1 and (old.status <> new.status or (old.seen_time is null) <> (new.seen_time is null)
    or (old.reconfigured_time is null) <> (new.reconfigured_time is null)))
  execute function svc_feed_command();

create function svc_feed_call() returns trigger language plpgsql as $$
begin
  perform svc_feed_add(new.tenant_id, 'command',
    (array['SUCCESS', 'FAILED', 'TIMEOUT', 'EXPIRED', 'DEAD', 'DUPLICATE', 'UNKNOWN'])[new.status - 1],
    new.record_id::text, new.device_id, null, new.operate_time);
  return null;
end $$;
create trigger svc_feed_ended after update on svc_command_history for each row
  when (new.status > 1 and old.status <> new.status) execute function svc_feed_call();

create function svc_feed_device() returns trigger language plpgsql as $$
begin
  perform svc_feed_add(new.tenant_id, 'device',
    case when new.lapsed or new.entity_state_flag = 1 then 'OFFLINE' else 'ONLINE' end,
    new.entity_id::text, new.entity_id, null, new.operate_time);
  return null;
end $$;
create trigger svc_feed_added after insert on svc_entity_state for each row when (new.entity_type_flag = 6)
  execute function svc_feed_device();
create trigger svc_feed_changed after update on svc_entity_state for each row
  when (new.entity_type_flag = 6
    and (old.lapsed or old.entity_state_flag = 1) <> (new.lapsed or new.entity_state_flag = 1))
  execute function svc_feed_device();

-- Rights that change wake as well: what waits on them looks whether they still hold.
create function svc_wake_readers() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_feed', new.tenant_id::text);
  return null;
end $$;
create trigger svc_feed_version_added after insert on svc_tenant_version for each row
  execute function svc_wake_readers();
create trigger svc_feed_version after update on svc_tenant_version for each row
  when (old.rights <> new.rights or old.members <> new.members) execute function svc_wake_readers();
