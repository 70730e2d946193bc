//! stub
pub async fn app() -> &'static str {
    ""
}
pub async fn asset() -> &'static str {
    ""
}
