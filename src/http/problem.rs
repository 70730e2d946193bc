//! Refusals as RFC 9457 problems. The only place that knows status codes.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;
use crate::broker::{BrokerError, StoreError, View};
use crate::domain::{Fault, FaultCode, Faults, Loss};

use crate::wire::{ProblemReply, ToolResultReply};

/// What can be wrong with a request, as `code` says it. Stable: programs branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    MalformedJson,
    TooDeep,
    BadRequest,
    Unauthorized,
    Forbidden,
    HostNotAllowed,
    OriginNotAllowed,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    AlreadySettled,
    NotSettled,
    Held,
    ClaimLost,
    RevMismatch,
    KeyReused,
    AnswerIdReused,
    HardDeadline,
    NameTaken,
    BodyTooLarge,
    UnsupportedMediaType,
    Invalid,
    NotSupported,
    NoDeadline,
    ToolRefused,
    TooManyPending,
    TooManyWaiters,
    Internal,
    Unavailable,
}

impl Code {
    /// Status, `code` and title.
    const fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::MalformedJson => (StatusCode::BAD_REQUEST, "malformed_json", "The body is not JSON"),
            Self::TooDeep => (StatusCode::BAD_REQUEST, "too_deep", "The body nests too deeply"),
            Self::BadRequest => (StatusCode::BAD_REQUEST, "bad_request", "The request cannot be read"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized", "Sign in or send a token"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden", "Not allowed"),
            Self::HostNotAllowed => (StatusCode::FORBIDDEN, "host_not_allowed", "This host name is not served here"),
            Self::OriginNotAllowed => (StatusCode::FORBIDDEN, "origin_not_allowed", "Not from this page"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "Not found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "Wrong method"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request_timeout", "The body came too slowly"),
            Self::AlreadySettled => (StatusCode::CONFLICT, "already_settled", "The call has its outcome"),
            Self::NotSettled => (StatusCode::CONFLICT, "not_settled", "The call has no outcome yet"),
            Self::Held => (StatusCode::CONFLICT, "held", "Another answer is about to settle the call"),
            Self::ClaimLost => (StatusCode::CONFLICT, "claim_lost", "Somebody else is answering now"),
            Self::RevMismatch => (StatusCode::CONFLICT, "rev_mismatch", "The call has changed"),
            Self::KeyReused => (StatusCode::CONFLICT, "key_reused", "The key names another ask"),
            Self::AnswerIdReused => (StatusCode::CONFLICT, "answer_id_reused", "The answer_id names another act"),
            Self::HardDeadline => (StatusCode::CONFLICT, "hard_deadline", "The deadline may not be moved"),
            Self::NameTaken => (StatusCode::CONFLICT, "name_taken", "Somebody has this name"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", "The body is too large"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The body has the wrong type")
            }
            Self::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The request breaks rules"),
            Self::NotSupported => (StatusCode::UNPROCESSABLE_ENTITY, "not_supported", "Not built yet"),
            Self::NoDeadline => (StatusCode::UNPROCESSABLE_ENTITY, "no_deadline", "The call has no deadline"),
            Self::ToolRefused => (StatusCode::UNPROCESSABLE_ENTITY, "tool_refused", "The tool refuses its arguments"),
            Self::TooManyPending => (StatusCode::TOO_MANY_REQUESTS, "too_many_pending", "Too many pending calls"),
            Self::TooManyWaiters => (StatusCode::TOO_MANY_REQUESTS, "too_many_waiters", "Too many are waiting"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "A fault of the server"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Not available now"),
        }
    }

    /// Seconds after which trying again makes sense, where it does.
    const fn retry_after(self) -> Option<&'static str> {
        match self {
            Self::TooManyPending | Self::TooManyWaiters => Some("5"),
            Self::Unavailable => Some("1"),
            _ => None,
        }
    }
}

/// A refusal on its way out.
#[derive(Debug)]
pub struct Problem(Box<ProblemReply>, Code);

