ALTER TABLE figures DROP COLUMN sample;
