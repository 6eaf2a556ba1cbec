CREATE TABLE projects (
    -- Short name in addresses.
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    quota_bytes BIGINT,
    retention_days BIGINT
);
INSERT INTO projects (id, name) VALUES ('default', 'Default');

CREATE TABLE traces (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    -- In lower-case hexadecimal digits. None for a trace of a folder that had no database.
    sha256 TEXT,
    stored_unix_ns BIGINT NOT NULL,
    uploaded_by TEXT,
    -- From then on nobody sees it, and its bytes may be collected.
    deleted_unix_ns BIGINT,
    pinned BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX traces_by_age ON traces (project, stored_unix_ns);
CREATE UNIQUE INDEX traces_once ON traces (project, sha256) WHERE deleted_unix_ns IS NULL;

CREATE TABLE labels (
    trace TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (trace, key)
);
CREATE INDEX labels_by_value ON labels (key, value);

CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    -- As a JSON object.
    labels TEXT NOT NULL,
    uploaded_by TEXT,
    begun_unix_ns BIGINT NOT NULL,
    -- open, importing, done or failed
    state TEXT NOT NULL,
    -- Once it is done.
    trace TEXT,
    -- Once it has failed.
    error TEXT
);
CREATE INDEX uploads_by_age ON uploads (begun_unix_ns);

CREATE TABLE upload_parts (
    upload TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    PRIMARY KEY (upload, number)
);

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- What it is about, such as the id of an upload.
    subject TEXT NOT NULL,
    made_unix_ns BIGINT NOT NULL,
    -- Who works on it, and until when it is theirs. Nobody's before they take it.
    claimed_by TEXT,
    claimed_until_unix_ns BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    UNIQUE (kind, subject)
);
CREATE INDEX jobs_to_do ON jobs (kind, made_unix_ns);
