//! Tests of `auth` through its public door, over the memory store, with time that is moved.

use std::time::Duration;

use tokio::time::timeout;

use super::*;
use crate::clock::TestClock;
use crate::domain::limits::{SESSION_IDLE_MAX, SESSION_LIFE_MAX};
use crate::store::MemoryStore;

/// One database with two nodes on it.
struct Hub {
    clock: TestClock,
    store: Arc<MemoryStore>,
    node: Auth,
    other_node: Auth,
}

impl Hub {
    fn new() -> Self {
        let clock = TestClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let node = Auth::new(store.clone(), Arc::new(clock.clone()));
        let other_node = Auth::new(store.clone(), Arc::new(clock.clone()));
        Self { clock, store, node, other_node }
    }

    async fn person(&self) -> Person {
        self.node.add_person("ada", false).await.unwrap()
    }

    async fn cookie(&self, person: &Person) -> Secret {
        let code = self.node.make_sign_in_code(person).await.unwrap();
        self.node.sign_in(code.expose()).await.unwrap().unwrap().0
    }

    async fn session(&self, cookie: &Secret) -> Option<Identity> {
        self.node.authenticate_session(cookie.expose()).await.unwrap()
    }

    async fn bearer(&self, token: &Secret) -> Option<Identity> {
        self.node.authenticate_bearer(token.expose()).await.unwrap()
    }

