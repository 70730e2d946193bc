//! askhub: agents ask, people answer.
//!
//! The map of the modules, and which may use which, is in ARCHITECTURE.md.

pub mod auth;
pub mod broker;
pub mod client;
pub mod clock;
pub mod config;
pub mod dialect;
pub mod domain;
pub mod http;
pub mod registry;
pub mod server;
pub mod store;
pub mod sweeper;
pub mod telemetry;
pub mod wire;
