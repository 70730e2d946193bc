//! People, tokens, sessions and sign-in codes.

use askhub::domain::Timestamp;
use askhub::store::{Person, Session, SignInCode, Token};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(
    a_person_is_found_by_name,
    a_name_is_given_once,
    a_token_is_found_by_its_hash_with_its_person,
    a_revoked_token_is_not_found,
    a_session_is_found_by_its_hash_with_its_person,
    a_session_that_ended_is_not_found,
    a_person_has_a_session_if_one_was_used_lately,
    a_session_past_its_longest_life_is_forgotten,
    a_sign_in_code_is_used_once_under_twenty_uses_at_once,
    a_sign_in_code_is_good_until_it_expires,
);

fn somebody(name: &str, at: i64) -> Person {
    Person {
        id: format!("person-{name}"),
        name: name.to_owned(),
        is_admin: name == "owner",
        space: "default".to_owned(),
        created_at: Timestamp::from_millis(at),
    }
}

async fn with_people(store: &Fixture) -> (Person, Person) {
    let (owner, ann) = (somebody("owner", 1), somebody("ann", 2));
    assert!(store.auth.add_person(&ann).await.unwrap());
    assert!(store.auth.add_person(&owner).await.unwrap());
    (owner, ann)
}

fn token(id: &str, person: Option<&Person>, at: i64) -> Token {
    Token {
        id: id.to_owned(),
        name: "ci".to_owned(),
        hash: format!("hash of {id}"),
        person: person.map(|person| person.id.clone()),
        space: "default".to_owned(),
        created_at: Timestamp::from_millis(at),
        revoked_at: None,
    }
}

async fn a_person_is_found_by_name(store: Fixture) {
    let (owner, ann) = with_people(&store).await;
    assert_eq!(store.auth.person_named("ann").await.unwrap(), Some(ann.clone()));
    assert_eq!(store.auth.person_named("Ann").await.unwrap(), None);
    assert_eq!(store.auth.person_named("ann\0").await.unwrap(), None);
    assert_eq!(store.auth.people().await.unwrap(), [owner, ann], "oldest first");
}

async fn a_name_is_given_once(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    let again = Person { id: "person-other".to_owned(), ..ann.clone() };
    assert!(!store.auth.add_person(&again).await.unwrap());
    assert_eq!(store.auth.person_named("ann").await.unwrap(), Some(ann));
    let many: Vec<_> = (0..10).map(|number| Person { id: number.to_string(), ..somebody("bob", 3) }).collect();
    let added = join_all(many.iter().map(|person| store.auth.add_person(person))).await;
    assert_eq!(added.into_iter().filter(|added| *added.as_ref().unwrap()).count(), 1);
}

async fn a_token_is_found_by_its_hash_with_its_person(store: Fixture) {
    let (owner, _) = with_people(&store).await;
    let (later, of_owner) = (token("t1", None, 2), token("t2", Some(&owner), 1));
    store.auth.add_token(&later).await.unwrap();
    store.auth.add_token(&of_owner).await.unwrap();
    assert_eq!(store.auth.token_by_hash("hash of t1").await.unwrap(), Some((later.clone(), None)));
    assert_eq!(store.auth.token_by_hash("hash of t2").await.unwrap(), Some((of_owner.clone(), Some(owner))));
    assert_eq!(store.auth.token_by_hash("hash of t3").await.unwrap(), None);
    assert_eq!(store.auth.tokens().await.unwrap(), [of_owner, later], "oldest first");
    assert!(store.auth.add_token(&token("t1", None, 3)).await.is_err(), "an id names one token");
}

async fn a_revoked_token_is_not_found(store: Fixture) {
    store.auth.add_token(&token("t1", None, 1)).await.unwrap();
    let at = Timestamp::from_millis(77);
    assert!(store.auth.revoke_token("t1", at).await.unwrap());
    assert!(!store.auth.revoke_token("t1", Timestamp::from_millis(78)).await.unwrap());
    assert!(!store.auth.revoke_token("t2", at).await.unwrap());
    assert_eq!(store.auth.token_by_hash("hash of t1").await.unwrap(), None);
    assert_eq!(store.auth.tokens().await.unwrap()[0].revoked_at, Some(at));
}

