-- Answers inside their undo window, claims, and the time that typing won. `due_at` is when a call gets its outcome if
-- nobody does anything: the end of the undo window, else the deadline; 9223372036854775807 for never.
ALTER TABLE calls ADD COLUMN held TEXT COLLATE "C";
ALTER TABLE calls ADD COLUMN claim TEXT COLLATE "C";
ALTER TABLE calls ADD COLUMN claim_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN typing_seconds BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN due_at BIGINT NOT NULL DEFAULT 9223372036854775807;

UPDATE calls SET due_at = deadline WHERE status = 'pending';

DROP INDEX calls_pending_due;
CREATE INDEX calls_pending_due ON calls (due_at, id) WHERE status = 'pending';
DROP INDEX calls_newest_by_asker_and_status;
CREATE INDEX calls_newest_by_asker_and_status ON calls (space, asker_id, status, asked_at, id, due_at);
