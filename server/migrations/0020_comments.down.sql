DROP TABLE comment_changes;
DROP TABLE mentions;
DROP TABLE comments;
