//! The log: to stderr, in words or as JSON. Never a token, never what was asked or answered.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts the log. `filter` is in the form of tracing's filters, such as `info,askhub=debug`.
///
/// # Errors
/// The filter in words, if it cannot be read.
pub fn start(filter: &str, as_json: bool) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("--log {filter}: {error}"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if as_json {
        log.json().init();
    } else {
        log.with_ansi(std::io::stderr().is_terminal()).with_target(false).init();
    }
    Ok(())
}
