DELETE FROM jobs WHERE kind = 'figures';
DROP INDEX traces_by_time;
DROP INDEX traces_by_size;
DROP TABLE figures;
