ALTER TABLE sessions DROP COLUMN issuer;
DROP TABLE people;
