//! The people who may answer.
//!
//! Invariant: a name is unique and shows as what it is, because it is what agents and colleagues read beside an answer.
//! Part of `auth`.

use uuid::Uuid;

use super::Auth;
use crate::store::{Cause, Person, StoreError};

/// The space of everybody, as long as no other can be made.
pub(super) const SPACE_DEFAULT: &str = "default";
/// The name of the person who administers from the first start on.
const OWNER: &str = "owner";
/// Longest name of a person or token, in characters.
const NAME_CHARS_MAX: usize = 100;

/// Why nobody can have that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Empty or too long.
    #[error("a name has 1 to 100 characters")]
    Length,
    /// Blank at an end, or a blank that is not a plain space.
    #[error("a name has no blanks at its ends, and only plain spaces inside")]
    Blank,
    /// What is not seen but changes what is.
    #[error("a name has no control characters and no invisible ones")]
    Invisible,
}

/// Why nobody was given that name.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// The name cannot be used.
    #[error(transparent)]
    Bad(#[from] BadName),
    /// Somebody has it.
    #[error("somebody has that name")]
    Taken,
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Auth {
    /// Adds a person, who acts in the default space.
    ///
    /// # Errors
    /// [`NameError`].
    pub async fn add_person(&self, name: &str, is_admin: bool) -> Result<Person, NameError> {
        check_name(name)?;
        let person = self.new_person(name, is_admin);
        if self.store.add_person(&person).await? { Ok(person) } else { Err(NameError::Taken) }
    }

    /// The person `owner`, who administers; made if there is none.
    ///
    /// # Errors
    /// The store's.
    pub async fn ensure_owner(&self) -> Result<Person, StoreError> {
        if let Some(owner) = self.store.person_named(OWNER).await? {
            return Ok(owner);
        }
        let owner = self.new_person(OWNER, true);
        if self.store.add_person(&owner).await? {
            return Ok(owner);
        }
        // Another node that shares the database was faster.
        let owner = self.store.person_named(OWNER).await?;
        owner.ok_or_else(|| StoreError::Corrupt(Cause::new("the name owner is taken by nobody")))
    }

    /// All people, oldest first.
    ///
    /// # Errors
    /// The store's.
    pub async fn people(&self) -> Result<Vec<Person>, StoreError> {
        self.store.people().await
    }

    /// The person of that name.
    ///
    /// # Errors
    /// The store's.
    pub async fn person_named(&self, name: &str) -> Result<Option<Person>, StoreError> {
        if check_name(name).is_err() {
            return Ok(None);
        }
        self.store.person_named(name).await
    }

    fn new_person(&self, name: &str, is_admin: bool) -> Person {
        Person {
            id: format!("person_{}", Uuid::new_v4()),
            name: name.to_owned(),
            is_admin,
            space: SPACE_DEFAULT.to_owned(),
            created_at: self.now(),
        }
    }
}

/// Whether a person or token may have that name.
pub(super) fn check_name(name: &str) -> Result<(), BadName> {
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(BadName::Length);
    }
    if name.chars().any(|character| character.is_control() || is_deceptive(character)) {
        return Err(BadName::Invisible);
    }
    if name.trim() != name || name.chars().any(|character| character.is_whitespace() && character != ' ') {
        return Err(BadName::Blank);
    }
    Ok(())
}

/// Characters that turn the direction of what follows or take no room, so that two names look alike. The joiners
/// U+200C and U+200D stay: Persian and Hindi names are written with them.
fn is_deceptive(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_shows_as_what_it_is() {
        for name in ["a", "Ada Lovelace", "O'Brien, Zoë (ops)", "山田", "می\u{200c}خواهم", &"ä".repeat(100)]
        {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        for (name, expected) in [
            ("", BadName::Length),
            (&*"ä".repeat(101), BadName::Length),
            (" ada", BadName::Blank),
            ("ada ", BadName::Blank),
            (" ", BadName::Blank),
            ("a\u{a0}b", BadName::Blank),
            ("a\u{2028}b", BadName::Blank),
            ("a\nb", BadName::Invisible),
            ("a\0b", BadName::Invisible),
            ("a\u{202e}b", BadName::Invisible),
            ("owner\u{200b}", BadName::Invisible),
        ] {
            assert_eq!(check_name(name), Err(expected), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_name_or_not(name: String) {
            let _ = check_name(&name);
        }
    }
}
