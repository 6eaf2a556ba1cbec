CREATE TABLE members (
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- The name under which a person signs in; * stands for whoever does.
    person TEXT NOT NULL,
    -- viewer, contributor or admin
    role TEXT NOT NULL,
    PRIMARY KEY (project, person)
);
CREATE INDEX members_by_person ON members (person);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    -- Whose it is.
    name TEXT NOT NULL,
    secret_sha256 TEXT NOT NULL UNIQUE,
    -- None: every project.
    project TEXT REFERENCES projects (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    made_unix_ns BIGINT NOT NULL,
    expires_unix_ns BIGINT,
    revoked_unix_ns BIGINT
);

-- Browsers that have signed in: with a token, or as a person whom a provider vouches for.
CREATE TABLE sessions (
    secret_sha256 TEXT PRIMARY KEY,
    token TEXT REFERENCES tokens (id) ON DELETE CASCADE,
    person TEXT,
    expires_unix_ns BIGINT NOT NULL
);
CREATE INDEX sessions_by_end ON sessions (expires_unix_ns);

CREATE TABLE links (
    id TEXT PRIMARY KEY,
    -- A link to a trace that is gone shows nothing.
    trace TEXT NOT NULL,
    secret_sha256 TEXT NOT NULL UNIQUE,
    -- What it is for.
    name TEXT,
    made_by TEXT,
    made_unix_ns BIGINT NOT NULL,
    expires_unix_ns BIGINT,
    -- How often it can be opened, and was.
    openings BIGINT,
    opened BIGINT NOT NULL DEFAULT 0,
    withdrawn_unix_ns BIGINT
);
CREATE INDEX links_by_trace ON links (trace, made_unix_ns);

-- Who has opened a link that can be opened so often: they may look again for a while.
CREATE TABLE link_uses (
    link TEXT NOT NULL REFERENCES links (id) ON DELETE CASCADE,
    visit_sha256 TEXT NOT NULL,
    at_unix_ns BIGINT NOT NULL,
    PRIMARY KEY (link, visit_sha256)
);

-- Who changed what. Rows are only added.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at_unix_ns BIGINT NOT NULL,
    -- None where nobody signs in.
    name TEXT,
    action TEXT NOT NULL,
    project TEXT,
    subject TEXT NOT NULL,
    detail TEXT
);
CREATE INDEX audit_by_age ON audit (project, at_unix_ns);
