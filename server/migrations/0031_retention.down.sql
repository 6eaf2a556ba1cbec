DROP INDEX traces_by_project;
DROP INDEX traces_that_leave;
ALTER TABLE traces DROP COLUMN leaves_unix_ns;
