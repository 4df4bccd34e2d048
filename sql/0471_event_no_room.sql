--! compatible
-- Events that came while the disk was almost full are counted beside the values.
alter table svc_value_refusal drop constraint svc_value_refusal_reason_check,
  add constraint svc_value_refusal_reason_check
    check (reason in ('UNKNOWN_POINT', 'OTHER_DRIVER', 'DROPPED', 'NO_ROOM', 'EVENT_NO_ROOM'));
