-- What a history is made of: a run's figures and the times of its commands, as JSON; empty while nobody has looked.
ALTER TABLE figures ADD COLUMN sample TEXT NOT NULL DEFAULT '';

-- Traces that were stored before get theirs from a job, which counts commands and launches as comparisons do.
INSERT INTO jobs (id, kind, subject, made_unix_ns)
    SELECT id, 'figures', id, stored_unix_ns FROM traces
    WHERE deleted_unix_ns IS NULL AND id NOT IN (SELECT subject FROM jobs WHERE kind = 'figures');
