//! Reads requests: bodies as strict JSON, queries as known parameters, ids from paths.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, RawQuery, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::problem::{Code, Problem};
use crate::domain::json::Json;
use crate::domain::limits::{BODY_BYTES_MAX, BODY_TIMEOUT, NESTING_MAX, WAIT_SECONDS_MAX};
use crate::domain::{CallId, Digest, Faults};
use crate::wire::parse_whole;

/// A JSON body as it was sent, with its digest. No body at all reads as `{}`.
#[derive(Debug)]
pub struct JsonBody {
    /// The body.
    pub json: Json,
    /// SHA-256 of its canonical text: the same members in another order are the same body.
    pub digest: Digest,
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts.headers, body).await?;
        if bytes.is_empty() {
            return Ok(Self::of(Json::Object(Vec::new())));
        }
        check_type(&parts.headers, "application/json")?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| Problem::at(Code::MalformedJson, "", format!("the body is not UTF-8: {error}")))?;
        parse_json(text).map(Self::of)
    }
}

impl JsonBody {
    fn of(json: Json) -> Self {
        let digest = Digest::of(json.to_canonical_text().as_bytes());
        Self { json, digest }
    }
}

/// Parses a text as JSON within the limits.
pub fn parse_json(text: &str) -> Result<Json, Problem> {
    Json::parse(text, NESTING_MAX).map_err(|error| {
        let code = if error.too_deep { Code::TooDeep } else { Code::MalformedJson };
        Problem::at(code, error.pointer.clone(), error.to_string())
    })
}

/// Reads a whole body within the limits of size and time.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<bytes::Bytes, Problem> {
    let too_large = || Problem::at(Code::BodyTooLarge, "", format!("a body has at most {BODY_BYTES_MAX} bytes"));
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > BODY_BYTES_MAX as u64) {
        return Err(too_large());
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::at(Code::UnsupportedMediaType, "", "send the body without Content-Encoding"));
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, BODY_BYTES_MAX).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(Problem::at(Code::BadRequest, "", format!("the body broke off: {error}"))),
        Err(_) => Err(Problem::new(Code::RequestTimeout, "the body did not come within 30 seconds")),
    }
}

/// Refuses a body of another media type than the one expected; its parameters do not matter.
pub fn check_type(headers: &HeaderMap, expected: &str) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = given.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(Problem::at(Code::UnsupportedMediaType, "", format!("send the body as Content-Type: {expected}")))
}

/// The id of a call in a path. Whatever cannot be one names nothing.
pub struct CallPath(pub CallId);

impl<S: Send + Sync> FromRequestParts<S> for CallPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(params) =
            Path::<Vec<(String, String)>>::from_request_parts(parts, state).await.map_err(|_| Problem::not_found())?;
        let id = params.iter().find(|(name, _)| name == "id").map(|(_, id)| id.as_str()).unwrap_or_default();
        id.parse().map(Self).map_err(|_| Problem::not_found())
    }
}

/// A query string: each known parameter once, nothing unknown.
#[derive(Debug)]
pub struct Query {
    params: Vec<(String, String)>,
    known: Vec<&'static str>,
    faults: Faults,
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let RawQuery(query) = RawQuery::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::new(Code::BadRequest, "bad query"))?;
        let uri: axum::http::Uri = format!("/?{}", query.unwrap_or_default())
            .parse()
            .map_err(|_| Problem::new(Code::BadRequest, "the query cannot be read"))?;
        let axum::extract::Query(params) = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri)
            .map_err(|_| Problem::new(Code::BadRequest, "the query cannot be read"))?;
        Ok(Self { params, known: Vec::new(), faults: Faults::new() })
    }
}

impl Query {
    /// The parameter's text; none if absent. Counts as known from then on.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let mut values = self.params.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone());
        let value = values.next();
        if values.next().is_some() {
            self.faults.add(name, "this parameter is repeated");
        }
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            self.faults.add(name, "a text has no NUL character");
            return None;
        }
        value
    }

    /// The parameter as a whole number from 0 to `max`.
    pub fn whole(&mut self, name: &'static str, max: u64) -> Option<u64> {
        let text = self.text(name)?;
        let number = parse_whole(&text).filter(|number| *number <= max);
        if number.is_none() {
            self.faults.add(name, format!("{name} is a whole number from 0 to {max}, in plain digits"));
        }
        number
    }

    /// `wait`: how long this request may be held, in seconds; 0 without it.
    pub fn wait(&mut self) -> u64 {
        self.whole("wait", WAIT_SECONDS_MAX).unwrap_or(0)
    }

    /// Notes that a parameter is wrong.
    pub fn fault(&mut self, name: &str, detail: impl Into<String>) {
        self.faults.add(name, detail);
    }

    /// Refuses what was wrong and what nobody asked for.
    pub fn finish(mut self) -> Result<(), Problem> {
        let known = &self.known;
        for (name, _) in self.params.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            self.faults.add(name.clone(), format!("unknown parameter; known here: {}", known.join(", ")));
        }
        Ok(self.faults.or(Some(()))?)
    }
}
