CREATE TABLE people (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    is_admin BIGINT NOT NULL,
    space TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE tokens (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL UNIQUE,
    person_id TEXT COLLATE "C" REFERENCES people (id),
    space TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE TABLE sessions (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person_id TEXT COLLATE "C" NOT NULL REFERENCES people (id),
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);

CREATE INDEX sessions_person ON sessions (person_id, used_at);

CREATE TABLE sign_in_codes (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person_id TEXT COLLATE "C" NOT NULL REFERENCES people (id),
    expires_at BIGINT NOT NULL
);