    fn advance(&self, time: Duration) {
        self.clock.advance_millis(i64::try_from(time.as_millis()).unwrap());
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// Lets every task go on until it waits: nothing here takes more than a few turns.
async fn tasks_go_on() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

// --- tokens ----------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_token_says_who_is_asking() {
    let hub = Hub::new();
    let owner = hub.node.ensure_owner().await.unwrap();
    let ada = hub.person().await;
    let (agent_token, agent) = hub.node.create_agent_token("ci").await.unwrap();
    let (ada_token, _) = hub.node.create_person_token(&ada, "laptop").await.unwrap();
    let (owner_token, _) = hub.node.create_person_token(&owner, "owner.token").await.unwrap();

    for (token, kind, id, name) in [
        (&agent_token, PrincipalKind::Agent, &agent.id, "ci"),
        (&ada_token, PrincipalKind::Responder, &ada.id, "ada"),
        (&owner_token, PrincipalKind::Admin, &owner.id, "owner"),
    ] {
        let identity = hub.bearer(token).await.unwrap();
        let expected = Principal { kind, id: id.clone(), name: name.into(), space: "default".into() };
        assert_eq!((identity.how(), &identity.principal), (How::Bearer, &expected));
        assert!(identity.form_nonce().is_none());
    }
    assert!(agent.id.starts_with("agent_") && ada.id.starts_with("person_") && owner.id.starts_with("person_"));
}

#[tokio::test]
async fn what_is_no_token_or_nobodys_is_nobody() {
    let hub = Hub::new();
    let cookie = hub.cookie(&hub.person().await).await;
    let code = hub.node.make_sign_in_code(&hub.node.ensure_owner().await.unwrap()).await.unwrap();
    let stranger = Secret::generate(SecretKind::Token);
    for token in ["", "askhub_", "hunter2", stranger.expose(), cookie.expose(), code.expose()] {
        assert!(hub.node.authenticate_bearer(token).await.unwrap().is_none());
    }
    let (token, _) = hub.node.create_agent_token("ci").await.unwrap();
    for cookie in ["", token.expose(), code.expose(), Secret::generate(SecretKind::Session).expose()] {
        assert!(hub.node.authenticate_session(cookie).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_revoked_token_is_cut_at_once_here_and_within_five_seconds_elsewhere() {
    let hub = Hub::new();
    let (token, kept) = hub.node.create_agent_token("ci").await.unwrap();
    let elsewhere = hub.other_node.authenticate_bearer(token.expose()).await.unwrap().unwrap();
    assert!(hub.bearer(&token).await.is_some());

    assert!(hub.node.revoke_token(&kept.id).await.unwrap());
    assert!(hub.bearer(&token).await.is_none());
    assert!(hub.other_node.is_still_valid(&elsewhere).await.unwrap(), "it goes by what it read a moment ago");
    hub.advance(5 * SECOND);
    assert!(!hub.other_node.is_still_valid(&elsewhere).await.unwrap());
    assert!(hub.other_node.authenticate_bearer(token.expose()).await.unwrap().is_none());

    assert!(!hub.node.revoke_token(&kept.id).await.unwrap());
    assert!(!hub.node.revoke_token("agent_unknown").await.unwrap());
    assert!(hub.node.tokens().await.unwrap()[0].revoked_at.is_some());
}

#[tokio::test]
async fn a_hot_token_costs_no_query_and_an_unknown_one_no_memory() {
    let hub = Hub::new();
    let (token, kept) = hub.node.create_agent_token("ci").await.unwrap();
    assert!(hub.bearer(&token).await.is_some());
    // Revoked behind its back: that it is still let in shows that the store is not asked.
    assert!(hub.store.revoke_token(&kept.id, hub.clock.now()).await.unwrap());
    assert!(hub.bearer(&token).await.is_some());
    hub.advance(3 * SECOND);
    assert!(hub.bearer(&token).await.is_none(), "looked up again in the second half of its life");

    for _ in 0..100 {
        assert!(hub.bearer(&Secret::generate(SecretKind::Token)).await.is_none());
    }
    assert_eq!(hub.node.cache.len(), 1);
}

#[tokio::test]
async fn an_open_stream_ends_with_its_token_on_every_node() {
    let hub = Hub::new();
    let (token, kept) = hub.node.create_agent_token("ci").await.unwrap();
    let here = hub.bearer(&token).await.unwrap();
    let elsewhere = hub.other_node.authenticate_bearer(token.expose()).await.unwrap().unwrap();
    let (node, other_node, clock) = (hub.node.clone(), hub.other_node.clone(), hub.clock.clone());
    let stream_here = tokio::spawn(async move { node.until_ended(&here).await });
    let stream_elsewhere = tokio::spawn(async move {
        let began = clock.now();
        other_node.until_ended(&elsewhere).await;
        began.until(clock.now())
    });
    tasks_go_on().await;

    hub.node.revoke_token(&kept.id).await.unwrap();
    timeout(SECOND, stream_here).await.expect("cut at once").unwrap();
    for _ in 0..20 {
        hub.advance(SECOND / 2);
        tasks_go_on().await;
    }
    assert!(stream_elsewhere.is_finished());
    let cut_after = stream_elsewhere.await.unwrap();
    assert!(cut_after <= 5 * SECOND + SECOND / 2, "{cut_after:?}");
}

#[tokio::test]
async fn an_open_stream_goes_on_when_something_else_ends() {
    let hub = Hub::new();
    let (token, _) = hub.node.create_agent_token("ci").await.unwrap();
    let (_, other) = hub.node.create_agent_token("old").await.unwrap();
    let identity = hub.bearer(&token).await.unwrap();
    let node = hub.node.clone();
    let stream = tokio::spawn(async move { node.until_ended(&identity).await });
    tasks_go_on().await;
    hub.node.revoke_token(&other.id).await.unwrap();
    for _ in 0..20 {
        hub.advance(SECOND);
        tasks_go_on().await;
    }
    assert!(!stream.is_finished());
    stream.abort();
}

#[tokio::test]
async fn the_token_in_a_machines_file_is_taken_over_by_a_new_database() {
    let (old, new) = (Hub::new(), Hub::new());
    let made = old.node.ensure_token(None, TokenFor::Agent, "agent.token").await.unwrap();
    let again = old.node.ensure_token(Some(made.clone()), TokenFor::Agent, "agent.token").await.unwrap();
    assert_eq!(again.expose(), made.expose());
    assert_eq!(old.node.tokens().await.unwrap().len(), 1, "recognised, not added twice");

    let taken = new.node.ensure_token(Some(made.clone()), TokenFor::Agent, "agent.token").await.unwrap();
    assert_eq!(taken.expose(), made.expose());
    assert!(new.bearer(&made).await.is_some());
}

#[tokio::test]
async fn two_nodes_of_one_database_each_have_their_own_tokens() {
    let hub = Hub::new();
    let (one, two) = (hub.node.ensure_owner().await.unwrap(), hub.other_node.ensure_owner().await.unwrap());
    assert_eq!(one, two);
    let first = hub.node.ensure_token(None, TokenFor::Person(&one), "owner.token").await.unwrap();
    let second = hub.other_node.ensure_token(None, TokenFor::Person(&two), "owner.token").await.unwrap();
    assert_ne!(first.expose(), second.expose());
    assert_eq!(hub.bearer(&first).await.unwrap().principal, hub.bearer(&second).await.unwrap().principal);
}

#[tokio::test]
async fn a_restart_undoes_no_revocation_and_makes_no_agent_an_owner() {
    let hub = Hub::new();
    let owner = hub.node.ensure_owner().await.unwrap();
    let owner_token = hub.node.ensure_token(None, TokenFor::Person(&owner), "owner.token").await.unwrap();
    let swapped = hub.node.ensure_token(Some(owner_token.clone()), TokenFor::Agent, "agent.token").await.unwrap();
    assert_ne!(swapped.expose(), owner_token.expose());
    assert_eq!(hub.bearer(&swapped).await.unwrap().principal.kind, PrincipalKind::Agent);

    let kept = hub.node.tokens().await.unwrap().into_iter().find(|token| token.person.is_some()).unwrap();
    hub.node.revoke_token(&kept.id).await.unwrap();
    let fresh =
        hub.node.ensure_token(Some(owner_token.clone()), TokenFor::Person(&owner), "owner.token").await.unwrap();
    assert_ne!(fresh.expose(), owner_token.expose());
    assert!(hub.bearer(&owner_token).await.is_none());
    assert_eq!(hub.bearer(&fresh).await.unwrap().principal.kind, PrincipalKind::Admin);
}

#[test]
fn a_bearers_header_is_read_in_any_letter_case() {
    assert_eq!(bearer_token("Bearer askhub_x"), Some("askhub_x"));
    assert_eq!(bearer_token("bearer  askhub_x "), Some("askhub_x"));
    for header in ["", "Bearer", "Basic askhub_x", "askhub_x", "Bearerx askhub_x"] {
        assert_eq!(bearer_token(header), None, "{header}");
    }
}

// --- people ----------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_name_is_given_once() {
    let hub = Hub::new();
    let ada = hub.person().await;
    assert!(matches!(hub.node.add_person("ada", true).await, Err(NameError::Taken)));
    assert!(matches!(hub.node.add_person("a\u{202e}da", true).await, Err(NameError::Bad(BadName::Invisible))));
    assert!(matches!(hub.node.create_agent_token("").await, Err(NameError::Bad(BadName::Length))));
    assert_eq!(hub.node.person_named("ada").await.unwrap(), Some(ada.clone()));
    assert_eq!(hub.node.person_named("a\0").await.unwrap(), None);
    assert_eq!(hub.node.people().await.unwrap(), [ada]);
}

// --- signing in ------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn looking_at_a_sign_in_code_uses_nothing_up_and_signing_in_does() {
    let hub = Hub::new();
    let ada = hub.person().await;
    let code = hub.node.make_sign_in_code(&ada).await.unwrap();
    for _ in 0..5 {
        assert_eq!(hub.node.peek_sign_in_code(code.expose()).await.unwrap(), Some(ada.clone()));
    }
    assert!(!hub.node.has_live_session(&ada).await.unwrap());

    let (cookie, person) = hub.node.sign_in(code.expose()).await.unwrap().unwrap();
    assert_eq!(person, ada);
    assert!(hub.node.has_live_session(&ada).await.unwrap());
    let random = |secret: &Secret| secret.expose().rsplit('_').next().map(str::to_owned);
    assert_ne!(random(&cookie), random(&code), "the session's id is not the code");

    assert!(hub.node.sign_in(code.expose()).await.unwrap().is_none());
    assert!(hub.node.peek_sign_in_code(code.expose()).await.unwrap().is_none());
    let identity = hub.session(&cookie).await.unwrap();
    assert_eq!((identity.how(), identity.principal.id.as_str()), (How::Session, ada.id.as_str()));
    assert_eq!(identity.principal.kind, PrincipalKind::Responder);
}

#[tokio::test]
async fn of_many_presses_of_one_button_one_signs_in() {
    let hub = Hub::new();
    let code = hub.node.make_sign_in_code(&hub.person().await).await.unwrap();
    let presses = (0..20).map(|press| {
        let node = if press % 2 == 0 { &hub.node } else { &hub.other_node }.clone();
        let code = code.clone();
        tokio::spawn(async move { node.sign_in(code.expose()).await.unwrap().is_some() })
    });
    let mut signed_in = 0;
    for press in presses.collect::<Vec<_>>() {
        signed_in += usize::from(press.await.unwrap());
    }
    assert_eq!(signed_in, 1);
}

#[tokio::test]
async fn a_sign_in_code_is_good_for_ten_minutes() {
    let hub = Hub::new();
    let code = hub.node.make_sign_in_code(&hub.person().await).await.unwrap();
    hub.advance(590 * SECOND);
    assert!(hub.node.peek_sign_in_code(code.expose()).await.unwrap().is_some());
    hub.advance(10 * SECOND);
    assert!(hub.node.peek_sign_in_code(code.expose()).await.unwrap().is_none());
    assert!(hub.node.sign_in(code.expose()).await.unwrap().is_none());
    assert!(hub.node.sign_in("askhub_code_").await.unwrap().is_none());
}

#[tokio::test]
async fn a_session_ends_when_it_is_signed_out() {
    let hub = Hub::new();
    let cookie = hub.cookie(&hub.person().await).await;
    let identity = hub.session(&cookie).await.unwrap();
    let (token, _) = hub.node.create_agent_token("ci").await.unwrap();
    assert!(!hub.node.sign_out(&hub.bearer(&token).await.unwrap()).await.unwrap(), "a token is revoked instead");
    assert!(hub.node.sign_out(&identity).await.unwrap());
    assert!(hub.session(&cookie).await.is_none());
    assert!(!hub.node.is_still_valid(&identity).await.unwrap());
    assert!(!hub.node.sign_out(&identity).await.unwrap());
}

#[tokio::test]
async fn an_idle_session_ends_and_a_used_one_does_not() {
    let hub = Hub::new();
    let ada = hub.person().await;
    let (used, idle) = (hub.cookie(&ada).await, hub.cookie(&ada).await);
    hub.advance(SESSION_IDLE_MAX - 60 * SECOND);
    let identity = hub.session(&used).await.unwrap();
    hub.advance(60 * SECOND);
    assert!(hub.session(&idle).await.is_none());
    assert!(hub.node.is_still_valid(&identity).await.unwrap());
    assert!(hub.session(&used).await.is_some());
    hub.advance(SESSION_IDLE_MAX);
    assert!(!hub.node.is_still_valid(&identity).await.unwrap());
    assert!(!hub.node.has_live_session(&ada).await.unwrap());
    assert!(hub.session(&used).await.is_none());
}

#[tokio::test]
async fn no_session_outlives_its_absolute_limit() {
    let hub = Hub::new();
    let ada = hub.person().await;
    let cookie = hub.cookie(&ada).await;
    let day = 24 * 60 * 60 * SECOND;
    for _ in 1..90 {
        hub.advance(day);
        assert!(hub.session(&cookie).await.is_some());
    }
    hub.advance(SESSION_LIFE_MAX - 89 * day);
    assert!(hub.session(&cookie).await.is_none());
    assert!(!hub.node.has_live_session(&ada).await.unwrap(), "removed when it was met");
}

#[tokio::test]
async fn the_use_of_a_session_is_noted_once_a_minute_and_watching_is_no_use() {
    let hub = Hub::new();
    let cookie = hub.cookie(&hub.person().await).await;
    let hash = cookie.digest().to_hex();
    let identity = hub.session(&cookie).await.unwrap();
    let used_at = async || hub.store.session_by_hash(&hash).await.unwrap().unwrap().0.used_at;
    let first = used_at().await;
    hub.advance(30 * SECOND);
    hub.session(&cookie).await.unwrap();
    assert_eq!(used_at().await, first);
    hub.advance(31 * SECOND);
    assert!(hub.node.is_still_valid(&identity).await.unwrap());
    assert_eq!(used_at().await, first);
    hub.session(&cookie).await.unwrap();
    let second = used_at().await;
    assert!(second > first);
    hub.session(&cookie).await.unwrap();
    assert_eq!(used_at().await, second);
}

#[tokio::test]
async fn a_forms_nonce_belongs_to_one_session() {
    let hub = Hub::new();
    let ada = hub.person().await;
    let (one, other) = (hub.cookie(&ada).await, hub.cookie(&ada).await);
    let nonce = hub.session(&one).await.unwrap().form_nonce().unwrap();
    let elsewhere = hub.other_node.authenticate_session(one.expose()).await.unwrap().unwrap();
    assert!(elsewhere.check_form_nonce(&nonce), "no node needs a key of its own");
    assert!(!hub.session(&other).await.unwrap().check_form_nonce(&nonce));
    let (token, _) = hub.node.create_person_token(&ada, "laptop").await.unwrap();
    assert!(!hub.bearer(&token).await.unwrap().check_form_nonce(&nonce));
}

#[tokio::test]
async fn no_secret_shows_in_debug_output() {
    let hub = Hub::new();
    let ada = hub.person().await;
    let cookie = hub.cookie(&ada).await;
    let (token, kept) = hub.node.create_agent_token("ci").await.unwrap();
    let identities = (hub.session(&cookie).await, hub.bearer(&token).await);
    let nonce = identities.0.as_ref().unwrap().form_nonce().unwrap();
    let shown = format!("{:?} {cookie:?} {token:?} {kept:?} {identities:?} {:?}", hub.node, hub.node.cache);
    for secret in [cookie.expose(), token.expose(), nonce.as_str(), "askhub_"] {
        assert!(!shown.contains(secret));
    }
}
