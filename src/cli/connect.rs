//! Finds the server and the token of this machine.
//!
//! Invariant: a token from the data directory goes to the askhub of that directory or to this machine, and nowhere
//! else, whatever `ASKHUB_URL` says: that one may be anybody's.

use super::exit::{Exit, Failure};
use crate::client::{self, Client};
use crate::config::{self, ConnectFlags, DataDir, URL_DEFAULT};
use crate::domain::CallId;

/// As whom a command acts, if the environment does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum As {
    /// The agents of this machine.
    Agent,
    /// The person who owns this askhub.
    Owner,
}

/// A way to the server.
///
/// # Errors
/// There is no server, or no token for it.
pub async fn connect(flags: &ConnectFlags, who: As) -> Result<Client, Failure> {
    let token = config::token_of_environment();
    if let (Some(url), Some(token)) = (asked_url(flags), &token) {
        return Ok(Client::new(url, Some(token))?);
    }
    let data_dir = DataDir::find(flags.data_dir.clone())?;
    let own_url = read(&data_dir, DataDir::SERVER, DataDir::read_server)?;
    let url = asked_url(flags).map(str::to_owned).or_else(|| own_url.clone());
    let url = url.unwrap_or_else(|| URL_DEFAULT.to_owned());
    if let Some(token) = token {
        return Ok(Client::new(&url, Some(&token))?);
    }
    Client::new(&url, None)?;
    if !is_own(&url, own_url.as_deref()) {
        let message = format!("which token is for {url}? Set ASKHUB_TOKEN; the tokens of this machine stay here");
        return Err(Failure::new(Exit::NotAllowed, message));
    }
    let file = match who {
        As::Agent => DataDir::AGENT_TOKEN,
        As::Owner => DataDir::OWNER_TOKEN,
    };
    match read(&data_dir, file, |data_dir| data_dir.read(file))? {
        Some(token) => Ok(Client::new(&url, Some(&token))?),
        None => Err(without_token(&url, &data_dir, file).await),
    }
}

/// Reads the id of a call. What is no id names no call.
///
/// # Errors
/// [`Exit::NotFound`]
pub fn call_id(text: &str) -> Result<CallId, Failure> {
    let parsed = text.trim().parse();
    parsed.map_err(|_| Failure::new(Exit::NotFound, format!("there is no call {text:?}: ids are written in full")))
}

fn asked_url(flags: &ConnectFlags) -> Option<&str> {
    flags.url.as_deref().map(str::trim).filter(|url| !url.is_empty())
}

fn is_own(url: &str, own_url: Option<&str>) -> bool {
    let same = |own: &str| own.trim_end_matches('/') == url.trim_end_matches('/');
    own_url.is_some_and(same) || client::is_loopback(url)
}

fn read(
    data_dir: &DataDir,
    file: &str,
    read: impl FnOnce(&DataDir) -> std::io::Result<Option<String>>,
) -> Result<Option<String>, Failure> {
    let cannot = |error| format!("cannot read {}: {error}", data_dir.file(file).display());
    read(data_dir).map_err(|error| Failure::new(Exit::NotAllowed, cannot(error)))
}

/// Without a token there was never a server here, or the data is elsewhere: the better of the two hints.
async fn without_token(url: &str, data_dir: &DataDir, file: &str) -> Failure {
    if !client::is_askhub(url).await {
        return Failure::new(Exit::Unavailable, format!("no askhub at {url}: start one with `askhub serve`"));
    }
    let path = data_dir.file(file);
    let message = format!("there is no {}: say --data-dir, or set ASKHUB_TOKEN", path.display());
    Failure::new(Exit::NotAllowed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machines_tokens_are_for_its_own_askhub() {
        assert!(is_own("http://127.0.0.1:7440", None));
        assert!(is_own("http://localhost:1/", None));
        assert!(is_own("http://10.0.0.5:7440/", Some("http://10.0.0.5:7440")));
        assert!(!is_own("http://10.0.0.5:7440", Some("http://127.0.0.1:7440")));
        assert!(!is_own("https://localhost.example", Some("http://127.0.0.1:7440")));
        assert!(!is_own("http://127.0.0.1@evil.example", None));
    }

    #[test]
    fn what_is_no_id_names_no_call() {
        let id = "0190c3a1-7e2b-7c11-9d3e-2f6a5b4c3d2e";
        assert_eq!(call_id(id).unwrap().to_string(), id);
        for wrong in ["", "0190", "../users", &id.to_uppercase()] {
            assert_eq!(call_id(wrong).unwrap_err().exit, Exit::NotFound, "{wrong}");
        }
    }
}
