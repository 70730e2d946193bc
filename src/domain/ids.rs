//! The name of a call.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names one call on this hub: a UUIDv7 made by askhub, never by the asker.
///
/// It is the only name of a call that appears in a path, an event or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub Uuid);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

impl FromStr for CallId {
    type Err = uuid::Error;

    /// Reads the one spelling that askhub writes: lower case with hyphens, so that an id has a single form in every
    /// path and log.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = Uuid::try_parse(text)?;
        if id.as_hyphenated().to_string() == text {
            return Ok(Self(id));
        }
        // A braced, upper-case or unhyphenated spelling: refuse with the parser's own kind of error.
        Uuid::try_parse("").map(Self)
    }
}
