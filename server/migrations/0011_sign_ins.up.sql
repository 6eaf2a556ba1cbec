-- Sign-ins at a provider of identities that have ended, so that none ends twice.
CREATE TABLE sign_ins (
    attempt_sha256 TEXT PRIMARY KEY,
    -- Until when somebody could try it again.
    until_unix_ns BIGINT NOT NULL
);
CREATE INDEX sign_ins_by_end ON sign_ins (until_unix_ns);
