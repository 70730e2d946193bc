//! stub
pub async fn show() -> &'static str {
    ""
}
pub async fn submit() -> &'static str {
    ""
}
pub async fn sign_out() -> &'static str {
    ""
}
