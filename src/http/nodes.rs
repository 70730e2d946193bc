//! Markdown as a closed set of nodes: what the page builds its elements from, and the plain page its HTML.
//!
//! Invariant: no HTML of an agent's survives (it becomes text), links lead to `http`, `https` or `mailto` only, nothing
//! is loaded from anywhere, and depth and number of nodes are bounded. Used by `calls` and by the plain pages.

mod build;
mod fields;
mod render;

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use serde::Serialize;

pub use build::parse;
use fields::{ArgumentNode, FieldNode};
pub use render::render;

use crate::domain::PreviewFormat;
use crate::wire::CallReply;

/// One node of a text. On the wire `t` says which; `c` are the nodes inside, `v` is a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum Node {
    P { c: Vec<Node> },
    H { level: u8, c: Vec<Node> },
    Ul { c: Vec<Node> },
    Ol { start: u64, c: Vec<Node> },
    Li { c: Vec<Node> },
    Quote { c: Vec<Node> },
    Code { lang: Option<String>, v: String },
    Table { c: Vec<Node> },
    Tr { c: Vec<Node> },
    Th { c: Vec<Node> },
    Td { c: Vec<Node> },
    Hr,
    Em { c: Vec<Node> },
    Strong { c: Vec<Node> },
    Del { c: Vec<Node> },
    Text { v: String },
    CodeSpan { v: String },
    Link { href: String, c: Vec<Node> },
    Image { href: String, v: String },
    Br,
    Task { checked: bool },
}

impl Node {
    /// The nodes inside.
    fn children(&self) -> &[Self] {
        match self {
            Self::P { c }
            | Self::H { c, .. }
            | Self::Ul { c }
            | Self::Ol { c, .. }
            | Self::Li { c }
            | Self::Quote { c }
            | Self::Table { c }
            | Self::Tr { c }
            | Self::Th { c }
            | Self::Td { c }
            | Self::Em { c }
            | Self::Strong { c }
            | Self::Del { c }
            | Self::Link { c, .. } => c,
            _ => &[],
        }
    }
}

/// What the page would have to parse of a call, parsed.
#[derive(Debug, Default, Serialize)]
struct CallNodes {
    context: Option<Vec<Node>>,
    /// By `question id/option id`.
    previews: BTreeMap<String, Vec<Node>>,
    /// By question id: what is filled in (number, date, datetime, form).
    fields: BTreeMap<String, Vec<FieldNode>>,
    /// By question id: the tool's arguments (approval).
    arguments: BTreeMap<String, Vec<ArgumentNode>>,
}

#[derive(Serialize)]
struct CallWithNodes<'a> {
    #[serde(flatten)]
    call: &'a CallReply,
    nodes: CallNodes,
}

/// The call as every way shows it, and in the member `nodes` its markdown texts, forms and arguments as they are drawn.
pub fn call_with_nodes(call: &CallReply) -> Response {
    axum::Json(CallWithNodes { call, nodes: nodes_of(call) }).into_response()
}

fn nodes_of(call: &CallReply) -> CallNodes {
    let mut nodes = CallNodes { context: call.context.as_deref().map(parse), ..CallNodes::default() };
    for question in &call.questions {
        if let Some(form) = question.form() {
            nodes.fields.insert(question.id.clone(), form.fields.iter().map(FieldNode::of).collect());
        }
        if let Some(tool) = &question.tool {
            nodes.arguments.insert(question.id.clone(), ArgumentNode::all(tool));
        }
        for option in &question.options {
            if let (Some(preview), Some(PreviewFormat::Markdown)) = (&option.preview, option.preview_format) {
                nodes.previews.insert(format!("{}/{}", question.id, option.id), parse(preview));
            }
        }
    }
    nodes
}
