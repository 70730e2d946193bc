//! What the tests share: a whole service in this process, a reader of its events, and a Postgres.

pub mod app;
pub mod postgres;
pub mod seed;
pub mod sse;
