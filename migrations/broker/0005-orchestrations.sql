-- Upgrades of many runtimes. What is wanted is here, and which runtimes it is about; the upgrades themselves are operations
-- as any other, under ids that were drawn beforehand: whoever begins one twice has begun one.

create table orchestrations (
  id             uuid primary key,
  number         bigint generated always as identity, -- the order of acceptance
  type           text not null check (type in ('upgradeKyma', 'upgradeCluster')),
  state          text not null check (state in
                   ('pending', 'in progress', 'retrying', 'paused', 'canceling', 'canceled', 'succeeded', 'failed')),
  description    text not null,
  parameters     jsonb not null,
  schedule_time  timestamptz, -- none: at once
  paused_because text,
  forgiven       integer not null default 0, -- failures that somebody knew of who let it go on
  begun_at       timestamptz, -- from then on the runtimes are settled
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  ended_at       timestamptz,
  constraint a_pause_has_a_reason check ((state = 'paused') = (paused_because is not null)),
  constraint an_end_has_a_time check ((state in ('canceled', 'succeeded', 'failed')) = (ended_at is not null))
);
create unique index orchestrations_in_order on orchestrations (number);

create table orchestration_operations (
  operation_id     uuid primary key,
  orchestration_id uuid not null references orchestrations on delete cascade,
  instance_id      text not null,
  attempt          integer not null,
  superseded       boolean not null default false, -- a later attempt counts instead

  -- The runtime as it was when it was chosen.
  runtime_id       text not null,
  global_account   text not null,
  subaccount       text not null,
  plan_id          text not null,
  plan_name        text not null,
  region           text not null,
  shoot_name       text not null,

  wave             integer not null check (wave >= 1),
  window_days      text[], -- Mon … Sun
  window_opens     text, -- 210000+0000
  window_closes    text,
  window_begin     timestamptz, -- the next one; none: at any time
  window_end       timestamptz,
  not_before       timestamptz,

  state            text not null check (state in ('pending', 'in progress', 'succeeded', 'failed', 'canceled')),
  description      text not null,
  notification     text not null default '' check (notification in ('', 'pending', 'created', 'cancelled')),
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  ended_at         timestamptz,
  constraint one_per_attempt unique (orchestration_id, instance_id, attempt),
  constraint a_window_is_whole check ((window_begin is null) = (window_end is null))
);
create index orchestration_operations_by_state on orchestration_operations (orchestration_id, state, wave);
create index orchestration_operations_of_instance on orchestration_operations (instance_id);
