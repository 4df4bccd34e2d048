--! compatible
-- Documents that people and agents look things up in: of a device, of a profile, or (both 0) of the tenant. The text of each
-- page is stored, not the file.
create table svc_manual (
  id bigint generated always as identity primary key,
  manual_name text not null,
  device_id bigint not null default 0,
  profile_id bigint not null default 0,
  document text not null,
  content_type text not null,
  size bigint not null check (size between 1 and 10485760),
  sha256 text not null,
  pages integer not null check (pages > 0),
  characters integer not null,
  -- 0: more was in the file than is stored
  whole_flag smallint not null check (whole_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  check (device_id = 0 or profile_id = 0),
  unique (tenant_id, device_id, profile_id, manual_name)
);
call svc_protect('svc_manual');
create trigger svc_change after insert or update or delete on svc_manual
  for each row execute function svc_log_change();

-- What a page is found by is made by src/agentic/manual/words.ts: words as they are, without endings of a language. A policy
-- of rows keeps an index over words from being used, so the pages in reach are gone through: their number is bounded.
create table svc_manual_page (
  tenant_id bigint not null,
  manual_id bigint not null,
  page integer not null,
  device_id bigint not null,
  profile_id bigint not null,
  text text not null,
  search tsvector not null,
  primary key (tenant_id, manual_id, page)
);
alter table svc_manual_page alter column search set storage external;
create index svc_manual_page_owner on svc_manual_page (tenant_id, device_id, profile_id);
call svc_protect('svc_manual_page');
