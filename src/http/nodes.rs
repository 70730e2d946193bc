//! stub
pub fn call_with_nodes(r: &crate::wire::CallReply) -> impl axum::response::IntoResponse + use<> {
    axum::Json(r.clone())
}
