-- Metrics and lists ask for what has not ended, and that is little beside what has.
create index open_operations on operations (type, state) where ended_at is null;
