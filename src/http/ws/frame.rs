//! JSON-RPC 2.0 frames: read strictly, written as text.

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use serde::Serialize;
use serde_json::json;

use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::wire::ProblemReply;

/// One request, or a notification if it has no id.
pub(super) struct Frame {
    /// The request's id as JSON text; what is replied carries it.
    pub id: Option<String>,
    pub method: String,
    pub params: Json,
}

/// A refusal as JSON-RPC puts it.
pub(super) struct RpcError {
    /// -32700 no JSON, -32600 no request, -32601 no such method, -32602 wrong parameters, -32000 refused.
    pub code: i32,
    pub message: String,
    /// The problem that the REST way would reply.
    pub data: Option<Box<ProblemReply>>,
}

impl Frame {
    /// Reads one frame.
    ///
    /// # Errors
    /// The refusal, and the request's id as far as it could be read.
    pub fn read(text: &str) -> Result<Self, (Option<String>, RpcError)> {
        let json = Json::parse(text, NESTING_MAX).map_err(|error| (None, RpcError::new(-32700, error.to_string())))?;
        let Json::Object(members) = &json else {
            return Err((None, RpcError::new(-32600, "a frame is one object; there are no batches")));
        };
        let id = match json.get("id") {
            None => None,
            Some(id @ (Json::String(_) | Json::Number(_))) => Some(id.to_text()),
            Some(_) => return Err((None, RpcError::new(-32600, "an id is a string or a number"))),
        };
        let refuse = |message: &str| Err((id.clone(), RpcError::new(-32600, message)));
        let known = ["jsonrpc", "id", "method", "params"];
        for (index, (name, _)) in members.iter().enumerate() {
            if !known.contains(&name.as_str()) || members[..index].iter().any(|(earlier, _)| earlier == name) {
                return refuse("a frame has jsonrpc, id, method and params, each once");
            }
        }
        if json.get("jsonrpc") != Some(&Json::String("2.0".to_owned())) {
            return refuse("jsonrpc is \"2.0\"");
        }
        let Some(Json::String(method)) = json.get("method") else {
            return refuse("method is a string");
        };
        let params = match json.get("params") {
            None => Json::Object(Vec::new()),
            Some(params @ Json::Object(_)) => params.clone(),
            Some(_) => return Err((id, RpcError::new(-32602, "params is an object"))),
        };
        Ok(Self { id, method: method.clone(), params })
    }
}

impl RpcError {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

impl From<crate::http::problem::Problem> for RpcError {
    fn from(problem: crate::http::problem::Problem) -> Self {
        let body = problem.into_body();
        Self { code: -32000, message: body.code.clone(), data: Some(Box::new(body)) }
    }
}

/// The reply to a request that went well.
pub(super) fn result(id: &str, result: &impl Serialize) -> String {
    let result = serde_json::to_string(result).unwrap_or_else(|_| "null".to_owned());
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// The reply to a request that was refused.
pub(super) fn error(id: Option<&str>, error: &RpcError) -> String {
    let data = error.data.as_ref().and_then(|data| serde_json::to_string(data).ok());
    let data = data.map_or_else(String::new, |data| format!(",\"data\":{data}"));
    let message = json!(error.message);
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{},\"message\":{message}{data}}}}}",
        id.unwrap_or("null"),
        error.code
    )
}

/// Something that nobody asked for.
pub(super) fn notification(method: &str, params: &impl Serialize) -> String {
    let params = serde_json::to_string(params).unwrap_or_else(|_| "null".to_owned());
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}")
}

/// Ends a socket that never became a session.
pub(super) async fn close(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: reason.into() };
    if socket.send(Message::Close(Some(frame))).await.is_err() {
        tracing::debug!("a socket was gone before it could be closed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> i32 {
        Frame::read(text).err().map_or(0, |(_, error)| error.code)
    }

    #[test]
    fn a_frame_is_one_request_with_known_members() {
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":"a","method":"wait","params":{"id":"x"}}"#), 0);
        assert_eq!(code("{"), -32700);
        assert_eq!(code("[]"), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":null,"method":"wait"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"wait"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"wait","params":[]}"#), -32602);
    }

    #[test]
    fn a_reply_carries_the_id_as_it_was_sent() {
        let frame = Frame::read(r#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"x"}"#);
        let id = frame.ok().and_then(|frame| frame.id).unwrap();
        assert_eq!(result(&id, &1), r#"{"jsonrpc":"2.0","id":18446744073709551617,"result":1}"#);
    }
}
