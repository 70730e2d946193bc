-- What the database is: one row a fact. `epoch` names its life.
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The time that statements compare with: the hub's own, which it binds as an offset to this zero.
CREATE VIEW clock AS SELECT 0 AS millis;

-- A team's inbox, and the number of the last event in its log.
CREATE TABLE spaces (
    id TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO spaces (id, seq) VALUES ('default', 0);

CREATE TABLE calls (
    id TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL,
    key TEXT,
    asker_id TEXT NOT NULL,
    session TEXT NOT NULL,
    agent_name TEXT,
    asker TEXT NOT NULL,
    ask TEXT NOT NULL,
    search TEXT NOT NULL,
    same_ask TEXT NOT NULL,
    dialect TEXT,
    status TEXT NOT NULL,
    rev INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    -- 9223372036854775807 without one, so that the order by deadline needs no special case.
    deadline INTEGER NOT NULL,
    settled_at INTEGER,
    outcome TEXT,
    late_answers_total INTEGER NOT NULL,
    delivered_at INTEGER,
    acked_at INTEGER,
    erased_at INTEGER
) STRICT;

CREATE UNIQUE INDEX calls_key ON calls (space, key, asker_id, session) WHERE key IS NOT NULL;
CREATE INDEX calls_newest ON calls (space, asked_at, id);
CREATE INDEX calls_newest_by_status ON calls (space, status, asked_at, id);
CREATE INDEX calls_newest_by_asker ON calls (space, asker_id, asked_at, id);
-- Of an asker's many calls the few pending ones; `deadline` so that counting them reads no call. Not partial: SQLite
-- would take the index above instead.
CREATE INDEX calls_newest_by_asker_and_status ON calls (space, asker_id, status, asked_at, id, deadline);
CREATE INDEX calls_newest_by_agent ON calls (space, agent_name, asked_at, id) WHERE agent_name IS NOT NULL;
CREATE INDEX calls_first_due ON calls (space, deadline, id);
-- What is pending is little beside what was ever asked: these stay small.
CREATE INDEX calls_pending_first_due ON calls (space, deadline, id) WHERE status = 'pending';
CREATE INDEX calls_pending_due ON calls (deadline, id) WHERE status = 'pending';

-- Answers that came too late: `number` counts those of one call from 1.
CREATE TABLE late_answers (
    call_id TEXT NOT NULL REFERENCES calls (id),
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (call_id, number)
) STRICT, WITHOUT ROWID;

-- Acts that named themselves, so that repeating one does nothing twice.
CREATE TABLE attempts (
    call_id TEXT NOT NULL REFERENCES calls (id),
    principal TEXT NOT NULL,
    attempt TEXT NOT NULL,
    body TEXT NOT NULL,
    won INTEGER NOT NULL,
    PRIMARY KEY (call_id, principal, attempt)
) STRICT, WITHOUT ROWID;

-- The log of each space, numbered without a gap. It outlives what it tells of.
CREATE TABLE events (
    space TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    rev INTEGER NOT NULL,
    status TEXT NOT NULL,
    done_by TEXT,
    asker_id TEXT NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;

-- Open pages that can answer: each renews its lease.
CREATE TABLE presence (
    lease TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX presence_ends ON presence (space, ends_at);
