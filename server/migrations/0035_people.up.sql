-- Which account of a provider of identities has a name: the first that signed in under it. What is stored belongs to names.
CREATE TABLE people (
    -- The provider, as it calls itself.
    issuer TEXT NOT NULL,
    -- What it never gives to another account.
    subject TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    PRIMARY KEY (issuer, subject)
);
-- Sessions of a provider end where another one counts. None: one of before, which is over, or a token's.
ALTER TABLE sessions ADD COLUMN issuer TEXT;
