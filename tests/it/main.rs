//! askhub from the outside: one binary for all integration tests, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "the bans are lifted in tests, and all of this is one")]

mod bad_input;
mod calls;
mod cli;
mod dialect;
mod doors;
mod faults;
mod feeds;
mod history;
mod holding;
mod hook;
mod kill;
mod measures;
mod model;
mod plain;
mod proxies;
mod races;
mod sockets;
mod store;
mod support;
mod telos_host;
mod values;
