//! stub
pub async fn list() -> &'static str {
    ""
}
pub async fn history() -> &'static str {
    ""
}
pub async fn style() -> &'static str {
    ""
}
pub async fn show() -> &'static str {
    ""
}
pub async fn submit() -> &'static str {
    ""
}
