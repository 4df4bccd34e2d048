-- Answers end with what the platform knows; the words of models are not judged any more.
alter table svc_chat_step drop column false_claims;
