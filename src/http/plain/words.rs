//! Times and people in words.

use std::time::Duration;

use crate::domain::{Answer, Answered, By, Call, Question, Timestamp, Via, parts};
use crate::http::html::Html;

/// A length of time, rounded down to its largest unit.
pub fn span(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// An instant before now, as in `3 min ago`.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let length = at.until(now);
    if length < Duration::from_secs(5) { "just now".to_owned() } else { format!("{} ago", span(length)) }
}

/// Writes an instant: relative words, with the time itself beside them.
pub fn write_ago(html: &mut Html, at: Timestamp, now: Timestamp) {
    html.tag("time").attr("datetime", at.to_string()).attr("title", clock_text(at)).text(&ago(at, now));
}

/// An instant as date and time to the minute.
fn clock_text(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} {} UTC", text.get(..10).unwrap_or(&text), text.get(11..16).unwrap_or_default())
}

/// Writes an instant as date and time.
pub fn write_time(html: &mut Html, at: Timestamp) {
    html.tag("time").attr("datetime", at.to_string()).text(&clock_text(at));
}

/// What an asker is called: by its own word, else by its token.
pub fn agent_name(call: &Call) -> &str {
    call.ask.agent_name().unwrap_or(&call.asker.name)
}

/// By which way somebody acted.
pub fn way(by: &By) -> &'static str {
    match by.via {
        Via::Page => "on the page",
        Via::Form => "on the plain page",
        Via::Api => "by the API",
        Via::Ws => "by WebSocket",
        Via::Cli => "on the command line",
    }
}

/// An answer in one line; none if it was left out.
pub fn answer_line(question: &Question, answer: &Answer) -> Option<String> {
    (answer.status == Answered::Answered).then(|| parts(question, answer).join(", "))
}

/// How many there are, with the word for it.
pub fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_unit() {
        let said = |seconds| span(Duration::from_secs(seconds));
        assert_eq!(
            [0, 59, 60, 3_599, 3_600, 172_799, 172_800].map(said),
            ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 d"]
        );
        let now = Timestamp::from_millis(1_000_000);
        assert_eq!(ago(Timestamp::from_millis(999_000), now), "just now");
        assert_eq!(ago(Timestamp::from_millis(940_000), now), "1 min ago");
    }
}
