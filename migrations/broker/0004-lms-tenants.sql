-- A logging tenant is a cluster of its own, is never removed, and LMS finds none by its name: whoever asks twice has two.
-- So there is one per account and region, and it is on record here.

create table lms_tenants (
  name       text not null,
  region     text not null,
  id         text not null, -- as LMS calls it
  created_at timestamptz not null default now(),
  primary key (name, region)
);