async fn session(store: &Fixture, hash: &str, person: &Person) -> Session {
    let now = store.calls.now().await.unwrap();
    Session { hash: hash.to_owned(), person: person.id.clone(), created_at: now, used_at: now }
}

async fn a_session_is_found_by_its_hash_with_its_person(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    let mut session = session(&store, "s1", &ann).await;
    store.auth.add_session(&session).await.unwrap();
    assert_eq!(store.auth.session_by_hash("s1").await.unwrap(), Some((session.clone(), ann.clone())));
    assert_eq!(store.auth.session_by_hash("s2").await.unwrap(), None);
    session.used_at = session.used_at.plus_seconds(120);
    store.auth.touch_session("s1", session.used_at).await.unwrap();
    store.auth.touch_session("s2", session.used_at).await.unwrap();
    assert_eq!(store.auth.session_by_hash("s1").await.unwrap(), Some((session, ann)));
}

async fn a_session_that_ended_is_not_found(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    store.auth.add_session(&session(&store, "s1", &ann).await).await.unwrap();
    assert!(store.auth.remove_session("s1").await.unwrap());
    assert!(!store.auth.remove_session("s1").await.unwrap());
    assert_eq!(store.auth.session_by_hash("s1").await.unwrap(), None);
}

async fn a_person_has_a_session_if_one_was_used_lately(store: Fixture) {
    let (owner, ann) = with_people(&store).await;
    let session = session(&store, "s1", &ann).await;
    store.auth.add_session(&session).await.unwrap();
    assert!(store.auth.has_session(&ann.id, session.used_at).await.unwrap());
    assert!(!store.auth.has_session(&ann.id, session.used_at.plus_seconds(1)).await.unwrap());
    assert!(!store.auth.has_session(&owner.id, session.used_at).await.unwrap());
}

async fn a_session_past_its_longest_life_is_forgotten(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    store.auth.add_session(&session(&store, "old", &ann).await).await.unwrap();
    store.clock.advance(91 * 24 * 60 * 60);
    store.auth.add_session(&session(&store, "new", &ann).await).await.unwrap();
    assert_eq!(store.auth.session_by_hash("old").await.unwrap(), None);
    assert!(store.auth.session_by_hash("new").await.unwrap().is_some());
}

async fn code(store: &Fixture, hash: &str, person: &Person) -> SignInCode {
    let expires_at = store.calls.now().await.unwrap().plus_seconds(600);
    let code = SignInCode { hash: hash.to_owned(), person: person.id.clone(), expires_at };
    store.auth.add_sign_in_code(&code).await.unwrap();
    code
}

async fn a_sign_in_code_is_used_once_under_twenty_uses_at_once(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    code(&store, "c1", &ann).await;
    let now = store.calls.now().await.unwrap();
    for _ in 0..3 {
        let peeked = store.auth.peek_sign_in_code("c1", now).await.unwrap();
        assert_eq!(peeked.as_ref(), Some(&ann), "looking uses nothing up");
    }
    let uses = (0..20).map(|_| {
        let auth = store.auth.clone();
        tokio::spawn(async move { auth.use_sign_in_code("c1", now).await.unwrap() })
    });
    let users: Vec<_> = join_all(uses).await.into_iter().filter_map(|user| user.unwrap()).collect();
    assert_eq!(users, [ann]);
    assert_eq!(store.auth.peek_sign_in_code("c1", now).await.unwrap(), None);
}

async fn a_sign_in_code_is_good_until_it_expires(store: Fixture) {
    let (_, ann) = with_people(&store).await;
    let code = code(&store, "c1", &ann).await;
    assert_eq!(store.auth.peek_sign_in_code("c1", code.expires_at).await.unwrap(), None);
    assert_eq!(store.auth.use_sign_in_code("c1", code.expires_at).await.unwrap(), None);
    let before = Timestamp::from_millis(code.expires_at.as_millis() - 1);
    assert_eq!(store.auth.use_sign_in_code("c1", before).await.unwrap(), Some(ann));
    assert_eq!(store.auth.use_sign_in_code("c2", before).await.unwrap(), None);
}
