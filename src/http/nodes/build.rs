//! From markdown to nodes.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Node;

/// Deepest nesting of elements; what lies deeper is put into the last one that fits.
const DEPTH_MAX: usize = 32;
/// Most nodes of one text: a text that makes more is shown as it was written.
const NODES_MAX: usize = 20_000;

/// The nodes of a markdown text.
pub fn parse(markdown: &str) -> Vec<Node> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut builder = Builder::default();
    for event in Parser::new_ext(markdown, options) {
        builder.take(event);
        if builder.count > NODES_MAX {
            return vec![Node::Code { lang: None, v: markdown.to_owned() }];
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    /// What is outside of every open element.
    root: Vec<Node>,
    /// The elements that are open, outermost first.
    open: Vec<Frame>,
    /// Elements that were opened beyond the depth limit.
    ignored: usize,
    count: usize,
    in_table_head: bool,
}

struct Frame {
    kind: Kind,
    children: Vec<Node>,
}

enum Kind {
    Paragraph,
    Heading(u8),
    List(Option<u64>),
    Item,
    Quote,
    Code(Option<String>),
    Table,
    Row,
    Cell {
        is_head: bool,
    },
    Emphasis,
    Strong,
    Deleted,
    Link(String),
    Image(String),
    /// An element without one of ours: its content stands in its place.
    Bare,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Code(code) => self.push(Node::CodeSpan { v: code.into_string() }),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.push(Node::Br),
            Event::Rule => self.push(Node::Hr),
            Event::TaskListMarker(checked) => self.push(Node::Task { checked }),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.open.len() >= DEPTH_MAX {
            self.ignored += 1;
            return;
        }
        let kind = match tag {
            Tag::Paragraph | Tag::HtmlBlock => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as u8),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(kind) => Kind::Code(language(&kind)),
            Tag::List(start) => Kind::List(start),
            Tag::Item => Kind::Item,
            Tag::Table(_) => Kind::Table,
            Tag::TableHead => {
                self.in_table_head = true;
                Kind::Row
            }
            Tag::TableRow => Kind::Row,
            Tag::TableCell => Kind::Cell { is_head: self.in_table_head },
            Tag::Emphasis => Kind::Emphasis,
            Tag::Strong => Kind::Strong,
            Tag::Strikethrough => Kind::Deleted,
            Tag::Link { dest_url, .. } => Kind::Link(dest_url.into_string()),
            Tag::Image { dest_url, .. } => Kind::Image(dest_url.into_string()),
            _ => Kind::Bare,
        };
        self.open.push(Frame { kind, children: Vec::new() });
    }

    fn end(&mut self, end: TagEnd) {
        if end == TagEnd::TableHead {
            self.in_table_head = false;
        }
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        if let Some(frame) = self.open.pop() {
            self.close(frame);
        }
    }

    fn close(&mut self, frame: Frame) {
        let c = frame.children;
        let node = match frame.kind {
            Kind::Paragraph => Node::P { c },
            Kind::Heading(level) => Node::H { level, c },
            Kind::List(None) => Node::Ul { c },
            Kind::List(Some(start)) => Node::Ol { start, c },
            Kind::Item => Node::Li { c },
            Kind::Quote => Node::Quote { c },
            Kind::Code(lang) => Node::Code { lang, v: text_of(&c) },
            Kind::Table => Node::Table { c },
            Kind::Row => Node::Tr { c },
            Kind::Cell { is_head: true } => Node::Th { c },
            Kind::Cell { is_head: false } => Node::Td { c },
            Kind::Emphasis => Node::Em { c },
            Kind::Strong => Node::Strong { c },
            Kind::Deleted => Node::Del { c },
            Kind::Link(href) if is_link(&href) => Node::Link { href, c },
            Kind::Image(href) if is_web(&href) => Node::Image { href, v: text_of(&c) },
            Kind::Link(href) | Kind::Image(href) => return self.unlinked(c, &href),
            Kind::Bare => return self.children().extend(c),
        };
        self.push(node);
    }

    /// A link that leads nowhere from here, such as to a file beside the text: its text, and where it points.
    fn unlinked(&mut self, content: Vec<Node>, href: &str) {
        let is_said = href.is_empty() || text_of(&content) == href;
        self.children().extend(content);
        if !is_said {
            self.text(&format!(" ({href})"));
        }
    }

    fn push(&mut self, node: Node) {
        self.count += 1;
        self.children().push(node);
    }

    fn text(&mut self, text: &str) {
        // The parser splits at every character that might have been markup.
        if let Some(Node::Text { v }) = self.children().last_mut() {
            v.push_str(text);
        } else {
            self.push(Node::Text { v: text.to_owned() });
        }
    }

    fn children(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(frame) => &mut frame.children,
            None => &mut self.root,
        }
    }

    fn finish(mut self) -> Vec<Node> {
        while let Some(frame) = self.open.pop() {
            self.close(frame);
        }
        self.root
    }
}

fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    match kind {
        CodeBlockKind::Fenced(info) => info.split_whitespace().next().map(str::to_owned),
        CodeBlockKind::Indented => None,
    }
}

