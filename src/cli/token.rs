//! `askhub token`: what agents prove themselves by.
//!
//! Invariant: a secret is printed by `create` alone, once; everything else shows names and ids.

use clap::Subcommand;

use super::exit::{Exit, Failure};
use super::{Common, connect, terminal, words};
use crate::config::{ConnectFlags, DataDir};
use crate::domain::ByKind;

/// Flags of `token`.
#[derive(Debug, clap::Args)]
pub struct TokenFlags {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make an agent's token and print it: this is the only time that it is shown
    Create {
        /// What people read
        #[arg(long)]
        name: String,
        #[command(flatten)]
        common: Common,
    },
    /// List the tokens, without their secrets
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Revoke a token; its pending calls stay
    Revoke {
        /// The token's id, as `askhub token list` shows it
        id: String,
        #[command(flatten)]
        common: Common,
    },
    /// Print where this machine's own token for agents is: TOKEN=$(cat "$(askhub token path)")
    Path {
        /// The owner's instead
        #[arg(long)]
        owner: bool,
        #[command(flatten)]
        connect: ConnectFlags,
    },
}

/// Runs it.
///
/// # Errors
/// The server refuses.
pub async fn run(flags: TokenFlags) -> Result<Exit, Failure> {
    match flags.command {
        TokenCommand::Create { name, common } => create(&name, &common).await,
        TokenCommand::List { common } => list(&common).await,
        TokenCommand::Revoke { id, common } => revoke(&id, &common).await,
        TokenCommand::Path { owner, connect } => path(owner, connect),
    }
    .map(|()| Exit::Done)
}

async fn create(name: &str, common: &Common) -> Result<(), Failure> {
    let client = connect::connect(&common.connect, connect::As::Owner).await?;
    let made = client.add_token(name).await.map_err(|error| Failure::from(error).with_json(common.json))?;
    if common.json {
        return terminal::print_json(&made.text);
    }
    terminal::note(&format!("token {} for {name}; it is shown this once:", made.value.id));
    made.value.token.as_deref().map_or(Ok(()), terminal::print)
}

async fn list(common: &Common) -> Result<(), Failure> {
    let client = connect::connect(&common.connect, connect::As::Owner).await?;
    let tokens = client.tokens().await.map_err(|error| Failure::from(error).with_json(common.json))?;
    if common.json {
        return terminal::print_json(&tokens.text);
    }
    let mut rows = vec![["ID", "NAME", "FOR", "MADE", "REVOKED"].map(str::to_owned).to_vec()];
    for token in &tokens.value.tokens {
        let whose = match token.kind {
            ByKind::Person => "a person",
            ByKind::Agent => "agents",
        };
        let revoked = token.revoked_at.map_or_else(|| "-".to_owned(), |at| at.to_string());
        let name = terminal::visible_line(&token.name);
        rows.push(vec![token.id.clone(), name, whose.to_owned(), token.created_at.to_string(), revoked]);
    }
    terminal::print_view(&words::table(&rows))
}

async fn revoke(id: &str, common: &Common) -> Result<(), Failure> {
    let client = connect::connect(&common.connect, connect::As::Owner).await?;
    client.revoke_token(id).await.map_err(|error| Failure::from(error).with_json(common.json))?;
    terminal::note("revoked");
    Ok(())
}

fn path(owner: bool, connect: ConnectFlags) -> Result<(), Failure> {
    let data_dir = DataDir::find(connect.data_dir)?;
    let path = data_dir.file(if owner { DataDir::OWNER_TOKEN } else { DataDir::AGENT_TOKEN });
    if !path.exists() {
        terminal::note("it is not there yet: `askhub serve` makes it");
    }
    terminal::print(&path.display().to_string())
}
