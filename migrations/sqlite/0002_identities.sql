CREATE TABLE people (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    is_admin INTEGER NOT NULL,
    space TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    person_id TEXT REFERENCES people (id),
    space TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES people (id),
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_person ON sessions (person_id, used_at);

CREATE TABLE sign_in_codes (
    hash TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES people (id),
    expires_at INTEGER NOT NULL
) STRICT;
