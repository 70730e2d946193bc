//! Flags and environment: what a person can set, read in one place.
//!
//! Invariant: nothing else in askhub reads the environment, and what [`ServeFlags::check`] lets pass can be served
//! safely. Used by `cli` (to find the server and the token of this machine) and by `server` (to be one).

mod data_dir;
mod durations;

use std::net::SocketAddr;
use std::path::PathBuf;

pub use data_dir::DataDir;
pub use durations::parse_duration;

use crate::domain::limits::CONNECTIONS_MAX_DEFAULT;

/// Where the command line looks for askhub when nothing else says it.
pub const URL_DEFAULT: &str = "http://127.0.0.1:7440";

const DATABASE_SCHEMES: [&str; 3] = ["sqlite:", "postgres://", "postgresql://"];

/// How to serve, as it was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeFlags {
    /// Address to listen on; port 0 takes a free one. Other than loopback needs --public-url or --allow-host
    #[arg(long, env = "ASKHUB_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7440")]
    pub listen: SocketAddr,
    /// Database, tokens and server.json [default: the user's data directory, ~/.local/share/askhub on Linux]
    #[arg(long, env = "ASKHUB_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// `sqlite:PATH` or `postgres://…` [default: sqlite:DIR/askhub.db]
    #[arg(long, env = "ASKHUB_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// What people type to reach askhub; links and cookies are made for it. May have a path
    #[arg(long, env = "ASKHUB_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// A further host name that requests may be addressed to; repeat it, or separate several by commas
    #[arg(long, env = "ASKHUB_ALLOW_HOST", value_name = "HOST", value_delimiter = ',')]
    pub allow_host: Vec<String>,
    /// Network of a proxy whose forwarded headers count, as in 10.0.0.0/8; repeat it, or separate several by commas
    #[arg(long, env = "ASKHUB_TRUSTED_PROXY", value_name = "CIDR", value_delimiter = ',')]
    pub trusted_proxy: Vec<String>,
    /// How long to go on serving after a signal to stop, so that balancers find out first
    #[arg(long, env = "ASKHUB_DRAIN_DELAY", value_name = "SECONDS", default_value_t = 0)]
    pub drain_delay: u64,
    /// Most connections at once
    #[arg(long, env = "ASKHUB_MAX_CONNECTIONS", value_name = "COUNT", default_value_t = CONNECTIONS_MAX_DEFAULT as u64,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub max_connections: u64,
    /// What to log, as in `info` or `askhub=debug,sqlx=warn`
    #[arg(long, env = "ASKHUB_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,
    /// Log one JSON object a line
    #[arg(long, env = "ASKHUB_LOG_JSON", value_parser = clap::builder::FalseyValueParser::new())]
    pub log_json: bool,
}

/// Which askhub a command talks to, as it was typed.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ConnectFlags {
    /// Which askhub to talk to [default: the one of the data directory, else http://127.0.0.1:7440]
    #[arg(long, env = "ASKHUB_URL", value_name = "URL", help_heading = "Connection")]
    pub url: Option<String>,
    /// Where this machine's askhub keeps its address and tokens [default: the user's data directory]
    #[arg(long, env = "ASKHUB_DATA_DIR", value_name = "DIR", help_heading = "Connection")]
    pub data_dir: Option<PathBuf>,
}

/// How to serve: checked and complete.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Where files are.
    pub data_dir: DataDir,
    /// Where calls are, if it was said. Not for logs: it may hold a password.
    pub database_url: Option<String>,
    /// What people type.
    pub public_url: Option<String>,
    /// Further names of this host.
    pub allow_host: Vec<String>,
    /// Networks of proxies, in CIDR notation.
    pub trusted_proxy: Vec<String>,
    /// Most connections at once.
    pub max_connections: Option<usize>,
    /// How long to go on serving after a signal to stop, in seconds.
    pub drain_delay: u64,
    /// What to log.
    pub log: String,
    /// Whether to log JSON.
    pub log_json: bool,
}

/// A setting that cannot be used. The command line ends with its exit code for usage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// Other machines could reach it, and it would not know its own name.
    #[error(
        "listening on {0} lets other machines in, and askhub has to know by which name they call it; as in\n\n  \
         askhub serve --listen {0} --public-url http://HOST:{port}\n\n\
         (or --allow-host HOST, if it has several names)",
        port = .0.port()
    )]
    NameMissing(SocketAddr),
    /// The database has no URL that is understood. Does not repeat it: it may hold a password.
    #[error("--database-url begins with sqlite: or postgres://")]
    Database,
    /// There is no home directory.
    #[error("cannot tell where your data directory is: say it by --data-dir DIR")]
    NoHome,
}

