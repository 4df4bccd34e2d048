-- Where a device that registers answers from, without the port: a copy of its driver that did not know
-- the address before cannot see that it is another one.

alter table svc_entity_state
  -- Empty while the device is not registered, and for drivers whose devices do not register.
  add column peer_host text not null default '',
  -- The claim of the name under which it registered there.
  add column peer_claim bigint not null default 0,
  -- The last change of the address: {"id", "from", "to", "at"}.
  add column peer_change jsonb;
