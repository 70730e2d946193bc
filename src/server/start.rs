//! From flags to a running server: binds, opens the database, makes the machine's tokens, says that it is ready, and
//! stops on a signal.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};

use super::{Parts, Running};
use crate::auth::origin::{AllowedHost, HostPolicy, PublicUrl, TrustedProxies};
use crate::auth::{Auth, Secret, SecretKind, TokenFor};
use crate::clock::{Clock, SystemClock};
use crate::config::{DataDir, ServeConfig};
use crate::http::Reach;
use crate::store::{self, Person, StoreError};

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A flag makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The address is taken, or may not be used.
    #[error("cannot listen on {address}{hint}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Who has it, as far as that can be told.
        hint: String,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be used.
    #[error("cannot open the database {url}")]
    Database {
        /// Its URL, without a password.
        url: String,
        /// What it says.
        #[source]
        source: StoreError,
    },
    /// The data directory cannot be used.
    #[error("cannot use the data directory {path}")]
    Files {
        /// The directory.
        path: String,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}

/// Runs a server until it is told to stop.
///
/// # Errors
/// [`StartError`], if it cannot start.
pub async fn run(config: ServeConfig) -> Result<(), StartError> {
    crate::telemetry::start(&config.log, config.log_json).map_err(StartError::Usage)?;
    let reach_flags = read_flags(&config)?;
    let listener = bind(config.listen).await?;
    let address = listener.local_addr().map_err(|source| listen_error(config.listen, String::new(), source))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let url = config.database_url();
    let opened = store::open(&url, Arc::clone(&clock)).await;
    let (calls, identities) = opened.map_err(|source| StartError::Database { url: without_password(&url), source })?;
    let local_url = format!("http://{}", reachable(address));
    let running = super::start(Parts {
        listener,
        calls,
        identities,
        clock,
        reach: Reach { local_url: local_url.clone(), ..reach_flags },
        connections_max: config.max_connections,
        drain_delay: Duration::from_secs(config.drain_delay),
    })
    .map_err(|source| listen_error(address, String::new(), source))?;
    let owner = prepare(&config.data_dir, &running.auth, &local_url).await?;
    announce(&running, &owner, &url, &local_url).await;
    stop_signal().await;
    tracing::info!("stopping");
    running.stop().await;
    Ok(())
}

fn read_flags(config: &ServeConfig) -> Result<Reach, StartError> {
    let usage = |error: &dyn std::fmt::Display| StartError::Usage(error.to_string());
    let public_url = config.public_url.as_deref().map(str::parse::<PublicUrl>).transpose().map_err(|e| usage(&e))?;
    let hosts: Result<Vec<AllowedHost>, _> = config.allow_host.iter().map(|host| host.parse()).collect();
    let proxies = TrustedProxies::parse(&config.trusted_proxy).map_err(|error| usage(&error))?;
    let hosts = HostPolicy::new(public_url, hosts.map_err(|error| usage(&error))?, config.listen.ip().is_loopback());
    Ok(Reach { hosts, proxies, local_url: String::new() })
}

async fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    match listen(address) {
        Ok(listener) => Ok(listener),
        Err(source) if source.kind() == std::io::ErrorKind::AddrInUse => {
            Err(listen_error(address, who_has(address).await, source))
        }
        Err(source) => Err(listen_error(address, String::new(), source)),
    }
}

/// Connections that wait to be accepted. The usual 128 overflow when all clients come back after a restart, and who
/// does not fit waits a second for the next try.
const BACKLOG: u32 = 4096;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A port of which old connections are still closing can be taken again; one that is in use cannot.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn listen_error(address: SocketAddr, hint: String, source: std::io::Error) -> StartError {
    StartError::Listen { address, hint, source }
}

/// A taken port is mostly an askhub that runs already: say so.
async fn who_has(address: SocketAddr) -> String {
    let url = format!("http://{}", reachable(address));
    let is_askhub = crate::client::is_askhub(&url).await;
    if is_askhub {
        return format!(": an askhub runs there already, at {url}; or take a free port with `--listen 127.0.0.1:0`");
    }
    ": another program has this port; take a free one with `--listen 127.0.0.1:0`".to_owned()
}

/// An address that a client of this machine can use.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback = if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
    SocketAddr::new(loopback, address.port())
}

/// Makes the owner and the machine's tokens, and writes where the server is: the command line finds all three.
async fn prepare(files: &DataDir, auth: &Auth, local_url: &str) -> Result<Person, StartError> {
    let database = |source| StartError::Database { url: "that was opened".to_owned(), source };
    let owner = auth.ensure_owner().await.map_err(database)?;
    for (file, whose) in [(DataDir::OWNER_TOKEN, TokenFor::Person(&owner)), (DataDir::AGENT_TOKEN, TokenFor::Agent)] {
        let kept = files.read(file).map_err(|source| files_error(files, source))?;
        let kept = kept.and_then(|text| Secret::parse(SecretKind::Token, text.trim()));
        let token = auth.ensure_token(kept, whose, file).await.map_err(database)?;
        files.write_secret(file, token.expose()).map_err(|source| files_error(files, source))?;
    }
    files.write_server(local_url).map_err(|source| files_error(files, source))?;
    Ok(owner)
}

fn files_error(files: &DataDir, source: std::io::Error) -> StartError {
    StartError::Files { path: files.path().display().to_string(), source }
}

/// The one line on stdout says that requests are taken; all else goes to stderr.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "what the person who starts it must see")]
async fn announce(running: &Running, owner: &Person, database: &str, local_url: &str) {
    println!("askhub listening on {local_url}");
    eprintln!("database: {}", without_password(database));
    match running.auth.has_live_session(owner).await {
        Ok(true) => eprintln!("inbox: {local_url}/ (another sign-in link: `askhub login`)"),
        Ok(false) => match running.auth.make_sign_in_code(owner).await {
            Ok(code) => eprintln!("sign in here, once, within ten minutes: {}", running.sign_in_url(code.expose())),
            Err(error) => tracing::error!(%error, "could not make a sign-in link"),
        },
        Err(error) => tracing::error!(%error, "could not look for sessions"),
    }
}

/// A database's URL may hold a password, which belongs in no log.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((user, host)) = rest.rsplit_once('@') else { return url.to_owned() };
    let user = user.split(':').next().unwrap_or_default();
    format!("{scheme}://{user}@{host}")
}

/// Ends at the first SIGINT or SIGTERM.
async fn stop_signal() {
    tokio::select! {
        result = tokio::signal::ctrl_c() => {
            if let Err(error) = result {
                tracing::error!(%error, "an interrupt cannot be heard");
            }
        }
        () = terminate_signal() => {}
    }
}

#[cfg(unix)]
async fn terminate_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            terminate.recv().await;
        }
        Err(error) => {
            tracing::error!(%error, "SIGTERM cannot be heard");
            std::future::pending().await
        }
    }
}

#[cfg(not(unix))]
async fn terminate_signal() {
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_databases_password_is_not_shown() {
        assert_eq!(without_password("postgres://me:s3:cr@et@host:5/db?x=1"), "postgres://me@host:5/db?x=1");
        assert_eq!(without_password("sqlite:/var/lib/askhub.db"), "sqlite:/var/lib/askhub.db");
    }

    #[test]
    fn every_interface_is_reached_by_loopback() {
        assert_eq!(reachable("0.0.0.0:7".parse().unwrap()), "127.0.0.1:7".parse().unwrap());
        assert_eq!(reachable("[::]:7".parse().unwrap()), "[::1]:7".parse().unwrap());
    }
}
