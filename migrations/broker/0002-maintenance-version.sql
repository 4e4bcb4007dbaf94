-- Which maintenance an instance has had: what a platform offers to its users is the difference to the catalog's version.

alter table instances add column maintenance_version text;
