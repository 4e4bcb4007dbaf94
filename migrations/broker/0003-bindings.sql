-- What platforms have bound: kubeconfigs that expire. A binding goes with its instance. Its operations are found by the
-- subject 'binding:<id>', also when it is gone.

create table bindings (
  id             text primary key check (length(id) between 1 and 255), -- platforms choose it, unique in the world
  instance_id    text not null references instances (id) on delete cascade,
  service_id     text not null,
  plan_id        text not null,
  parameters     jsonb not null,
  bind_resource  jsonb not null, -- what it is for, to recognise a request that comes again
  predecessor_id text, -- the one that it replaces: that may be gone by now
  credentials    jsonb, -- sealed; none until they are made, and none after they were revoked
  expires_at     timestamptz,
  created_at     timestamptz not null,
  constraint credentials_expire check ((credentials is null) = (expires_at is null))
);

create index bindings_of_instance on bindings (instance_id);
