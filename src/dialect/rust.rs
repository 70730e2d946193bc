//! Argument text, read as a Rust tool reads it: into a `serde_json::Value` without any of its features.
//!
//! So a number is a `u64`, an `i64` or a double and is printed as one, the last of repeated members counts, half of a
//! surrogate pair is refused, and an object's members are sorted by the bytes of their names.

use serde_json::Value;

/// Reads a text as `serde_json::from_str` does.
///
/// # Errors
/// What serde_json refuses, in its words, with its line and column.
pub(super) fn read_as_rust(raw: &str) -> serde_json::Result<Value> {
    let mut value: Value = serde_json::from_str(raw)?;
    // Some other crate may ask serde_json to keep the order: features are one for a whole build.
    value.sort_all_objects();
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> String {
        read_as_rust(raw).map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn members_are_sorted_by_bytes_and_the_last_of_the_same_name_counts() {
        assert_eq!(
            read(r#"{"b":1,"a":{"é":1,"z":2,"Z":3,"":4,"10":5,"9":6},"b":[{"y":0,"x":0}]}"#),
            r#"{"a":{"":4,"10":5,"9":6,"Z":3,"z":2,"é":1},"b":[{"x":0,"y":0}]}"#
        );
    }

    #[test]
    fn numbers_are_integers_of_64_bits_or_doubles() {
        for (sent, told) in [
            ("1e3", "1000.0"),
            ("1.0", "1.0"),
            ("-0", "-0.0"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            ("0.000001", "1e-6"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1e-999", "0.0"),
            ("1e999", "number out of range at line 1 column 5"),
        ] {
            assert_eq!(read(sent), told, "{sent}");
        }
    }

    #[test]
    fn what_serde_json_refuses_is_refused_in_its_words() {
        assert_eq!(read(r#"{"a":["#), "EOF while parsing a list at line 1 column 6");
        assert_eq!(read("\"\\ud800\""), "unexpected end of hex escape at line 1 column 8");
        assert_eq!(read("{}\n{}"), "trailing characters at line 2 column 1");
        assert_eq!(read(""), "EOF while parsing a value at line 1 column 0");
    }
}
