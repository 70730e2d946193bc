//! How durations, tables and indented text look. Pure.

use std::time::Duration;

/// A duration as people say it: `45 s`, `2 min`, `1 h 5 min`, `3 d 2 h`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let pair = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {large_unit}"),
        _ => format!("{large} {large_unit} {small} {small_unit}"),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => pair(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

/// Rows in columns, two spaces between them; the last column is not filled up.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// At most that many characters; what was cut is shown by an ellipsis.
pub fn shortened(text: &str, characters_max: usize) -> String {
    if text.chars().count() <= characters_max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters_max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Every line two spaces to the right; empty lines stay empty.
pub fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        for (seconds, words) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (150, "2 min"),
            (3600, "1 h"),
            (3900, "1 h 5 min"),
            (86_400, "1 d"),
            (266_400, "3 d 2 h"),
        ] {
            assert_eq!(duration(Duration::from_secs(seconds)), words);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "é".to_owned(), "x".to_owned()], vec!["bbb".to_owned(), "cc".to_owned()]];
        assert_eq!(table(&rows), "a    é   x\nbbb  cc\n");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shortened("日本語", 3), "日本語");
        assert_eq!(shortened("日本語です", 3), "日本…");
    }

    #[test]
    fn indenting_keeps_empty_lines_empty() {
        assert_eq!(indented("a\n\nb"), "  a\n\n  b");
    }
}
