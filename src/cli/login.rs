//! `askhub login`: a link that signs a person in, once.

use std::io::IsTerminal as _;

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

use super::exit::{Exit, Failure};
use super::{Common, connect, terminal};
use crate::client;

const EXAMPLES: &str = "\
Examples:
  askhub login               the owner's
  askhub login --qr          for a phone
  askhub login --user ann    for somebody who was added by `askhub user add ann`";

/// Flags of `login`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct LoginFlags {
    /// Whom to sign in [default: the owner]
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Draw the link as a QR code too
    #[arg(long, conflicts_with = "json")]
    qr: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
///
/// # Errors
/// There is no such person.
pub async fn run(flags: LoginFlags) -> Result<Exit, Failure> {
    let as_json = flags.common.json;
    let client = connect::connect(&flags.common.connect, connect::As::Owner).await?;
    let link = client.sign_in_link(flags.user.as_deref()).await;
    let link = link.map_err(|error| Failure::from(error).with_json(as_json))?;
    if as_json {
        terminal::print_json(&link.text)?;
        return Ok(Exit::Done);
    }
    let url = &link.value.url;
    if flags.qr {
        terminal::print_drawing(&drawing(url, std::io::stdout().is_terminal())?)?;
    }
    terminal::print(url)?;
    terminal::note(&format!("signs {} in, once, within ten minutes", link.value.user));
    if flags.qr && client::is_loopback(url) {
        terminal::note("it leads to this machine only: for a phone, start askhub with --public-url");
    }
    Ok(Exit::Done)
}

/// Cameras want dark on light, and nobody knows which of the two a terminal is: there the colours are said.
fn drawing(url: &str, with_colours: bool) -> Result<String, Failure> {
    let code =
        QrCode::new(url).map_err(|error| Failure::new(Exit::Failed, format!("cannot draw the link: {error}")))?;
    let drawn = code.render::<Dense1x2>().build();
    if !with_colours {
        return Ok(drawn);
    }
    let line = |line: &str| format!("\x1b[38;5;16;48;5;231m{line}\x1b[0m");
    Ok(drawn.lines().map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_drawn_as_a_square() {
        let drawn = drawing("https://ask.example/sign-in?code=askhub_code_0123456789", false).unwrap();
        let widths: Vec<_> = drawn.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() > 10 && widths.iter().all(|width| *width == widths[0]));
        assert!(!drawn.contains('\u{1b}'));
        assert!(drawing("x", true).unwrap().lines().all(|line| line.ends_with("\u{1b}[0m")));
    }
}
