//! The API's description as a page without script.

use serde_json::{Map, Value};
use utoipa::Modify;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};

use super::html::Html;
use super::plain::frame::Frame;

/// Adds to the description how a request says whose it is.
pub struct Security;

impl Modify for Security {
    fn modify(&self, openapi: &mut OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token: `askhub token path` says where this machine's own is."))
            .build();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        let description = "A browser's session. The name ends in the port, as `askhub_session_7440`.";
        let session = ApiKeyValue::with_description("askhub_session_7440", description);
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    }
}

const METHODS: [&str; 6] = ["get", "post", "put", "patch", "delete", "head"];

/// The description as HTML.
pub fn page(openapi: &OpenApi, base: &str) -> String {
    let document = serde_json::to_value(openapi).unwrap_or_default();
    Frame::new(base, "API", None).html(|html| {
        html.tag("h1").text("API");
        html.tag("p").body(|html| {
            html.text("Generated from the handlers; for programs as ");
            html.tag("a").attr("href", format!("{base}/openapi.json")).text("openapi.json");
            html.text(", OpenAPI 3.1.");
        });
        let operations = operations(&document);
        draw_contents(html, &operations);
        for operation in &operations {
            html.tag("section").class("operation").body(|html| operation.draw(html));
        }
        html.tag("h2").attr("id", "schemas").text("Schemas");
        for (name, schema) in members(&document["components"]["schemas"]) {
            draw_schema(html, name, schema);
        }
    })
}

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    value: &'a Value,
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in members(&document["paths"]) {
        for method in METHODS {
            if let Some(value) = item.get(method) {
                operations.push(Operation { method, path, value });
            }
        }
    }
    operations
}

fn draw_contents(html: &mut Html, operations: &[Operation<'_>]) {
    html.tag("nav").attr("aria-label", "Routes").body(|html| {
        html.tag("ul").class("routes").body(|html| {
            for operation in operations {
                html.tag("li").body(|html| {
                    html.tag("a").attr("href", format!("#{}", operation.id())).body(|html| operation.draw_name(html));
                });
            }
        });
    });
}

impl Operation<'_> {
    fn id(&self) -> String {
        let path: String =
            self.path.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
        format!("{}{path}", self.method)
    }

    fn draw_name(&self, html: &mut Html) {
        html.tag("code").body(|html| {
            html.tag("strong").text(&self.method.to_uppercase());
            html.text(" ").text(self.path);
        });
    }

    fn draw(&self, html: &mut Html) {
        html.tag("h2").attr("id", self.id()).body(|html| self.draw_name(html));
        for part in ["summary", "description"] {
            if let Some(text) = self.value[part].as_str() {
                html.tag("p").body(|html| draw_text(html, text));
            }
        }
        if let Some(parameters) = self.value["parameters"].as_array() {
            draw_table(
                html,
                "Parameters",
                parameters.iter().map(|parameter| {
                    let place = format!("{}, {}", said(&parameter["in"]), kind(&parameter["schema"]));
                    (said(&parameter["name"]), place, said(&parameter["description"]))
                }),
            );
        }
        if let Some(schema) = content_of(&self.value["requestBody"]) {
            html.tag("p").body(|html| {
                html.text("Body: ");
                draw_kind(html, schema);
            });
        }
        html.tag("div").class("scroll").body(|html| {
            html.tag("table").body(|html| {
                html.tag("caption").text("Responses");
                for (status, response) in members(&self.value["responses"]) {
                    html.tag("tr").body(|html| {
                        html.tag("th").attr("scope", "row").text(status);
                        html.tag("td").body(|html| draw_text(html, &said(&response["description"])));
                        html.tag("td").body(|html| {
                            if let Some(schema) = content_of(response) {
                                draw_kind(html, schema);
                            }
                        });
                    });
                }
            });
        });
    }
}

fn draw_schema(html: &mut Html, name: &str, schema: &Value) {
    html.tag("h3").attr("id", format!("schema-{name}")).text(name);
    html.tag("p").body(|html| draw_text(html, &said(&schema["description"])));
    if schema["properties"].is_object() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let rows = members(&schema["properties"]).map(|(member, value)| {
            let is_required = required.iter().any(|name| name.as_str() == Some(member));
            let form = if is_required { kind(value) } else { format!("{}, may be absent", kind(value)) };
            (member.to_owned(), form, said(&value["description"]))
        });
        draw_table(html, "Members", rows);
    } else {
        html.tag("p").body(|html| draw_kind(html, schema));
    }
}

fn draw_table(html: &mut Html, caption: &str, rows: impl Iterator<Item = (String, String, String)>) {
    html.tag("div").class("scroll").body(|html| {
        html.tag("table").body(|html| {
            html.tag("caption").text(caption);
            for (name, form, description) in rows {
                html.tag("tr").body(|html| {
                    html.tag("th").attr("scope", "row").body(|html| html.tag("code").text(&name));
                    html.tag("td").text(&form);
                    html.tag("td").body(|html| draw_text(html, &description));
                });
            }
        });
    });
}

/// The name of a schema as a link to it, or its kind in words.
fn draw_kind(html: &mut Html, schema: &Value) {
    match reference(schema) {
        Some(name) => html.tag("a").attr("href", format!("#schema-{name}")).text(name),
        None => {
            html.text(&kind(schema));
        }
    }
}

fn kind(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return name.to_owned();
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(schemas) = schema[several].as_array() {
            return schemas.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(names) = schema["enum"].as_array() {
        return names.iter().map(said).collect::<Vec<_>>().join(" | ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) => schema["format"].as_str().map_or(name.clone(), |format| format!("{name} ({format})")),
        Value::Array(names) => names.iter().map(said).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

fn content_of(value: &Value) -> Option<&Value> {
    members(&value["content"]).next().map(|(_, content)| &content["schema"])
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// Writes a text of the description: what stands between backticks is code.
fn draw_text(html: &mut Html, text: &str) {
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            html.tag("code").text(part);
        } else {
            html.text(part);
        }
    }
}

fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
}
