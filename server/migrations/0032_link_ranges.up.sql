-- The copy of a part of the trace that a link shows; none: the whole trace.
ALTER TABLE links ADD COLUMN shows TEXT;
-- The part, in ns from the trace's start.
ALTER TABLE links ADD COLUMN start_ns BIGINT;
ALTER TABLE links ADD COLUMN end_ns BIGINT;
