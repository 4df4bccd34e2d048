--! compatible
-- An HTTP proxy through which the requests to a provider go: its address in clear, its login sealed, as the key.
alter table svc_model_provider
  add column proxy text not null default '',
  add column proxy_login text not null default '';
