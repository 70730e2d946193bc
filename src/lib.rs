//! askhub: agents ask, people answer.
//!
//! The map of the modules, and which may use which, is in ARCHITECTURE.md.

pub mod auth;
pub mod clock;
pub mod domain;
pub mod store;
