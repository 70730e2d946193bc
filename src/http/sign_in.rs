//! Signing in with a code from a link, and out again.
//!
//! Invariant: looking at a link uses nothing up (mail scanners and previews look); only a button's POST from our own
//! page does. The code is in a URL for this one purpose, and never logged.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::App;
use super::body::{Query, check_type, read_body};
use super::guard::{Caller, Entry, MaybeCaller};
use super::html::Html;
use super::plain::frame::{Frame, hidden, refused, see_other};
use super::plain::parse_fields;
use super::problem::{Code, Problem};
use crate::auth::origin::Refusal;
use crate::domain::limits::SESSION_LIFE_MAX;

/// The page with the button, or how to get a link to it.
pub async fn show(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    mut query: Query,
) -> Response {
    let caller = caller.filter(Caller::is_page);
    let code = query.text("code").filter(|code| !code.is_empty());
    let Some(code) = code else {
        return match &caller {
            Some(caller) => already_in(&entry, caller),
            None => explain(&entry, StatusCode::OK),
        };
    };
    match app.auth.peek_sign_in_code(&code).await {
        Ok(Some(person)) => ask(&entry, caller.as_ref(), &person.name, &code),
        Ok(None) => unknown(&entry, caller.as_ref()),
        Err(error) => refused(&entry.base, caller.as_ref(), error.into()),
    }
}

/// Uses a code up: the browser that sent it is signed in from then on.
pub async fn submit(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    request: Request,
) -> Response {
    let caller = caller.filter(Caller::is_page);
    match try_sign_in(&app, caller.as_ref(), &entry, request).await {
        Ok(response) => response,
        Err(problem) => refused(&entry.base, caller.as_ref(), problem),
    }
}

/// Ends the session.
pub async fn sign_out(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    request: Request,
) -> Response {
    let caller = caller.filter(Caller::is_page);
    if let Some(caller) = &caller
        && let Err(problem) = try_sign_out(&app, caller, request).await
    {
        return refused(&entry.base, Some(caller), problem);
    }
    with_cookie(&app, &entry, see_other(&format!("{}/sign-in", entry.base)), "", 0)
}

/// The page for whoever is not signed in.
pub fn explain(entry: &Entry, status: StatusCode) -> Response {
    Frame::new(&entry.base, "Sign in", None).respond(status, |html| {
        html.tag("h1").text("Sign in to askhub");
        draw_how(html);
    })
}

/// How to get a sign-in link.
pub fn draw_how(html: &mut Html) {
    html.tag("p").text("Nobody has a password here: a link signs you in, once, within ten minutes.");
    html.tag("ol").body(|html| {
        html.tag("li").body(|html| {
            html.text("On the machine where askhub runs, type ").tag("code").text("askhub login");
            html.text(". (With ").tag("code").text("--qr");
            html.text(" it draws the link for a phone.)");
        });
        html.tag("li").text("Open the link that it prints, and press the button.");
    });
    html.tag("p").class("help").body(|html| {
        html.text("Not your machine? Ask whoever runs it for a link: ").tag("code").text("askhub user add NAME");
        html.text(" makes one for you.");
    });
}

/// Whether a request that has no session to protect yet comes from a page of ours.
///
/// # Errors
/// Why not.
pub fn check_our_page(app: &App, headers: &HeaderMap, entry: &Entry) -> Result<(), Refusal> {
    let joined = |name: &str| {
        let values: Vec<&str> =
            headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("unreadable")).collect();
        (!values.is_empty()).then(|| values.join(","))
    };
    let (fetch_site, origin) = (joined("sec-fetch-site"), joined(header::ORIGIN.as_str()));
    app.hosts().check_unsafe_request(fetch_site.as_deref(), origin.as_deref(), &entry.site)
}

