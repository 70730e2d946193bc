//! What the tests share: a whole service in this process, clients of its streams, the program
//! itself, a Postgres and a proxy.

pub mod app;
pub mod nginx;
pub mod postgres;
pub mod program;
pub mod seed;
pub mod socket;
pub mod sse;
