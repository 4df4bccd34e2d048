-- Origins of web pages that a tenant lets call the chat from a browser.
create table svc_chat_origin (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  origin text not null,
  unique (tenant_id, origin)
);
call svc_protect('svc_chat_origin');
