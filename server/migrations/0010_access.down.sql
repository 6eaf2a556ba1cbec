DROP TABLE audit;
DROP TABLE link_uses;
DROP TABLE links;
DROP TABLE sessions;
DROP TABLE tokens;
DROP TABLE members;
