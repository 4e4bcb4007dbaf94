-- A request to change an instance that changes nothing and is answered at once leaves no operation behind. How often that
-- happens tells operators of platforms that ask again and again.

alter table instances add column empty_updates integer not null default 0;

-- Those that have any are few.
create index instances_with_empty_updates on instances (empty_updates) where empty_updates > 0;
