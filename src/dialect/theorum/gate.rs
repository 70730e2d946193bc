//! What theorum's kernel settles before it looks at the arguments: whether the tool may run in this turn at all.
//!
//! In the kernel's order: the profile's allow list, the turn's snapshot, and the answer to a gate. A gate asks for
//! permission *to call* a tool; `ask_user` has none of its own, yet a host can send the refusal of one.

use super::super::Request;
use super::TOOL;
use crate::domain::Faults;
use crate::domain::json::Json;

/// Why the tool does not run.
pub(super) struct Failure {
    pub code: &'static str,
    pub message: String,
}

/// Why the tool does not run in this turn; none if it does.
///
/// # Errors
/// A context whose members have other types than the kernel's.
pub(super) fn failure(request: &Request<'_>) -> Result<Option<Failure>, Faults> {
    let profile_type = request.text("profile_type")?;
    let allow = names(request.context.get("allow"), "/context/allow")?;
    let granted = granted(request.context.get("resume"))?;
    let snapshot = snapshot(request.context.get("snapshot"))?;
    let fail = |code, message| Ok(Some(Failure { code, message }));
    if profile_type == Some("speech") || allow.is_some_and(|allow| !allow.contains(&TOOL)) {
        let profile = profile_type.unwrap_or("this profile");
        return fail("not_allowed", format!("Tool '{TOOL}' is not allowed on {profile}"));
    }
    if let (Some(snapshot), None) = (snapshot, granted) {
        if !snapshot.gated.contains(&TOOL) {
            return fail("not_gated", format!("Tool '{TOOL}' is not eligible on this turn (allow/path)"));
        }
        if !snapshot.visible.contains(&TOOL) {
            return fail("not_loaded", format!("Tool '{TOOL}' is not visible this turn"));
        }
    }
    if granted == Some(false) {
        return fail("denied", format!("User denied execution of '{TOOL}'."));
    }
    Ok(None)
}

/// The tools of a turn, as far as `ask_user` needs them.
struct Snapshot<'a> {
    gated: Vec<&'a str>,
    visible: Vec<&'a str>,
}

fn snapshot(value: Option<&Json>) -> Result<Option<Snapshot<'_>>, Faults> {
    let at = "/context/snapshot";
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(snapshot @ Json::Object(_)) => {
            let list = |name: &str| {
                let at = format!("{at}/{name}");
                names(snapshot.get(name), &at)?.ok_or_else(|| Faults::of(&at, "a snapshot lists the names of tools"))
            };
            Ok(Some(Snapshot { gated: list("gated")?, visible: list("visible")? }))
        }
        Some(other) => Err(Faults::of(at, format!("snapshot is an object, not {}", other.kind()))),
    }
}

/// How a gate was answered; none if the call is not the continuation of one.
fn granted(resume: Option<&Json>) -> Result<Option<bool>, Faults> {
    match resume {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(_)) => match resume.and_then(|resume| resume.get("granted")) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Bool(granted)) => Ok(Some(*granted)),
            Some(other) => {
                Err(Faults::of("/context/resume/granted", format!("granted is true or false, not {}", other.kind())))
            }
        },
        Some(other) => Err(Faults::of("/context/resume", format!("resume is an object, not {}", other.kind()))),
    }
}

fn names<'a>(value: Option<&'a Json>, at: &str) -> Result<Option<Vec<&'a str>>, Faults> {
    let name = |item: &'a Json| match item {
        Json::String(name) => Some(name.as_str()),
        _ => None,
    };
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Array(items)) => match items.iter().map(name).collect() {
            Some(names) => Ok(Some(names)),
            None => Err(Faults::of(at, "the names of tools are texts")),
        },
        Some(other) => Err(Faults::of(at, format!("the names of tools are an array, not {}", other.kind()))),
    }
}
