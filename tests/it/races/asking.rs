//! Many asks with one key, while somebody answers: one call.

use askhub::broker::{Budget, FeedItem};
use askhub::domain::EventKind;
use serde_json::json;
use tokio::task::JoinSet;

use super::{Hub, ending, person};

const ASKS: usize = 200;
/// Of them so many wait; a call has room for 64 who do.
const WAITING: usize = 60;

async fn one_key(hub: Hub, key: String) {
    let mut feed = hub.broker.follow(&person("ada"), None).await.expect("few follow");
    let mut asks = JoinSet::new();
    for number in 0..ASKS {
        let (hub, key) = (hub.clone(), key.clone());
        let budget = if number % 3 == 0 && number / 3 < WAITING { Budget::Unlimited } else { Budget::seconds(0) };
        asks.spawn(async move {
            let asked = hub.ask_with(&json!({ "key": key }), budget).await.expect("the same ask is taken again");
            (budget, asked)
        });
    }
    let id = loop {
        match feed.next().await.expect("the log can be read") {
            Some(FeedItem::Event(event, _)) if event.kind == EventKind::Asked => break event.call_id,
            Some(_) => {}
            None => panic!("the feed ended"),
        }
    };
    hub.answer("ada", id, &key).await.expect("the only answer wins");
    let mut made = 0;
    for (budget, asked) in asks.join_all().await {
        made += usize::from(asked.is_new);
        let ending = ending(&asked.view);
        assert_eq!(asked.view.call.id, id, "one key, one call");
        assert!(ending == key || ending == "pending", "{ending} is neither pending nor the answer");
        assert!(budget.is_zero() || ending == key, "who waits gets the answer");
    }
    assert_eq!(made, 1, "one of the asks made the call");
    assert_eq!(hub.read(id).await, key);
    assert_eq!(hub.count_events(id, EventKind::Asked).await, 1, "people are told of it once");
    assert_eq!(hub.count_events(id, EventKind::Settled).await, 1);
    assert_eq!(hub.broker.load().0, 0, "nobody waits any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_asks_with_one_key_make_one_call() {
    for (store, hub) in [("memory", Hub::memory().await), ("SQLite", Hub::sqlite().await)] {
        for round in 0..10 {
            one_key(hub.clone(), format!("{store} {round}")).await;
        }
    }
}
