//! JSON that is handed on as it came: kept as text, so that no digit and no order is lost on the way.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::json::{Json, JsonError};
use super::limits::NESTING_MAX;

/// A JSON value as its text. Two are equal if their texts are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonText(Box<RawValue>);

impl JsonText {
    /// The compact text of a value.
    pub fn of(value: &Json) -> Self {
        // Our own writer writes JSON; null would stand for it if it did not.
        Self(RawValue::from_string(value.to_text()).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// A value from its text.
    ///
    /// # Errors
    /// It is not JSON, or nested more than [`NESTING_MAX`] deep.
    pub fn read(text: &str) -> Result<Self, JsonError> {
        Json::parse(text, NESTING_MAX).map(|value| Self::of(&value))
    }

    /// An object without members.
    pub fn empty_object() -> Self {
        Self::of(&Json::Object(Vec::new()))
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The value.
    pub fn parse(&self) -> Json {
        Json::parse(self.get(), NESTING_MAX).unwrap_or(Json::Null)
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for JsonText {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_on_keeps_its_digits_and_its_order() {
        let text = r#"{"z":18446744073709551617,"a":1.10,"z":"\u00e9"}"#;
        let kept = JsonText::of(&Json::parse(text, NESTING_MAX).unwrap());
        assert_eq!(kept.get(), r#"{"z":18446744073709551617,"a":1.10,"z":"é"}"#);
        let stored = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<JsonText>(&stored).unwrap(), kept);
        assert_eq!(kept.parse().to_text(), kept.get());
    }
}
