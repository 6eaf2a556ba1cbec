DROP TABLE jobs;
DROP TABLE upload_parts;
DROP TABLE uploads;
DROP TABLE labels;
DROP TABLE traces;
DROP TABLE projects;