async fn try_sign_in(app: &App, caller: Option<&Caller>, entry: &Entry, request: Request) -> Result<Response, Problem> {
    check_our_page(app, request.headers(), entry)
        .map_err(|refusal| Problem::new(Code::OriginNotAllowed, refusal.to_string()))?;
    let code = read_field(request, "code").await?;
    let Some((secret, person)) = app.auth.sign_in(&code).await? else { return Ok(unknown(entry, caller)) };
    if let Some(caller) = caller {
        // Its cookie is about to be overwritten: nobody could end that session any more.
        if let Err(error) = app.auth.sign_out(&caller.identity).await {
            tracing::warn!(%error, "the session that a browser had before was not ended");
        }
    }
    tracing::info!(person.id = %person.id, "{} signed in", person.name);
    let home = see_other(&format!("{}/", entry.base));
    Ok(with_cookie(app, entry, home, secret.expose(), SESSION_LIFE_MAX.as_secs()))
}

async fn try_sign_out(app: &App, caller: &Caller, request: Request) -> Result<(), Problem> {
    let nonce = read_field(request, "nonce").await?;
    if !caller.identity.check_form_nonce(&nonce) {
        return Err(Problem::new(Code::Forbidden, "the button was drawn for another session; press it again"));
    }
    app.auth.sign_out(&caller.identity).await?;
    Ok(())
}

/// The value of the only field that matters.
async fn read_field(request: Request, name: &str) -> Result<String, Problem> {
    let (parts, body) = request.into_parts();
    check_type(&parts.headers, "application/x-www-form-urlencoded")?;
    let fields = parse_fields(&read_body(&parts.headers, body).await?)?;
    let field = fields.into_iter().find(|(key, _)| key == name);
    field.map(|(_, value)| value).ok_or_else(|| Problem::new(Code::BadRequest, format!("the field {name} is missing")))
}

fn ask(entry: &Entry, caller: Option<&Caller>, name: &str, code: &str) -> Response {
    Frame::new(&entry.base, "Sign in", caller).respond(StatusCode::OK, |html| {
        html.tag("h1").text("Sign in to askhub");
        html.tag("p").body(|html| {
            html.text("This browser will act as ").tag("bdi").class("strong").foreign(name);
            html.text(" until you sign out.");
        });
        if let Some(caller) = caller {
            html.tag("p").class("help").body(|html| {
                html.text("It is signed in as ").tag("bdi").foreign(&caller.who.name);
                html.text(" at present; that ends.");
            });
        }
        html.tag("form").attr("method", "post").attr("action", format!("{}/sign-in", entry.base)).body(|html| {
            hidden(html, "code", code);
            html.tag("div").class("buttons").body(|html| html.tag("button").class("primary").text("Sign in"));
        });
        html.tag("p").class("help").text("Did you not ask for this link? Then close the page; nothing happens.");
    })
}

fn unknown(entry: &Entry, caller: Option<&Caller>) -> Response {
    Frame::new(&entry.base, "This link is over", caller).respond(StatusCode::GONE, |html| {
        html.tag("h1").text("This link signs nobody in");
        html.tag("p").text("It was used already, is older than ten minutes, or was not copied whole.");
        draw_how(html);
    })
}

fn already_in(entry: &Entry, caller: &Caller) -> Response {
    Frame::new(&entry.base, "Signed in", Some(caller)).respond(StatusCode::OK, |html| {
        html.tag("h1").body(|html| {
            html.text("You are signed in as ").tag("bdi").foreign(&caller.who.name);
        });
        html.tag("p").body(|html| {
            html.tag("a").class("button").attr("href", format!("{}/", entry.base)).text("See what is waiting");
        });
    })
}

/// Sets the session's cookie, or with no seconds to live removes it.
fn with_cookie(app: &App, entry: &Entry, mut response: Response, value: &str, seconds: u64) -> Response {
    let name = app.cookie_name(&entry.site);
    let path = if entry.base.is_empty() { "/" } else { &entry.base };
    let secure = if app.is_https() { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    // A secret is letters, digits, `-` and `_`, and a base is checked when it is configured.
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
