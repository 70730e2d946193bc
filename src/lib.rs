//! askhub: agents ask, people answer.
//!
//! The map of the modules, and which may use which, is in ARCHITECTURE.md.

pub mod auth;
pub mod broker;
pub mod clock;
pub mod dialect;
pub mod domain;
pub mod registry;
pub mod store;
pub mod sweeper;
pub mod wire;
