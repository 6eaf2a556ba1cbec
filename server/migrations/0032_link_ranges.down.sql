-- Without these columns such a link would show the whole trace.
DELETE FROM links WHERE shows IS NOT NULL;
ALTER TABLE links DROP COLUMN end_ns;
ALTER TABLE links DROP COLUMN start_ns;
ALTER TABLE links DROP COLUMN shows;
