-- Lists of a hundred thousand runtimes: every order and every search of theirs has an index or one narrow column to read.

alter table instances add column searched text generated always as (
  lower(id || ' ' || coalesce(runtime_id, '') || ' ' || shoot_name || ' ' || global_account || ' ' || subaccount || ' '
        || coalesce(parameters ->> 'name', ''))) stored;

create index instances_in_time on instances (created_at, id);
create index instances_by_region on instances (region, id);
create index instances_by_plan on instances (plan_name, id);
create index instances_by_change on instances (updated_at, id);

-- Whether an account is in use.
create index instances_by_secret on instances ((details ->> 'targetSecret')) where details ? 'targetSecret';

-- The last operation of a runtime, without a look at the operation itself.
drop index operations_of_subject;
create index operations_of_subject on operations (subject, number) include (type, state);

-- Runtimes that were removed, or suspended.
create index removals on operations (subject, number) where type = 'deprovision' and state = 'succeeded';
