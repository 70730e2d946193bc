-- Texts are compared by their bytes ("C"), as on SQLite.

-- What the database is: one row a fact. `epoch` names its life.
CREATE TABLE meta (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- The time that statements compare with: the database's own, because several nodes must agree.
CREATE VIEW clock AS SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis;

-- A team's inbox, and the number of the last event in its log.
CREATE TABLE spaces (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL
);

INSERT INTO spaces (id, seq) VALUES ('default', 0);

CREATE TABLE calls (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    space TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C",
    asker_id TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    agent_name TEXT COLLATE "C",
    asker TEXT COLLATE "C" NOT NULL,
    ask TEXT COLLATE "C" NOT NULL,
    search TEXT COLLATE "C" NOT NULL,
    same_ask TEXT COLLATE "C" NOT NULL,
    dialect TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    rev BIGINT NOT NULL,
    asked_at BIGINT NOT NULL,
    -- 9223372036854775807 without one, so that the order by deadline needs no special case.
    deadline BIGINT NOT NULL,
    settled_at BIGINT,
    outcome TEXT COLLATE "C",
    late_answers_total BIGINT NOT NULL,
    delivered_at BIGINT,
    acked_at BIGINT,
    erased_at BIGINT
);

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
    call_id TEXT COLLATE "C" NOT NULL REFERENCES calls (id),
    number BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (call_id, number)
);

-- Acts that named themselves, so that repeating one does nothing twice.
CREATE TABLE attempts (
    call_id TEXT COLLATE "C" NOT NULL REFERENCES calls (id),
    principal TEXT COLLATE "C" NOT NULL,
    attempt TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    won BIGINT NOT NULL,
    PRIMARY KEY (call_id, principal, attempt)
);

-- The log of each space, numbered without a gap. It outlives what it tells of.
CREATE TABLE events (
    space TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    happened_at BIGINT NOT NULL,
    call_id TEXT COLLATE "C" NOT NULL,
    rev BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    done_by TEXT COLLATE "C",
    asker_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (space, seq)
);

-- Open pages that can answer: each renews its lease.
CREATE TABLE presence (
    lease TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    space TEXT COLLATE "C" NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE INDEX presence_ends ON presence (space, ends_at);