/// The text of some nodes, without their form.
fn text_of(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        match node {
            Node::Text { v } | Node::CodeSpan { v } | Node::Code { v, .. } | Node::Image { v, .. } => text.push_str(v),
            Node::Br => text.push('\n'),
            other => text.push_str(&text_of(other.children())),
        }
    }
    text
}

fn is_link(href: &str) -> bool {
    is_web(href) || (begins_with(href, "mailto:") && is_plain(href))
}

/// With both slashes: `http:x` is a path on our own site to a browser.
fn is_web(href: &str) -> bool {
    (begins_with(href, "https://") || begins_with(href, "http://")) && is_plain(href)
}

fn begins_with(href: &str, scheme: &str) -> bool {
    href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

/// Browsers skip control characters inside an address and take backslashes for slashes.
fn is_plain(href: &str) -> bool {
    !href.contains(|character: char| character.is_control() || character.is_whitespace() || character == '\\')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(markdown: &str) -> String {
        serde_json::to_string(&parse(markdown)).unwrap()
    }

    fn depth(nodes: &[Node]) -> usize {
        nodes.iter().map(|node| 1 + depth(node.children())).max().unwrap_or(0)
    }

    #[test]
    fn markdown_becomes_the_nodes_of_the_contract() {
        let text = "## Hi *you*\n\n1. one\n2. [x](https://a.example)\n\n- [x] done\n\n```rust\nfn a() {}\n```\n\n> ~~no~~ `q`\n\n---";
        let expected = concat!(
            r#"[{"t":"h","level":2,"c":[{"t":"text","v":"Hi "},{"t":"em","c":[{"t":"text","v":"you"}]}]},"#,
            r#"{"t":"ol","start":1,"c":[{"t":"li","c":[{"t":"text","v":"one"}]},"#,
            r#"{"t":"li","c":[{"t":"link","href":"https://a.example","c":[{"t":"text","v":"x"}]}]}]},"#,
            r#"{"t":"ul","c":[{"t":"li","c":[{"t":"task","checked":true},{"t":"text","v":"done"}]}]},"#,
            r#"{"t":"code","lang":"rust","v":"fn a() {}\n"},"#,
            r#"{"t":"quote","c":[{"t":"p","c":[{"t":"del","c":[{"t":"text","v":"no"}]},{"t":"text","v":" "},"#,
            r#"{"t":"codespan","v":"q"}]}]},{"t":"hr"}]"#
        );
        assert_eq!(json(text), expected);
        let table = r#"[{"t":"table","c":[{"t":"tr","c":[{"t":"th","c":[{"t":"text","v":"a"}]}]},{"t":"tr","c":[{"t":"td","c":[{"t":"text","v":"b"}]}]}]}]"#;
        assert_eq!(json("|a|\n|-|\n|b|"), table);
    }

    #[test]
    fn html_is_text_and_images_are_not_loaded() {
        assert_eq!(
            json("<script>alert(1)</script>"),
            r#"[{"t":"p","c":[{"t":"text","v":"<script>alert(1)</script>"}]}]"#
        );
        assert_eq!(json("a <b onclick=x>b</b>"), r#"[{"t":"p","c":[{"t":"text","v":"a <b onclick=x>b</b>"}]}]"#);
        let image = r#"[{"t":"p","c":[{"t":"image","href":"https://a.example/x.png","v":"alt"}]}]"#;
        assert_eq!(json("![alt](https://a.example/x.png)"), image);
    }

    #[test]
    fn links_lead_to_the_web_or_to_mail_only() {
        let hostile = [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//evil.example",
            "/v1/calls",
            "file:///etc/passwd",
            "http:javascript",
            "https:\\\\evil",
            "blob:x",
            "java&#10;script:x",
            "src/main.rs",
        ];
        for href in hostile {
            let nodes = json(&format!("[text](<{href}>) ![pic](<{href}>)"));
            assert!(!nodes.contains("\"link\"") && !nodes.contains("\"image\""), "{href}: {nodes}");
            assert!(nodes.contains("text") && nodes.contains("pic"), "{href}: {nodes}");
        }
        assert_eq!(json("[f](src/a.rs)"), r#"[{"t":"p","c":[{"t":"text","v":"f (src/a.rs)"}]}]"#);
        assert!(json("<mailto:a@b.example>").contains(r#""t":"link","href":"mailto:a@b.example""#));
        assert!(json("<HTTPS://a.example>").contains("\"link\""));
    }

    #[test]
    fn depth_and_number_of_nodes_are_bounded() {
        for text in [">".repeat(5_000) + "x", "- ".repeat(5_000) + "x", "*a ".repeat(5_000), "[".repeat(5_000)] {
            assert!(depth(&parse(&text)) <= DEPTH_MAX + 1);
            assert!(json(&text).contains(text.chars().last().unwrap()));
        }
        let many = "*a* ".repeat(NODES_MAX);
        assert_eq!(parse(&many), vec![Node::Code { lang: None, v: many }], "too many to draw, so shown as written");
    }

    proptest! {
        #[test]
        fn any_text_becomes_nodes_without_a_panic(text in "\\PC{0,200}|[\\[\\]()<>!`*_~|:\\-#>a-z \\n\\\\&;.0-9]{0,200}") {
            let json = json(&text);
            prop_assert!(!json.to_ascii_lowercase().contains("\"href\":\"javascript"));
        }
    }
}