impl ServeFlags {
    /// The configuration, if it is one that can be served safely.
    ///
    /// # Errors
    /// [`BadConfig`], with what to type instead.
    pub fn check(self) -> Result<ServeConfig, BadConfig> {
        let data_dir = DataDir::find(self.data_dir)?;
        let public_url = self.public_url.filter(|url| !url.trim().is_empty());
        let allow_host = without_blanks(self.allow_host);
        // An IPv4 address may come in IPv6 clothes: ::ffff:127.0.0.1 is loopback too.
        let is_loopback = self.listen.ip().to_canonical().is_loopback();
        if !is_loopback && public_url.is_none() && allow_host.is_empty() {
            return Err(BadConfig::NameMissing(self.listen));
        }
        let database_url = self.database_url.filter(|url| !url.trim().is_empty());
        if database_url.as_ref().is_some_and(|url| !DATABASE_SCHEMES.iter().any(|scheme| url.starts_with(scheme))) {
            return Err(BadConfig::Database);
        }
        Ok(ServeConfig {
            listen: self.listen,
            data_dir,
            database_url,
            public_url,
            allow_host,
            trusted_proxy: without_blanks(self.trusted_proxy),
            max_connections: usize::try_from(self.max_connections).ok(),
            drain_delay: self.drain_delay,
            log: self.log,
            log_json: self.log_json,
        })
    }
}

impl ServeConfig {
    /// Where calls are: `sqlite:PATH` or `postgres://…`.
    pub fn database_url(&self) -> String {
        let default = || format!("sqlite:{}", self.data_dir.database_path().display());
        self.database_url.clone().unwrap_or_else(default)
    }
}

/// The token that the environment gives to the command line. There is no flag for it: flags are seen by everybody on
/// the machine.
pub fn token_of_environment() -> Option<String> {
    variable("ASKHUB_TOKEN").map(|token| token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// What the user of this machine is called.
pub fn user_name() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(variable)
}

/// What this machine is called.
pub fn host_name() -> Option<String> {
    let of_kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let of_program = || {
        let output = std::process::Command::new("hostname").output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let name = of_kernel.or_else(of_program)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn without_blanks(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        serve: ServeFlags,
    }

    fn check(flags: &[&str]) -> Result<ServeConfig, BadConfig> {
        let always = ["askhub", "--data-dir", "/data"];
        Program::try_parse_from(always.iter().chain(flags)).unwrap().serve.check()
    }

    #[test]
    fn without_flags_it_serves_loopback_from_the_data_directory() {
        let config = check(&[]).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:7440");
        assert_eq!(config.database_url(), "sqlite:/data/askhub.db");
        assert_eq!(config.max_connections, Some(CONNECTIONS_MAX_DEFAULT));
        assert_eq!((config.drain_delay, config.log_json, config.allow_host.len()), (0, false, 0));
        assert_eq!((config.public_url, config.log.as_str()), (None, "info"));
    }

    #[test]
    fn other_machines_are_let_in_only_under_a_name() {
        for listen in ["0.0.0.0:7440", "[::]:7440", "192.168.1.7:80"] {
            let refused = check(&["--listen", listen]).unwrap_err();
            let line = format!("askhub serve --listen {listen} --public-url http://HOST");
            assert!(refused.to_string().contains(&line), "{refused}");
            check(&["--listen", listen, "--public-url", "https://ask.example"]).unwrap();
            check(&["--listen", listen, "--allow-host", "ask.example"]).unwrap();
        }
    }

    #[test]
    fn a_blank_name_is_no_name() {
        assert!(check(&["--listen", "0.0.0.0:7440", "--public-url", " "]).is_err());
        assert!(check(&["--listen", "0.0.0.0:7440", "--allow-host", ","]).is_err());
    }

    #[test]
    fn every_spelling_of_loopback_needs_no_name() {
        for listen in ["127.0.0.1:0", "127.8.9.1:7440", "[::1]:7440", "[::ffff:127.0.0.1]:7440"] {
            check(&["--listen", listen]).unwrap();
        }
    }

    #[test]
    fn lists_may_be_repeated_or_separated_by_commas() {
        let config = check(&["--allow-host", "a, b", "--allow-host", "c", "--trusted-proxy", "10.0.0.0/8,::1/128"]);
        let config = config.unwrap();
        assert_eq!(config.allow_host, ["a", "b", "c"]);
        assert_eq!(config.trusted_proxy, ["10.0.0.0/8", "::1/128"]);
    }

    #[test]
    fn a_database_that_cannot_be_used_is_refused_without_its_password() {
        let refused = check(&["--database-url", "mysql://root:hunter2@db/askhub"]).unwrap_err();
        assert!(!refused.to_string().contains("hunter2"));
        check(&["--database-url", "postgresql://db/askhub"]).unwrap();
    }
}
