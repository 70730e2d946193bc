//! Every bound of the system in one place, each named with its unit and served at `/v1/limits`.

use std::time::Duration;

/// Largest HTTP request body and WebSocket message, in bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Deepest nesting of a JSON body: arrays and objects, counted from 1.
pub const NESTING_MAX: usize = 64;
/// Most questions in one call.
pub const QUESTIONS_MAX: usize = 200;
/// Most options of one question.
pub const OPTIONS_MAX: usize = 1000;
/// Most fields of one form.
pub const FORM_FIELDS_MAX: usize = 200;
/// Longest single text (question, label, description, preview, context, answer), in bytes of UTF-8.
pub const TEXT_BYTES_MAX: usize = 256 << 10;
/// Longest asker's key, `answer_id`, question id or option id, in bytes of UTF-8.
pub const ID_BYTES_MAX: usize = 200;
/// Longest of an agent's own words about itself (name, session, host, time zone) and of one tag, in bytes.
pub const NAME_BYTES_MAX: usize = 200;
/// Most tags on one call.
pub const TAGS_MAX: usize = 50;
/// Largest priority; 0 is the least urgent, 50 the default.
pub const PRIORITY_MAX: u8 = 100;
/// Shortest time a call may stay open, in seconds.
pub const TIMEOUT_SECONDS_MIN: u64 = 1;
/// Longest time a call may stay open, in seconds: 366 days. Without a timeout a call waits for ever.
pub const TIMEOUT_SECONDS_MAX: u64 = 366 * 24 * 60 * 60;
/// Longest time one HTTP request may be held, in seconds: below every proxy's cut (Heroku 55 s, nginx 60 s).
pub const WAIT_SECONDS_MAX: u64 = 50;
/// Longest time an answer may be held for undoing, in seconds.
pub const HOLD_SECONDS_MAX: u64 = 30;
/// How long before the deadline a held answer must have settled its call, in seconds; a later one is not held.
pub const HOLD_SECONDS_BEFORE_DEADLINE_MIN: u64 = 5;
/// How long a claim lasts when the request does not say, and after each sign of typing, in seconds.
pub const CLAIM_SECONDS: u64 = 120;
/// Longest claim, in seconds.
pub const CLAIM_SECONDS_MAX: u64 = 600;
/// How far away typing keeps the deadline, in seconds.
pub const TYPING_HOLD_SECONDS: u64 = 60;
/// By how much typing moves one call's deadline at most, in seconds.
pub const TYPING_HOLD_SECONDS_MAX: u64 = 30 * 60;
/// Most pending calls of one token.
pub const PENDING_PER_ASKER_MAX: usize = 10_000;
/// Most parties waiting for one call on one node.
pub const WAITERS_PER_CALL_MAX: usize = 64;
/// Most waiting parties on one node.
pub const WAITERS_PER_NODE_MAX: usize = 200_000;
/// Most calls in one multi-wait.
pub const WAIT_IDS_MAX: usize = 500;
/// Most calls on one page of a list.
pub const PAGE_CALLS_MAX: usize = 200;
/// Calls on one page of a list when the request does not say.
pub const PAGE_CALLS_DEFAULT: usize = 50;
/// Most events in one reply of `/v1/sync`.
pub const SYNC_EVENTS_MAX: usize = 500;
/// Most events in the trail of one call.
pub const TRAIL_EVENTS_MAX: usize = 500;
/// Late answers shown with a call; more are kept and counted.
pub const LATE_ANSWERS_SHOWN_MAX: usize = 20;
/// Most open feeds (SSE streams and WebSocket subscriptions) of one token or session on one node.
pub const FEEDS_PER_PRINCIPAL_MAX: usize = 20;
/// Most requests in work at once on one WebSocket, waits included.
pub const REQUESTS_PER_SOCKET_MAX: usize = 10_000;
/// Most open connections on one node when the configuration does not say.
pub const CONNECTIONS_MAX_DEFAULT: usize = 20_000;
/// How long a client may take to send a request's header.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a client may take to send a request's body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest interval between two signs of life on a stream: half of the smallest common proxy limit (30 s).
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a page's presence counts without being renewed.
pub const PRESENCE_LIFE: Duration = Duration::from_secs(30);
/// How often an open page's presence is renewed.
pub const PRESENCE_RENEWAL: Duration = Duration::from_secs(10);
/// Longest time between two looks for calls that are due.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// How often a node looks for what other nodes of the same database did.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Longest a stop takes, with any number of waiters.
pub const SHUTDOWN_MAX: Duration = Duration::from_secs(10);
/// How long a sign-in code is good for, once.
pub const SIGN_IN_LIFE: Duration = Duration::from_secs(600);
/// How long a session lasts without being used.
pub const SESSION_IDLE_MAX: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// How long a session lasts at most.
pub const SESSION_LIFE_MAX: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// How long a token or session that was looked up may be trusted without looking again.
pub const AUTH_CACHE_LIFE: Duration = Duration::from_secs(5);
