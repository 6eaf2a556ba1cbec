-- When a trace goes because of its age: it is marked first, and still there for a while.
ALTER TABLE traces ADD COLUMN leaves_unix_ns BIGINT;
CREATE INDEX traces_that_leave ON traces (leaves_unix_ns) WHERE leaves_unix_ns IS NOT NULL;
-- What a project uses of its quota is summed up from this index alone.
CREATE INDEX traces_by_project ON traces (project, size_bytes) WHERE deleted_unix_ns IS NULL;
