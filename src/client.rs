//! stub
pub async fn is_askhub(_: &str) -> bool {
    false
}
