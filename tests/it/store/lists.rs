//! Lists: filters, orders and pages.

use askhub::domain::{CallId, NewCall, Status};
use askhub::store::{ListQuery, Page, Sort, StatusFilter};

use super::fixture::*;

on_every_store!(
    a_list_has_the_calls_of_its_space_newest_first,
    pages_cover_a_list_once_whatever_is_added,
    a_due_list_has_the_earliest_deadline_first_and_none_last,
    every_filter_leaves_out_what_does_not_match,
    text_is_found_in_title_questions_and_context_in_any_ascii_case,
    text_is_looked_for_as_it_is,
    a_page_of_nothing_is_empty,
);

fn ids(page: &Page) -> Vec<CallId> {
    page.calls.iter().map(|call| call.id).collect()
}

async fn list(store: &Fixture, query: ListQuery) -> Vec<CallId> {
    ids(&store.calls.list(&query).await.unwrap())
}

/// All pages of at most `limit` calls, one after the other.
async fn pages(store: &Fixture, mut query: ListQuery) -> Vec<CallId> {
    let mut all = Vec::new();
    loop {
        let page = store.calls.list(&query).await.unwrap();
        assert!(page.calls.len() <= query.limit);
        all.extend(ids(&page));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return all,
        }
    }
}

async fn ask_at_intervals(store: &Fixture, news: Vec<NewCall>) -> Vec<CallId> {
    let mut asked = Vec::new();
    for new in news {
        store.clock.advance_millis(5);
        asked.push(store.ask(new).await.id);
    }
    asked
}

async fn a_list_has_the_calls_of_its_space_newest_first(store: Fixture) {
    let mut foreign = new_call();
    foreign.space = "team".to_owned();
    let mut asked = ask_at_intervals(&store, vec![new_call(), foreign, new_call(), new_call()]).await;
    asked.remove(1);
    asked.reverse();
    let page = store.calls.list(&everything()).await.unwrap();
    assert_eq!(ids(&page), asked);
    assert_eq!(page.next, None);
    assert_eq!(whole(&page.calls[0]), whole(&store.get(asked[0]).await));
}

async fn pages_cover_a_list_once_whatever_is_added(store: Fixture) {
    let mut asked = ask_at_intervals(&store, (0..5).map(|_| new_call()).collect()).await;
    // Several in one millisecond: their ids decide.
    let same: Vec<_> = futures_util::future::join_all((0..10).map(|_| store.ask(new_call())))
        .await
        .into_iter()
        .map(|c| c.id)
        .collect();
    asked.extend(same);
    for limit in [1, 2, 7, 15, 16] {
        let mut found = pages(&store, ListQuery { limit, ..everything() }).await;
        assert_eq!(found, list(&store, everything()).await);
        found.sort();
        let mut sorted = asked.clone();
        sorted.sort();
        assert_eq!(found, sorted, "each once, with pages of {limit}");
    }
    let first = store.calls.list(&ListQuery { limit: 2, ..everything() }).await.unwrap();
    store.clock.advance_millis(5);
    store.ask(new_call()).await;
    let second = store.calls.list(&ListQuery { limit: 2, after: first.next, ..everything() }).await.unwrap();
    assert!(ids(&second).iter().all(|id| !ids(&first).contains(id)));
}

async fn a_due_list_has_the_earliest_deadline_first_and_none_last(store: Fixture) {
    let news = [None, Some(300), Some(100), None, Some(200)].map(|timeout| {
        let mut new = new_call();
        new.ask.timeout_seconds = timeout;
        new
    });
    let asked = ask_at_intervals(&store, news.to_vec()).await;
    let expected = [2, 4, 1, 0, 3].map(|place: usize| asked[place]);
    let due = ListQuery { sort: Sort::Due, status: Some(StatusFilter::Is(Status::Pending)), ..everything() };
    assert_eq!(list(&store, due.clone()).await, expected);
    for limit in [1, 2, 3] {
        assert_eq!(pages(&store, ListQuery { limit, ..due.clone() }).await, expected);
    }
    store.write(extend(asked[2], 1000)).await;
    store.write(cancel(asked[4])).await;
    assert_eq!(list(&store, due.clone()).await, [1, 2, 0, 3].map(|place: usize| asked[place]));
    let all = ListQuery { status: None, ..due };
    assert_eq!(list(&store, all).await, [4, 1, 2, 0, 3].map(|place: usize| asked[place]));
}

