-- Set once the card shown first is no longer the one that counts: from then on a decision names its digest.
alter table svc_action add column digest_required boolean not null default false;
