--! compatible
-- The secret by which the service of a vendor's pager says that an answer is its own, sealed as the credential.
alter table svc_notify_channel add column answer_secret text not null default '';
