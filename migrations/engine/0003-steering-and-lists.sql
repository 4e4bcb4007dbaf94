-- What people do to operations: a step that is left out is on the operation, so that whoever runs it knows; and what they
-- ask of many operations at once: the newest, those that ended lately, failures of the same kind.

alter table operations add column skips jsonb not null default '{}'; -- steps to be left out, and why

-- Failures of the same kind have the same one. Of an open operation it is that of its last try.
alter table operations add column fingerprint text generated always as (
  case when error is not null then
    substr(md5(type || '/' || coalesce(error ->> 'step', '') || '/' || coalesce(error ->> 'system', '') || '/'
           || coalesce(error ->> 'class', '') || '/' || coalesce(error ->> 'reason', '')), 1, 16)
  end) stored;

create index operations_in_time on operations (created_at, number);
create index operations_ended on operations (ended_at) where ended_at is not null;
create index operations_by_failure on operations (fingerprint) where fingerprint is not null;
