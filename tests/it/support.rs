//! What the tests share: a whole service in this process, clients of its streams, a Postgres and a proxy.

pub mod app;
pub mod nginx;
pub mod postgres;
pub mod program;
pub mod socket;
pub mod sse;
