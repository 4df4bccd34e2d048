-- Since when a device or driver is online, and why the last read of a device had no answer.
alter table svc_entity_state
  -- Null while it is not online; heartbeats do not move it.
  add column online_since timestamptz,
  -- What its driver says of the last read; empty: it was answered, or nothing was read.
  add column read_issue text not null default '';
