-- Which kind of name stands beside it: user (a person, for whom a proxy or a provider vouches) or token. A token and a person may have the
-- same name. None: a row of before of which nobody can say, or nobody's.
ALTER TABLE traces ADD COLUMN by_kind TEXT;
ALTER TABLE uploads ADD COLUMN by_kind TEXT;
ALTER TABLE comments ADD COLUMN by_kind TEXT;
ALTER TABLE audit ADD COLUMN by_kind TEXT;

-- A name that only a token has is the token's, one that no token has a person's. Of a name that may be either's nobody says whose it was: what is
-- there then belongs to the project's admins alone.
UPDATE traces SET by_kind = CASE
    WHEN NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.name = traces.uploaded_by) THEN 'user'
    WHEN EXISTS (SELECT 1 FROM members WHERE members.person = traces.uploaded_by) THEN NULL
    WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.person = traces.uploaded_by) THEN NULL
    ELSE 'token' END WHERE uploaded_by IS NOT NULL;
UPDATE uploads SET by_kind = CASE
    WHEN NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.name = uploads.uploaded_by) THEN 'user'
    WHEN EXISTS (SELECT 1 FROM members WHERE members.person = uploads.uploaded_by) THEN NULL
    WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.person = uploads.uploaded_by) THEN NULL
    ELSE 'token' END WHERE uploaded_by IS NOT NULL;
UPDATE comments SET by_kind = CASE
    WHEN NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.name = comments.made_by) THEN 'user'
    WHEN EXISTS (SELECT 1 FROM members WHERE members.person = comments.made_by) THEN NULL
    WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.person = comments.made_by) THEN NULL
    ELSE 'token' END WHERE made_by IS NOT NULL;
