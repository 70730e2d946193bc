//! Every test that needs more than one module: one binary, because linking is what takes long.
#![expect(clippy::unwrap_used, reason = "the bans are lifted in tests, and all of this is one")]

mod store;
mod support;
