//! Who came to this node with a token, for whoever connects an agent and wants to see it arrive.
//!
//! Invariant: holds no secret and no part of one; bounded; lost with the process, which is as long as anybody looks.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::domain::Timestamp;

/// A token that was used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenToken {
    /// The principal that it proved.
    pub principal: String,
    /// When it was used last.
    pub at: Timestamp,
    /// What the program calls itself.
    pub user_agent: String,
}

/// A token that was refused here: nobody's, or no token at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedToken {
    /// When.
    pub at: Timestamp,
    /// What the program calls itself.
    pub user_agent: String,
}

/// What was seen, and what refused, since this process began.
#[derive(Debug, Default)]
pub(super) struct SeenTokens {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: HashMap<String, SeenToken>,
    refused: VecDeque<RefusedToken>,
}

const TOKENS_MAX: usize = 1000;
const REFUSED_MAX: usize = 20;
const USER_AGENT_CHARACTERS_MAX: usize = 120;

impl SeenTokens {
    pub fn note(&self, principal: &str, at: Timestamp, user_agent: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.seen.get_mut(principal) {
            known.at = at;
            if known.user_agent != user_agent {
                known.user_agent = shortened(user_agent);
            }
        } else if state.seen.len() < TOKENS_MAX {
            let seen = SeenToken { principal: principal.to_owned(), at, user_agent: shortened(user_agent) };
            state.seen.insert(principal.to_owned(), seen);
        }
    }

    pub fn note_refusal(&self, at: Timestamp, user_agent: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.refused.len() == REFUSED_MAX {
            state.refused.pop_front();
        }
        state.refused.push_back(RefusedToken { at, user_agent: shortened(user_agent) });
    }

    pub fn all(&self) -> (Vec<SeenToken>, Vec<RefusedToken>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen: Vec<_> = state.seen.values().cloned().collect();
        seen.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.principal.cmp(&other.principal)));
        (seen, state.refused.iter().rev().cloned().collect())
    }
}

fn shortened(user_agent: &str) -> String {
    user_agent.chars().filter(|character| !character.is_control()).take(USER_AGENT_CHARACTERS_MAX).collect()
}
