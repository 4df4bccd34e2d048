-- The time zone of the plant (IANA name): answers write times in it. Callers carry it in memory, with the version of
-- their tenant.
alter table svc_tenant add column timezone text not null default 'UTC';

create constraint trigger svc_version_timezone after update of timezone on svc_tenant
  deferrable initially deferred for each row when (old.timezone is distinct from new.timezone)
  execute function svc_raise_version('members', 'itself');
