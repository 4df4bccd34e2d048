-- Values of secret attributes are sealed (aes-256-gcm, under a key derived from SVC_SECRET_KEY). The database cannot
-- seal what it has in clear: the registration of its driver does, each time. That is no change of configuration, so
-- the change log leaves it out.
do $$
declare
  target text;
begin
  foreach target in array array['svc_driver_attribute_config', 'svc_point_attribute_config',
      'svc_command_attribute_config', 'svc_event_attribute_config'] loop
    execute format('drop trigger svc_change on %I', target);
    execute format('create trigger svc_change after insert or delete on %I
      for each row execute function svc_log_change()', target);
    execute format($sql$create trigger svc_change_update after update on %I
      for each row when (not (new.config_value like 'enc:v1:%%' and old.config_value not like 'enc:v1:%%'
        and new.version = old.version)) execute function svc_log_change()$sql$, target);
  end loop;
end $$;
