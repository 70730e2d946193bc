//! Who may do what. One decision table for every way in (BUGS 106).

use super::call::Call;
use super::outcome::{By, ByKind, Via};

/// Who is asking: proven by a token or a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// A person or an agent.
    pub kind: PrincipalKind,
    /// Stable id; also the scope of an asker's keys.
    pub id: String,
    /// What people read.
    pub name: String,
    /// The one space in which it acts.
    pub space: String,
}

/// What a principal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// An agent token: asks; sees, cancels and acknowledges only its own calls; never answers.
    Agent,
    /// A person: sees the space, answers, may ask too.
    Responder,
    /// A person who also administers.
    Admin,
}

impl Principal {
    /// The principal as the doer of something.
    pub fn by(&self, via: Via) -> By {
        let kind = if self.is_person() { ByKind::Person } else { ByKind::Agent };
        By { kind, id: self.id.clone(), name: self.name.clone(), via }
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.kind != PrincipalKind::Agent
    }
}

/// Whether the principal asked this call.
pub fn is_asker(principal: &Principal, call: &Call) -> bool {
    call.space == principal.space && call.asker.id == principal.id
}

/// Whether the principal may know that this call exists.
pub fn can_see(principal: &Principal, call: &Call) -> bool {
    call.space == principal.space && (principal.is_person() || is_asker(principal, call))
}

/// Whether the principal may answer or decline this call.
pub fn can_answer(principal: &Principal, call: &Call) -> bool {
    call.space == principal.space && principal.is_person()
}

/// Whether the principal may make people and tokens, and erase calls.
pub fn can_administer(principal: &Principal) -> bool {
    principal.kind == PrincipalKind::Admin
}
