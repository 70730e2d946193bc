//! When to repeat a request, and how long to pause before. Used by `client` and, for what it says meanwhile, by `cli`.

use std::time::Duration;

use tokio::time::Instant;

use super::ClientError;

const PAUSE_MIN: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// A server may ask for a longer pause than ours, but not for any.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);
/// How long a proxy or a restart may take, for somebody who looks on.
const SHORT: Duration = Duration::from_secs(20);

/// For how long to repeat what fails in passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Not at all.
    None,
    /// A while; but a server that is not there at the first try is not there, and one that is full is full.
    Short,
    /// Until it works or fails for good: the caller sets the limit.
    Endless,
}

/// What happens while a request is repeated.
#[derive(Debug)]
pub enum Notice<'a> {
    /// It failed, and is tried again after this pause.
    Failed(&'a ClientError, Duration),
    /// It works again.
    Works,
}

impl Patience {
    /// Does something until it works, fails for good, or patience is over.
    ///
    /// # Errors
    /// The last failure.
    pub async fn repeat<T, F: Future<Output = Result<T, ClientError>>>(
        self,
        mut act: impl FnMut() -> F,
        mut notice: impl FnMut(Notice<'_>),
    ) -> Result<T, ClientError> {
        let since = Instant::now();
        let mut pauses = Pauses::default();
        loop {
            let error = match act().await {
                Ok(value) => {
                    if pauses.count > 0 {
                        notice(Notice::Works);
                    }
                    return Ok(value);
                }
                Err(error) => error,
            };
            if !self.lasts(&error, pauses.count, since.elapsed()) {
                return Err(error);
            }
            let pause = pauses.next(error.retry_after());
            notice(Notice::Failed(&error, pause));
            tokio::time::sleep(pause).await;
        }
    }

    fn lasts(self, error: &ClientError, repeats: u32, waited: Duration) -> bool {
        let is_full = matches!(error, ClientError::Refused(refusal) if refusal.problem.status == 429);
        let is_absent = matches!(error, ClientError::Unreachable { .. }) && repeats == 0;
        match self {
            Self::None => false,
            Self::Short => error.is_passing() && !is_full && !is_absent && waited < SHORT,
            Self::Endless => error.is_passing(),
        }
    }
}

/// Pauses that grow, with chance in them: thousands of agents that lost the same server must not come back at once.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    count: u32,
}

impl Pauses {
    pub(super) fn next(&mut self, asked: Option<Duration>) -> Duration {
        let grown = PAUSE_MIN.saturating_mul(1 << self.count.min(16)).min(PAUSE_MAX);
        self.count += 1;
        let chance = rand::random_range(0.5..1.0);
        let asked = asked.unwrap_or_default().min(RETRY_AFTER_MAX);
        grown.mul_f64(chance).max(asked.mul_f64(0.5 + chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Refusal;
    use crate::wire::ProblemReply;

    fn refused(status: u16) -> ClientError {
        let problem = ProblemReply {
            kind: String::new(),
            title: String::new(),
            status,
            code: String::new(),
            detail: String::new(),
            errors: Vec::new(),
            call: None,
            tool_result: None,
            tool_error_code: None,
        };
        ClientError::Refused(Box::new(Refusal { problem, retry_after: None, text: String::new() }))
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        let mut pauses = Pauses::default();
        let all: Vec<_> = (0..20).map(|_| pauses.next(None)).collect();
        assert!(all[0] <= PAUSE_MIN && all[0] >= PAUSE_MIN / 2);
        assert!(all.iter().all(|pause| *pause <= PAUSE_MAX));
        assert!(all[19] >= PAUSE_MAX / 2);
    }

    #[test]
    fn a_pause_that_the_server_asks_for_is_kept_within_reason() {
        let mut pauses = Pauses::default();
        assert!(pauses.next(Some(Duration::from_secs(5))) >= Duration::from_secs(5));
        assert!(pauses.next(Some(Duration::MAX)) <= RETRY_AFTER_MAX * 2);
    }

    #[test]
    fn only_what_passes_is_repeated() {
        for status in [502, 503, 504] {
            assert!(Patience::Short.lasts(&refused(status), 0, Duration::ZERO), "{status}");
            assert!(!Patience::Short.lasts(&refused(status), 9, SHORT), "{status}");
            assert!(!Patience::None.lasts(&refused(status), 0, Duration::ZERO), "{status}");
        }
        for status in [400, 401, 403, 404, 409, 422, 500] {
            assert!(!Patience::Endless.lasts(&refused(status), 0, Duration::ZERO), "{status}");
        }
        assert!(Patience::Endless.lasts(&refused(429), 99, Duration::MAX));
        assert!(!Patience::Short.lasts(&refused(429), 0, Duration::ZERO));
    }

    #[tokio::test]
    async fn what_works_again_is_noticed() {
        let mut left = 1;
        let mut seen = Vec::new();
        let act = || {
            left -= 1;
            std::future::ready(if left < 0 { Ok(7) } else { Err(refused(503)) })
        };
        let worked = Patience::Endless.repeat(act, |notice| seen.push(matches!(notice, Notice::Works))).await;
        assert_eq!(worked.unwrap(), 7);
        assert_eq!(seen, [false, true]);
    }
}
