-- An update of firmware is judged over time: what its device accepted and said before, and what it says after the end.
alter table svc_firmware_update
  -- What came of the last order to the device; SENT: it may be at work on it.
  add column answer text not null default 'NONE' check (answer in ('NONE', 'SENT', 'ACCEPTED', 'REFUSED')),
  -- Mark of the driver for the registration under which the device got that order.
  add column session text not null default '',
  -- Update Result of the device before that order, or 0 since it was reset; null: not known.
  add column result_before smallint,
  -- As what it ended (end_time), where what the device said later corrected it.
  add column ended_as text check (ended_as in ('UNKNOWN', 'MISMATCH')),
  add column correction text not null default '',
  add column corrected_time timestamptz;
comment on column svc_firmware_update.next_time is
  'When its driver is asked again: to go on, or what became of an update that ended without certainty';
create index svc_firmware_update_device on svc_firmware_update (tenant_id, device_id, begin_time);

-- An earlier edition kept no answers: whatever is under way may have been taken.
update svc_firmware_update set answer = 'SENT' where end_time is null and status in ('SENDING', 'DOWNLOADED', 'UPDATING');
update svc_firmware_update set next_time = now()
where status in ('UNKNOWN', 'MISMATCH') and version_before is not null and end_time > now() - interval '30 days';
