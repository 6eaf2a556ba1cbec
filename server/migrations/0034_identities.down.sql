ALTER TABLE audit DROP COLUMN by_kind;
ALTER TABLE comments DROP COLUMN by_kind;
ALTER TABLE uploads DROP COLUMN by_kind;
ALTER TABLE traces DROP COLUMN by_kind;
