//! `askhub user`: the people who answer.

use clap::Subcommand;

use super::exit::{Exit, Failure};
use super::{Common, connect, terminal, words};

/// Flags of `user`.
#[derive(Debug, clap::Args)]
pub struct UserFlags {
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Add a person and print the link that signs the person in, once
    Add {
        /// A name that nobody has yet
        name: String,
        #[command(flatten)]
        common: Common,
    },
    /// List the people
    List {
        #[command(flatten)]
        common: Common,
    },
}

/// Runs it.
///
/// # Errors
/// The server refuses.
pub async fn run(flags: UserFlags) -> Result<Exit, Failure> {
    match flags.command {
        UserCommand::Add { name, common } => add(&name, &common).await,
        UserCommand::List { common } => list(&common).await,
    }
    .map(|()| Exit::Done)
}

async fn add(name: &str, common: &Common) -> Result<(), Failure> {
    let client = connect::connect(&common.connect, connect::As::Owner).await?;
    let added = client.add_person(name).await.map_err(|error| Failure::from(error).with_json(common.json))?;
    if common.json {
        return terminal::print_json(&added.text);
    }
    terminal::note(&format!("{} may answer; this link signs in, once, within ten minutes:", added.value.name));
    added.value.sign_in_url.as_deref().map_or(Ok(()), terminal::print)
}

async fn list(common: &Common) -> Result<(), Failure> {
    let client = connect::connect(&common.connect, connect::As::Owner).await?;
    let people = client.people().await.map_err(|error| Failure::from(error).with_json(common.json))?;
    if common.json {
        return terminal::print_json(&people.text);
    }
    let mut rows = vec![["NAME", "MAY", "ADDED"].map(str::to_owned).to_vec()];
    for person in &people.value.users {
        let may = if person.admin { "administer" } else { "answer" };
        rows.push(vec![terminal::visible_line(&person.name), may.to_owned(), person.created_at.to_string()]);
    }
    terminal::print_view(&words::table(&rows))
}
