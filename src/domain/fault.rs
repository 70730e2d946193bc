//! What is wrong with a request: every fault at once, each with a JSON pointer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One thing that is wrong, and where (RFC 6901 pointer into the request).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fault {
    /// JSON pointer into the request body; for a query parameter its name.
    pub pointer: String,
    /// What is wrong, in words that say what would be right.
    pub detail: String,
    #[serde(skip)]
    #[schema(ignore)]
    /// Of which kind it is; the problem's `code` is that of the gravest.
    pub code: FaultCode,
}

/// The kind of a fault, from the least to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum FaultCode {
    /// The value is not what it must be.
    #[default]
    Invalid,
    /// The member is part of the contract but not built yet.
    NotSupported,
}

/// Collects faults while a request is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

/// More faults than this help nobody; the rest is left out.
const FAULTS_MAX: usize = 100;

impl Faults {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// One fault alone.
    pub fn of(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let mut faults = Self::new();
        faults.add(pointer, detail);
        faults
    }

    /// Notes that the value at `pointer` is wrong.
    pub fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.push(pointer.into(), detail.into(), FaultCode::Invalid);
    }

    /// Notes that the member at `pointer` is not built yet.
    pub fn add_unsupported(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.push(pointer.into(), detail.into(), FaultCode::NotSupported);
    }

    /// Whether nothing was wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kind of the gravest fault.
    pub fn gravest(&self) -> FaultCode {
        self.0.iter().map(|fault| fault.code).max().unwrap_or_default()
    }

    /// The value if nothing was wrong, else all that was.
    ///
    /// # Errors
    /// The collected faults, if there are any. A missing value without a fault is the caller's mistake and is
    /// reported as one fault at the root.
    pub fn or<T>(mut self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            Some(_) => Err(self),
            None => {
                if self.is_empty() {
                    self.add("", "the request cannot be read");
                }
                Err(self)
            }
        }
    }

    /// All faults, in the order in which they were found.
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }

    fn push(&mut self, pointer: String, detail: String, code: FaultCode) {
        if self.0.len() < FAULTS_MAX {
            self.0.push(Fault { pointer, detail, code });
        }
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Self {
        Self(faults.into_iter().take(FAULTS_MAX).collect())
    }
}
