-- Jobs that keep the house clean. A run of a job is an operation of the engine; here stands when the next one is due, and
-- what came of those before.

create table job_schedules (
  job         text primary key,
  schedule    text not null, -- the cron expression that next_due_at was counted from
  next_due_at timestamptz not null -- advanced in the transaction that accepts the run: each due time counts once
);

create table job_runs (
  id         uuid primary key, -- of its operation, too
  job        text not null,
  trigger    text not null check (trigger in ('schedule', 'by hand')),
  due_at     timestamptz, -- for which it was scheduled
  started_by text,
  dry_run    boolean not null,
  state      text not null default 'in progress' check (state in ('in progress', 'succeeded', 'failed', 'canceled')),
  started_at timestamptz not null,
  ended_at   timestamptz,
  -- The subject after which it goes on, what came of those before, and the first hundred of them. These change together.
  cursor     text,
  counts     jsonb not null default '{}',
  entries    jsonb not null default '[]',
  summary    text not null default '',
  constraint one_run_per_due_time unique (job, due_at),
  constraint ended_or_not check ((state = 'in progress') = (ended_at is null))
);

create index runs_of_job on job_runs (job, started_at desc);
create index open_job_runs on job_runs (job) where ended_at is null;

-- What stays of an instance when its row has gone.
create table archived_instances (
  number                    bigint generated always as identity primary key,
  instance_id               text not null, -- may be used again by another one
  global_account            text not null,
  subaccount                text not null,
  subscription_account      text,
  plan_id                   text not null,
  plan_name                 text not null,
  subaccount_region         text not null,
  region                    text not null,
  provider                  text not null,
  last_runtime_id           text,
  shoot_name                text not null,
  is_internal_user          boolean not null,
  provisioning_started_at   timestamptz,
  provisioning_ended_at     timestamptz,
  provisioning_state        text,
  deprovisioning_started_at timestamptz, -- the first one's
  deprovisioning_ended_at   timestamptz,
  removed_at                timestamptz not null, -- the end of the last deprovisioning
  last_operation            bigint, -- its number: those of a later instance of this id have higher ones
  operations_removed_at     timestamptz -- its operations are gone, too
);

create index archived_instances_by_id on archived_instances (instance_id);
create index archived_instances_with_operations on archived_instances (removed_at) where operations_removed_at is null;

create index expired_bindings on bindings (expires_at) where expires_at is not null;
create index instances_by_age on instances (plan_name, created_at) where deleted_at is null;
