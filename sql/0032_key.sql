-- Keys for programs: opaque, only a digest of each is kept; for one audience, with the scopes its owner left it.
create table svc_key (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  -- The person, or the service account, a program acts for with it.
  principal_id bigint not null,
  principal_type text not null check (principal_type in ('USER', 'SERVICE_ACCOUNT')),
  key_name text not null,
  -- What is shown of it, and how it is named in logs.
  key_prefix text not null,
  -- SHA-256 of the whole key, in base64url: it has 256 random bits, so no salt and no slow hash are needed.
  key_digest text not null unique,
  audience text not null check (audience in ('mcp', 'api')),
  scopes text[] not null,
  expire_time timestamptz not null,
  -- To the minute.
  last_used_time timestamptz,
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  unique (tenant_id, principal_id, key_name)
);
call svc_protect('svc_key');
