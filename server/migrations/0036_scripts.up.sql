-- Scripts of Python have names of their own, of which the interpreter's was stored: a job stores the script's.
INSERT INTO jobs (id, kind, subject, made_unix_ns)
    SELECT id, 'figures', id, stored_unix_ns FROM traces
    WHERE deleted_unix_ns IS NULL AND id NOT IN (SELECT subject FROM jobs WHERE kind = 'figures')
        AND id IN (SELECT trace FROM figures WHERE program LIKE 'python%' OR program LIKE 'pypy%');
