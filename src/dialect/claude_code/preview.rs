//! The original's rule for HTML previews: a fragment, no script, no style, at least one tag.
//!
//! It guards nothing: inline handlers pass, so whoever shows a preview must not run it.

use super::super::javascript::is_blank;
use super::schema::Asked;

/// What is wrong with the first bad preview; none if there is none.
pub(super) fn complaint(asked: &[Asked]) -> Option<String> {
    asked.iter().find_map(|question| {
        question.options.iter().find_map(|option| {
            let wrong = wrong_with(option.preview.as_deref()?)?;
            Some(format!("Option \"{}\" in question \"{}\": {wrong}", option.label, question.question))
        })
    })
}

fn wrong_with(preview: &str) -> Option<&'static str> {
    if has_tag(preview, &["html", "body", "!doctype"]) {
        return Some("preview must be an HTML fragment, not a full document (no <html>, <body>, or <!DOCTYPE>)");
    }
    if has_tag(preview, &["script", "style"]) {
        return Some(
            "preview must not contain <script> or <style> tags. Use inline styles via the style attribute if needed.",
        );
    }
    if !has_any_tag(preview) {
        return Some(
            "preview must contain HTML (previewFormat is set to \"html\"). Wrap content in a tag like <div> or <pre>.",
        );
    }
    None
}

/// `/<\s*(name|…)\b/i`
fn has_tag(text: &str, names: &[&str]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.split('<').skip(1).any(|rest| {
        let rest = rest.trim_start_matches(is_blank).as_bytes();
        names.iter().any(|name| {
            let starts = rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
            starts && !rest.get(name.len()).is_some_and(is_word)
        })
    })
}

/// `/<[a-z][^>]*>/i`
fn has_any_tag(text: &str) -> bool {
    // The tag may hold another `<`: all that it needs is a `>` somewhere behind.
    let Some(end) = text.rfind('>') else { return false };
    text[..end].split('<').skip(1).any(|rest| rest.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_passes_whatever_its_handlers() {
        for preview in ["<p>x</p>", "<a onclick=\"x()\">y</a>", "1 < 2 <b\n>", "<htmlx>", "<scripty>", "<a<>"] {
            assert_eq!(wrong_with(preview), None, "{preview}");
        }
    }

    #[test]
    fn documents_scripts_and_plain_text_are_told_apart() {
        // As the three regular expressions decide in Node.js.
        for document in ["< \u{feff}HTML>", "<!doctype", "<body/>", "<\n!DocType html>", "<html-x>", "<htmlé>"] {
            assert!(wrong_with(document).unwrap().contains("fragment"), "{document}");
        }
        for script in ["<script>", "< STYLE", "<style\u{2028}>"] {
            assert!(wrong_with(script).unwrap().contains("<script>"), "{script}");
        }
        for plain in ["", "text", "</b>", "< b>", "<b", "a > b <c", "<\u{85}html>", "<1>", "<é>"] {
            assert!(wrong_with(plain).unwrap().contains("Wrap content"), "{plain}");
        }
    }
}
