//! From nodes to the HTML of the plain pages.

use super::Node;
use crate::http::html::Html;

/// Headings of a text begin here: those above belong to the page.
const HEADINGS: [&str; 4] = ["h3", "h4", "h5", "h6"];

/// Writes nodes as elements.
pub fn render(html: &mut Html, nodes: &[Node]) {
    nodes.iter().for_each(|node| element(html, node));
}

fn element(html: &mut Html, node: &Node) {
    match node {
        Node::P { c } => within(html, "p", c),
        Node::H { level, c } => {
            let index = usize::from(*level).saturating_sub(1).min(HEADINGS.len() - 1);
            within(html, HEADINGS[index], c);
        }
        Node::Ul { c } => within(html, "ul", c),
        Node::Ol { start, c } => html.tag("ol").attr("start", start.to_string()).body(|html| render(html, c)),
        Node::Li { c } => within(html, "li", c),
        Node::Quote { c } => within(html, "blockquote", c),
        Node::Code { lang, v } => code(html, lang.as_deref(), v),
        Node::Table { c } => {
            html.tag("div").class("scroll").attr("tabindex", "0").body(|html| within(html, "table", c));
        }
        Node::Tr { c } => within(html, "tr", c),
        Node::Th { c } => within(html, "th", c),
        Node::Td { c } => within(html, "td", c),
        Node::Hr => html.tag("hr").end(),
        Node::Em { c } => within(html, "em", c),
        Node::Strong { c } => within(html, "strong", c),
        Node::Del { c } => within(html, "del", c),
        Node::Text { v } => {
            html.foreign(v);
        }
        Node::CodeSpan { v } => html.tag("code").attr("dir", "ltr").foreign(v),
        Node::Link { href, c } => link(html, href, |html| render(html, c)),
        Node::Image { href, v } => link(html, href, |html| {
            html.text("image: ").foreign(if v.is_empty() { "no description" } else { v });
        }),
        Node::Br => html.tag("br").end(),
        Node::Task { checked } => {
            html.tag("span").class("task").text(if *checked { "☑ " } else { "☐ " });
        }
    }
}

fn within(html: &mut Html, name: &'static str, nodes: &[Node]) {
    html.tag(name).body(|html| render(html, nodes));
}

fn code(html: &mut Html, lang: Option<&str>, text: &str) {
    html.tag("pre").attr("dir", "ltr").attr("tabindex", "0").attr_if("data-lang", lang).body(|html| {
        html.tag("code").foreign(text);
    });
}

/// Says the host too: the words of a link are the agent's.
fn link(html: &mut Html, href: &str, content: impl FnOnce(&mut Html)) {
    html.tag("a").attr("href", href).attr("rel", "noopener noreferrer nofollow").body(content);
    if let Some(host) = host(href) {
        html.tag("span").class("host").body(|html| {
            html.text(" (").foreign(host).text(")");
        });
    }
}

fn host(href: &str) -> Option<&str> {
    let (_, rest) = href.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    authority.rsplit('@').next()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http::nodes::parse;

    fn page(markdown: &str) -> String {
        let nodes = parse(markdown);
        Html::document(|html| render(html, &nodes))
    }

    #[test]
    fn a_text_is_drawn_below_the_headings_of_the_page() {
        let html = page("# A\n\n[b](https://user@evil.example/x) ![c](http://d.example/e.png)\n\n<img src=x>");
        assert!(html.contains("<h3>A</h3>"));
        assert!(html.contains("rel=\"noopener noreferrer nofollow\">b</a><span class=\"host\"> (evil.example)</span>"));
        assert!(html.contains("image: c</a>") && !html.contains("<img"));
        assert!(html.contains("&lt;img src=x&gt;"));
    }

    proptest! {
        #[test]
        fn only_elements_of_the_closed_set_are_drawn(text in "[\\[\\]()<>!`*_~|:\\-#>a-z \\n\\\\&;\"'=/0-9]{0,200}") {
            let known = [
                "html", "p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "div", "table", "tr",
                "th", "td", "hr", "em", "strong", "del", "span", "a", "br",
            ];
            let html = page(&text);
            for piece in html.trim_start_matches("<!doctype html>").split('<').skip(1) {
                let name = piece.trim_start_matches('/').split([' ', '>']).next().unwrap_or_default();
                prop_assert!(known.contains(&name), "{name} in {html}");
            }
        }
    }
}
