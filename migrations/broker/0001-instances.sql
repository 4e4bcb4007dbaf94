-- What customers have ordered. Everything that must be known to remove an instance is in its row, whatever becomes of the
-- operations that brought it there.

create table instances (
  id                   text primary key check (length(id) between 1 and 255),
  service_id           text not null,
  plan_id              text not null,
  plan_name            text not null,
  global_account       text not null check (global_account <> ''),
  subaccount           text not null check (subaccount <> ''),
  subscription_account text, -- the first one, if the instance was moved: the hyperscaler's account stays with it
  platform_region      text not null,
  platform_provider    text not null,
  provider             text not null, -- of the cluster
  region               text not null, -- of the cluster
  context              jsonb not null, -- credentials in it are sealed
  parameters           jsonb not null, -- a kubeconfig in it is sealed
  shoot_name           text not null,
  shoot_domain         text not null,
  dashboard_url        text not null,
  runtime_id           text,
  details              jsonb not null default '{}', -- what steps have left out there, by the names of their systems
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  expired_at           timestamptz,
  deleted_at           timestamptz -- deprovisioned, but something is left behind
);

create unique index one_instance_per_shoot on instances (shoot_name) where shoot_name <> '';
create index instances_of_account on instances (global_account);
create index instances_of_subaccount on instances (subaccount);
create index instances_of_runtime on instances (runtime_id) where runtime_id is not null;
