//! Texts that break things: every store gives back what it got, byte for byte.

use askhub::domain::{Command, DialectUse};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(bodies_come_back_byte_for_byte, keys_and_names_are_compared_byte_by_byte, a_large_body_is_stored);

const ODD: &[&str] = &[
    "",
    " \t\r\n ",
    "\u{ffff}\u{fffe}\u{fffd}\u{feff}",
    "\u{1f600}\u{10ffff}\u{1f468}\u{200d}\u{1f469}",
    "\u{202e}right to left\u{2066}",
    "e\u{301} é",
    "'; DROP TABLE calls; --",
    "\\u0000 \\\" \\\\",
    "\u{1}\u{1f}\u{7f}\u{85}\u{2028}",
    "null",
    "$1 ?1 :a @b",
];

async fn bodies_come_back_byte_for_byte(store: Fixture) {
    let news = ODD.iter().chain(&["a\0b\0"]).map(|text| {
        let mut new = new_call();
        new.ask.title = Some((*text).to_owned());
        new.ask.context = Some((*text).to_owned());
        new.ask.tags = vec![(*text).to_owned()];
        new.ask.questions[0].question = (*text).to_owned();
        let [name, variant] = ["zero", "1"].map(str::to_owned);
        new.dialect = Some(DialectUse { name, variant, raw: (*text).to_owned(), context: (*text).to_owned() });
        (new, (*text).to_owned())
    });
    let written = news.map(|(new, text)| {
        let store = &store;
        async move {
            let asked = store.ask(new).await;
            assert_eq!(whole(&store.get(asked.id).await), whole(&asked), "{text:?}");
            assert_eq!(asked.ask.title.as_deref(), Some(text.as_str()));
            let settled = done(store.write(answer(asked.id, "ann", &text)).await);
            store.write(answer(asked.id, "bob", &text)).await;
            let stored = store.get(asked.id).await;
            assert_eq!(said(&stored).as_deref(), Some(text.as_str()));
            assert_eq!(stored.outcome.unwrap().get(), settled.outcome.unwrap().get());
            assert_eq!(stored.dialect.unwrap().raw, text);
            let late = store.calls.late_answers(asked.id, 1).await.unwrap();
            assert_eq!(late[0].outcome.answers[0].custom.as_deref(), Some(text.as_str()));
        }
    });
    join_all(written).await;
}

async fn keys_and_names_are_compared_byte_by_byte(store: Fixture) {
    let texts = ["a", "A", "a ", " a", "e\u{301}", "é", "ß", "ss", "\u{1f600}", "\u{ffff}", "%", "_"];
    for text in texts {
        let mut new = keyed(text);
        new.ask.agent.session = Some(text.to_owned());
        new.ask.agent.name = Some(text.to_owned());
        let call = store.ask(new.clone()).await;
        assert_eq!(existing(store.write(Command::Ask(Box::new(new))).await).id, call.id, "{text:?}");
        let query = askhub::store::ListQuery { agent: Some(text.to_owned()), ..everything() };
        assert_eq!(store.calls.list(&query).await.unwrap().calls.len(), 1, "{text:?}");
    }
}

async fn a_large_body_is_stored(store: Fixture) {
    let asks = (0..8).map(|number: u8| {
        let mut new = new_call();
        new.ask.context = Some(char::from(b'a' + number).to_string().repeat(1 << 20));
        store.ask(new)
    });
    for asked in join_all(asks).await {
        assert_eq!(store.get(asked.id).await.ask.context, asked.ask.context);
    }
}