impl Problem {
    /// A refusal with what went wrong this time.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let (status, name, title) = code.parts();
        let body = ProblemReply {
            kind: format!("https://askhub.dev/problems/{name}"),
            title: title.to_owned(),
            status: status.as_u16(),
            code: name.to_owned(),
            detail: detail.into(),
            errors: Vec::new(),
            call: None,
            tool_result: None,
            tool_error_code: None,
        };
        Self(Box::new(body), code)
    }

    /// A refusal of one value.
    pub fn at(code: Code, pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let fault = Fault { pointer: pointer.into(), detail: detail.into(), code: FaultCode::Invalid };
        let mut problem = Self::new(code, fault.detail.clone());
        problem.0.errors = vec![fault];
        problem
    }

    /// A path, or an id in it, that names nothing.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "there is nothing here for you under this name")
    }

    /// A dialect's refusal, with what the model must see.
    pub fn tool(code: &str, result: ToolResultReply) -> Self {
        let mut problem = Self::new(Code::ToolRefused, "the tool refuses these arguments; tool_result says why");
        problem.0.tool_result = Some(result);
        problem.0.tool_error_code = Some(code.to_owned());
        problem
    }

    /// What the broker says, with the call where it lost.
    pub fn of(app: &App, error: BrokerError) -> Self {
        match error {
            BrokerError::Lost(view, loss) => Self::lost(app, &view, loss),
            BrokerError::NotFound => Self::not_found(),
            BrokerError::Forbidden(detail) => Self::new(Code::Forbidden, detail),
            BrokerError::Invalid(faults) => faults.into(),
            BrokerError::TooManyPending => {
                Self::new(Code::TooManyPending, "this asker has 10000 pending calls; nothing was stored")
            }
            BrokerError::TooManyWaiters(full) => Self::new(Code::TooManyWaiters, full.to_string()),
            BrokerError::Store(error) => error.into(),
        }
    }

    /// The body, for ways that are not HTTP.
    pub fn into_body(self) -> ProblemReply {
        *self.0
    }

    fn lost(app: &App, view: &View, loss: Loss) -> Self {
        let (code, detail) = match loss {
            Loss::AlreadySettled => (Code::AlreadySettled, "the call was settled before; call has its outcome"),
            Loss::NotSettled => (Code::NotSettled, "the call is still pending"),
            Loss::Held => (Code::Held, "another answer is held and settles the call soon, unless it is taken back"),
            Loss::ClaimLost => (Code::ClaimLost, "the call was claimed again since; call says by whom"),
            Loss::RevMismatch => (Code::RevMismatch, "the call has changed since that revision; call is as it is now"),
            Loss::KeyReused => (Code::KeyReused, "this key was used for another ask, or more than a day ago"),
            Loss::AnswerIdReused => (Code::AnswerIdReused, "this answer_id was sent with another body"),
            Loss::HardDeadline => (Code::HardDeadline, "the asker set a hard deadline"),
            Loss::NoDeadline => (Code::NoDeadline, "the call waits without a limit"),
        };
        let mut problem = Self::new(code, detail);
        if loss == Loss::NoDeadline {
            problem.0.errors =
                vec![Fault { pointer: "/seconds".to_owned(), detail: detail.to_owned(), code: FaultCode::Invalid }];
        }
        problem.0.call = Some(Box::new(app.call_reply(view)));
        problem
    }
}

impl From<Faults> for Problem {
    fn from(faults: Faults) -> Self {
        let code = match faults.gravest() {
            FaultCode::Invalid => Code::Invalid,
            FaultCode::NotSupported => Code::NotSupported,
        };
        let errors = faults.into_vec();
        let mut problem = Self::new(code, summary(&errors));
        problem.0.errors = errors;
        problem
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let (code, detail) = match &error {
            StoreError::Corrupt(_) => (Code::Internal, "something stored cannot be read; the log says more"),
            StoreError::Closed => (Code::Unavailable, "askhub is stopping"),
            StoreError::Unavailable(_) => (Code::Unavailable, "the database is not available; nothing was stored"),
            StoreError::Unknown(_) => (Code::Unavailable, "the database did not say whether it stored this; ask again"),
        };
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, "a request failed in the store: {error}");
        Self::new(code, detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, _, _) = self.1.parts();
        let mut response = (status, Json(self.0)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.1.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        if self.1 == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"askhub\""));
        }
        response
    }
}

fn summary(errors: &[Fault]) -> String {
    match errors {
        [one] => format!("{}: {}", if one.pointer.is_empty() { "the body" } else { &one.pointer }, one.detail),
        many => format!("{} things are wrong; errors lists them", many.len()),
    }
}
