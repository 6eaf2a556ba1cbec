CREATE TABLE comments (
    id TEXT PRIMARY KEY,
    trace TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    -- The one that it answers, which itself answers none. A backup puts them back in any order.
    reply_to TEXT REFERENCES comments (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    -- What it is pinned to, as addresses write it. None: the whole trace.
    pin TEXT,
    -- What that is, in words.
    about TEXT,
    -- Empty for a bookmark, and for what was deleted.
    words TEXT NOT NULL,
    made_by TEXT,
    made_unix_ns BIGINT NOT NULL,
    edited_unix_ns BIGINT,
    deleted_unix_ns BIGINT,
    -- Number of its last change.
    change BIGINT NOT NULL UNIQUE
);
CREATE INDEX comments_by_trace ON comments (trace, made_unix_ns);
CREATE INDEX comments_by_conversation ON comments (reply_to);

CREATE TABLE mentions (
    comment TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
    -- The name under which a person signs in.
    person TEXT NOT NULL,
    PRIMARY KEY (comment, person)
);
CREATE INDEX mentions_by_person ON mentions (person);

-- The number of the last change to any comment. Who changes one holds this row until the change is there, so that
-- numbers are seen in their order.
CREATE TABLE comment_changes (
    id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL
);
INSERT INTO comment_changes (id, number) VALUES (1, 0);
