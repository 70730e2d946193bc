//! People, tokens and sign-in links: for admins.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::App;
use super::body::JsonBody;
use super::guard::Caller;
use super::problem::{Code, Problem};
use crate::auth::{NameError, Person, Token};
use crate::domain::ByKind;
use crate::wire::{
    self, ConnectionsReply, PersonReply, ProblemReply, RefusedReply, SeenReply, SignInLinkReply, TokenReply,
};

/// Add a responder. The reply has a link that signs the person in, once.
#[utoipa::path(post, path = "/v1/users", tag = "admin", request_body = wire::PersonForm,
    responses((status = 201, body = PersonReply), (status = 403, body = ProblemReply),
              (status = 409, description = "`name_taken`", body = ProblemReply), (status = 422, body = ProblemReply)))]
pub async fn add_person(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<(StatusCode, Json<PersonReply>), Problem> {
    admin_only(&caller)?;
    let form = wire::read_person(&body.json)?;
    let person = app.auth.add_person(&form.name, false).await.map_err(|error| name_problem(&form.name, error))?;
    let code = app.auth.make_sign_in_code(&person).await?;
    let mut reply = person_reply(&person);
    reply.sign_in_url = Some(app.sign_in_url(code.expose()));
    Ok((StatusCode::CREATED, Json(reply)))
}

/// All people.
#[utoipa::path(get, path = "/v1/users", tag = "admin",
    responses((status = 200, description = "`{users: [person]}`"), (status = 403, body = ProblemReply)))]
pub async fn people(State(app): State<App>, caller: Caller) -> Result<Json<Value>, Problem> {
    admin_only(&caller)?;
    let people: Vec<_> = app.auth.people().await?.iter().map(person_reply).collect();
    Ok(Json(json!({ "users": people })))
}

/// Make a link that signs a person in, once, within ten minutes.
#[utoipa::path(post, path = "/v1/sign-in-links", tag = "admin", request_body = wire::SignInLinkForm,
    responses((status = 201, body = SignInLinkReply), (status = 403, body = ProblemReply),
              (status = 404, body = ProblemReply)))]
pub async fn sign_in_link(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<(StatusCode, Json<SignInLinkReply>), Problem> {
    admin_only(&caller)?;
    let form = wire::read_sign_in_link(&body.json)?;
    let name = form.user.unwrap_or_else(|| caller.who.name.clone());
    let person = app.auth.person_named(&name).await?;
    let person = person.ok_or_else(|| Problem::new(Code::NotFound, format!("there is no person called {name:?}")))?;
    let code = app.auth.make_sign_in_code(&person).await?;
    let expires_at = app.broker.check().await?.plus_seconds(crate::domain::limits::SIGN_IN_LIFE.as_secs());
    let reply = SignInLinkReply { url: app.sign_in_url(code.expose()), user: person.name, expires_at };
    Ok((StatusCode::CREATED, Json(reply)))
}

/// Make an agent token. The reply has its secret, which is shown this once.
#[utoipa::path(post, path = "/v1/tokens", tag = "admin", request_body = wire::TokenForm,
    responses((status = 201, body = TokenReply), (status = 403, body = ProblemReply), (status = 422, body = ProblemReply)))]
pub async fn add_token(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<(StatusCode, Json<TokenReply>), Problem> {
    admin_only(&caller)?;
    let form = wire::read_token(&body.json)?;
    let made = app.auth.create_agent_token(&form.name).await;
    let (secret, token) = made.map_err(|error| name_problem(&form.name, error))?;
    let mut reply = token_reply(&token);
    reply.token = Some(secret.expose().to_owned());
    Ok((StatusCode::CREATED, Json(reply)))
}

/// All tokens, without their secrets.
#[utoipa::path(get, path = "/v1/tokens", tag = "admin",
    responses((status = 200, description = "`{tokens: [token]}`"), (status = 403, body = ProblemReply)))]
pub async fn tokens(State(app): State<App>, caller: Caller) -> Result<Json<Value>, Problem> {
    admin_only(&caller)?;
    let tokens: Vec<_> = app.auth.tokens().await?.iter().map(token_reply).collect();
    Ok(Json(json!({ "tokens": tokens })))
}

/// Who came with a token to this node since it started, and who was refused: to see an agent arrive.
#[utoipa::path(get, path = "/v1/connections", tag = "admin",
    responses((status = 200, body = ConnectionsReply), (status = 403, body = ProblemReply)))]
pub async fn connections(State(app): State<App>, caller: Caller) -> Result<Json<ConnectionsReply>, Problem> {
    admin_only(&caller)?;
    let (seen, refused) = app.auth.seen_tokens();
    let seen = seen.into_iter().map(|one| SeenReply { id: one.principal, at: one.at, user_agent: one.user_agent });
    let refused = refused.into_iter().map(|one| RefusedReply { at: one.at, user_agent: one.user_agent });
    Ok(Json(ConnectionsReply { seen: seen.collect(), refused: refused.collect() }))
}

/// Revoke a token. Its open streams end within five seconds; its pending calls stay answerable.
#[utoipa::path(delete, path = "/v1/tokens/{id}", tag = "admin", params(("id" = String, Path, description = "Its id")),
    responses((status = 204, description = "Revoked"), (status = 403, body = ProblemReply), (status = 404, body = ProblemReply)))]
pub async fn revoke_token(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    admin_only(&caller)?;
    if app.auth.revoke_token(&id).await? { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::not_found()) }
}

fn name_problem(name: &str, error: NameError) -> Problem {
    match error {
        NameError::Bad(bad) => Problem::at(Code::Invalid, "/name", bad.to_string()),
        NameError::Taken => Problem::new(Code::NameTaken, format!("there is a person called {name:?}")),
        NameError::Store(error) => error.into(),
    }
}

fn admin_only(caller: &Caller) -> Result<(), Problem> {
    if caller.is_admin() {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "this takes an admin: use owner.token or the owner's session"))
}

fn person_reply(person: &Person) -> PersonReply {
    PersonReply {
        id: person.id.clone(),
        name: person.name.clone(),
        admin: person.is_admin,
        created_at: person.created_at,
        sign_in_url: None,
    }
}

fn token_reply(token: &Token) -> TokenReply {
    TokenReply {
        id: token.id.clone(),
        name: token.name.clone(),
        kind: if token.person.is_some() { ByKind::Person } else { ByKind::Agent },
        created_at: token.created_at,
        revoked_at: token.revoked_at,
        token: None,
    }
}
