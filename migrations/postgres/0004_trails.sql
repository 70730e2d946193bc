-- What happened to one call, without reading the log of its space.
CREATE INDEX events_by_call ON events (call_id, seq);
