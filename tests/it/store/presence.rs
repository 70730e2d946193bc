//! Presence: leases that end by the store's clock.

use super::fixture::*;

on_every_store!(
    a_lease_attends_its_space_until_it_ends,
    a_renewed_lease_lasts_longer,
    a_lease_that_is_given_back_attends_no_more,
);

async fn a_lease_attends_its_space_until_it_ends(store: Fixture) {
    assert!(!store.calls.is_attended("default").await.unwrap());
    store.calls.be_present("default", "page-1").await.unwrap();
    assert!(store.calls.is_attended("default").await.unwrap());
    assert!(!store.calls.is_attended("team").await.unwrap());
    store.clock.advance(31);
    assert!(!store.calls.is_attended("default").await.unwrap());
}

async fn a_renewed_lease_lasts_longer(store: Fixture) {
    for _ in 0..3 {
        store.calls.be_present("default", "page-1").await.unwrap();
        store.clock.advance(20);
    }
    assert!(store.calls.is_attended("default").await.unwrap());
    store.calls.be_present("team", "page-1").await.unwrap();
    assert!(!store.calls.is_attended("default").await.unwrap(), "the page looks at another space");
    assert!(store.calls.is_attended("team").await.unwrap());
}

async fn a_lease_that_is_given_back_attends_no_more(store: Fixture) {
    store.calls.be_present("default", "page-1").await.unwrap();
    store.calls.be_present("default", "page-2").await.unwrap();
    store.calls.leave("page-1").await.unwrap();
    assert!(store.calls.is_attended("default").await.unwrap());
    store.calls.leave("page-2").await.unwrap();
    store.calls.leave("page-2").await.unwrap();
    assert!(!store.calls.is_attended("default").await.unwrap());
}
