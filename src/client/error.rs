//! What can go wrong on the way to askhub and back.

use std::time::Duration;

use crate::wire::ProblemReply;

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The URL or the token cannot be used at all.
    #[error("{0}")]
    Setting(String),
    /// Nobody answers there. Nothing was sent.
    #[error("no askhub at {url}")]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the network says.
        #[source]
        source: reqwest::Error,
    },
    /// The connection ended before the whole reply was there. Whether the request was done is unknown.
    #[error("the connection to {url} broke")]
    Broken {
        /// Where it went.
        url: String,
        /// What the network says.
        #[source]
        source: reqwest::Error,
    },
    /// askhub, or a proxy in front of it, says no.
    #[error("{}", .0.problem.detail)]
    Refused(Box<Refusal>),
    /// Something answers that is no askhub.
    #[error("{url} does not answer like an askhub: {detail}")]
    Foreign {
        /// Who answers.
        url: String,
        /// What is odd.
        detail: String,
    },
}

/// A reply that says no.
#[derive(Debug)]
pub struct Refusal {
    /// What is wrong.
    pub problem: ProblemReply,
    /// When to try again, if the reply says it.
    pub retry_after: Option<Duration>,
    /// The reply as it came.
    pub text: String,
}

impl ClientError {
    /// Whether the same request may succeed a little later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Broken { .. } => true,
            Self::Refused(refusal) => matches!(refusal.problem.status, 429 | 502..=504),
            Self::Setting(_) | Self::Foreign { .. } => false,
        }
    }

    /// The code of a refusal; empty for all else.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refusal) => &refusal.problem.code,
            _ => "",
        }
    }

    /// When to try again, if the reply says it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }
}
