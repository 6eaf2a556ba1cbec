-- What the list of traces shows of each, finds it by and sorts it by. Every trace has its row.
CREATE TABLE figures (
    trace TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
    -- 1 once the trace was looked at; until then numbers are -1, and sort behind all others.
    known BIGINT NOT NULL DEFAULT 0,
    program TEXT NOT NULL DEFAULT '',
    -- Names, one a line.
    devices TEXT NOT NULL DEFAULT '',
    duration_ns BIGINT NOT NULL DEFAULT -1,
    busy_ns BIGINT NOT NULL DEFAULT -1,
    commands BIGINT NOT NULL DEFAULT -1,
    kernels BIGINT NOT NULL DEFAULT -1,
    findings BIGINT NOT NULL DEFAULT -1,
    problems BIGINT NOT NULL DEFAULT -1,
    busiest TEXT NOT NULL DEFAULT '',
    busiest_ns BIGINT NOT NULL DEFAULT -1,
    -- Its share in parts of a million.
    busiest_ppm BIGINT NOT NULL DEFAULT -1,
    -- What searches look through, in small letters.
    words TEXT NOT NULL DEFAULT '',
    label_words TEXT NOT NULL DEFAULT '',
    -- By what names are sorted: the same in every database, whatever its language is.
    name_order TEXT NOT NULL DEFAULT '',
    by_order TEXT NOT NULL DEFAULT '',
    program_order TEXT NOT NULL DEFAULT '',
    device_order TEXT NOT NULL DEFAULT '',
    busiest_order TEXT NOT NULL DEFAULT ''
);
CREATE INDEX figures_by_duration ON figures (duration_ns, trace);
CREATE INDEX figures_by_busy ON figures (busy_ns, trace);
CREATE INDEX figures_by_kernels ON figures (kernels, trace);
CREATE INDEX figures_by_findings ON figures (findings, trace);
CREATE INDEX figures_by_share ON figures (busiest_ppm, trace);
CREATE INDEX figures_by_name ON figures (name_order, trace);
CREATE INDEX figures_by_person ON figures (by_order, trace);
CREATE INDEX figures_by_program ON figures (program_order, trace);
CREATE INDEX figures_by_device ON figures (device_order, trace);
CREATE INDEX figures_by_busiest ON figures (busiest_order, trace);
CREATE INDEX traces_by_size ON traces (size_bytes, id);
CREATE INDEX traces_by_time ON traces (stored_unix_ns, id);

-- Traces that were stored before get theirs from a job.
INSERT INTO figures (trace) SELECT id FROM traces;
INSERT INTO jobs (id, kind, subject, made_unix_ns)
    SELECT id, 'figures', id, stored_unix_ns FROM traces WHERE deleted_unix_ns IS NULL;
