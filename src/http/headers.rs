//! stub
use super::{App, problem::*};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
pub async fn secure(State(_): State<App>, r: Request, n: Next) -> Response {
    n.run(r).await
}
pub async fn nothing_here() -> Problem {
    Problem::not_found()
}
pub async fn wrong_method() -> Problem {
    Problem::new(Code::MethodNotAllowed, "x")
}
pub fn after_panic(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    Problem::new(Code::Internal, "x").into_response()
}
