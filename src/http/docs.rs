//! stub
pub struct Security;
impl utoipa::Modify for Security {
    fn modify(&self, _: &mut utoipa::openapi::OpenApi) {}
}
pub fn page(_: &utoipa::openapi::OpenApi, _: &str) -> String {
    String::new()
}