async fn every_filter_leaves_out_what_does_not_match(store: Fixture) {
    let mut other_asker = keyed("k");
    other_asker.asker.id = "agent-2".to_owned();
    let mut other_agent = new_call();
    other_agent.ask.agent.name = Some("deploy-bot".to_owned());
    let mut nameless = new_call();
    nameless.ask.agent.name = None;
    let asked = ask_at_intervals(&store, vec![keyed("k"), other_asker, other_agent, nameless]).await;
    store.write(answer(asked[3], "ann", "go")).await;
    let query = everything;
    let text = |text: &str| Some(text.to_owned());
    let cases = [
        (ListQuery { asker: text("agent-1"), ..query() }, vec![3, 2, 0]),
        (ListQuery { asker: text("agent-3"), ..query() }, vec![]),
        (ListQuery { key: text("k"), ..query() }, vec![1, 0]),
        (ListQuery { key: text("K"), ..query() }, vec![]),
        (ListQuery { key: text("k"), asker: text("agent-2"), ..query() }, vec![1]),
        (ListQuery { agent: text("deploy-bot"), ..query() }, vec![2]),
        (ListQuery { agent: text("billing-bot"), ..query() }, vec![1, 0]),
        (ListQuery { status: Some(StatusFilter::Is(Status::Pending)), ..query() }, vec![2, 1, 0]),
        (ListQuery { status: Some(StatusFilter::Is(Status::Answered)), ..query() }, vec![3]),
        (ListQuery { status: Some(StatusFilter::Is(Status::Expired)), ..query() }, vec![]),
        (
            ListQuery {
                status: Some(StatusFilter::Is(Status::Pending)),
                asker: text("agent-1"),
                text: text("refund"),
                ..query()
            },
            vec![2, 0],
        ),
        (ListQuery { space: "team".to_owned(), ..query() }, vec![]),
        (ListQuery { key: text("k\0"), ..query() }, vec![]),
        (ListQuery { agent: text("billing-bot\0"), ..query() }, vec![]),
    ];
    for (query, expected) in cases {
        let expected: Vec<_> = expected.into_iter().map(|place: usize| asked[place]).collect();
        assert_eq!(list(&store, query.clone()).await, expected, "{query:?}");
    }
}

async fn text_is_found_in_title_questions_and_context_in_any_ascii_case(store: Fixture) {
    let mut new = new_call();
    new.ask.title = Some("Größe ÄNDERN".to_owned());
    new.ask.context = Some("In the CONTEXT".to_owned());
    new.ask.questions[0].header = Some("Header".to_owned());
    let id = store.ask(new).await.id;
    for text in ["größe", "GRößE", "ÄndErn", "the context", "HOW SHOULD", "header", ""] {
        let query = ListQuery { text: Some(text.to_owned()), ..everything() };
        assert_eq!(list(&store, query).await, [id], "{text}");
    }
    for text in ["GRÖSSE", "ändern", "billing-bot", "contexts"] {
        let query = ListQuery { text: Some(text.to_owned()), ..everything() };
        assert_eq!(list(&store, query).await, [], "{text}");
    }
}

async fn text_is_looked_for_as_it_is(store: Fixture) {
    let titles = ["100% sure", "100 percent", "a_b", "a-b", "c\\d", "it's", "e\0f", "\u{1f600}\u{ffff}"];
    let news = titles.map(|title| {
        let mut new = new_call();
        new.ask.title = Some(title.to_owned());
        new
    });
    let asked = ask_at_intervals(&store, news.to_vec()).await;
    for (text, place) in [("100%", 0), ("a_b", 2), ("c\\d", 4), ("it's", 5), ("e\0f", 6), ("\u{1f600}\u{ffff}", 7)] {
        let query = ListQuery { text: Some(text.to_owned()), ..everything() };
        assert_eq!(list(&store, query).await, [asked[place]], "{text:?}");
    }
}

async fn a_page_of_nothing_is_empty(store: Fixture) {
    store.ask(new_call()).await;
    let page = store.calls.list(&ListQuery { limit: 0, ..everything() }).await.unwrap();
    assert!(page.calls.is_empty());
    assert_eq!(page.next, None);
}
