//! The layer before the tool: the published JSON Schema, checked and told as the crate jsonschema 0.29 does.
//!
//! That crate looks at an object's members before the object itself, and at both in the order of their names; only the
//! list of required members keeps the order in which the schema has it. What has the wrong type has no other fault.

use serde_json::{Map, Value};

/// More faults than this are not told: arguments of a megabyte could hold hundreds of thousands.
const FAULTS_MAX: usize = 1000;

/// The faults, each as `pointer: message`.
pub(super) fn faults(arguments: &Value) -> Vec<String> {
    let mut check = Check { faults: Vec::new() };
    check.arguments(arguments);
    check.faults
}

struct Check {
    faults: Vec<String>,
}

impl Check {
    fn arguments(&mut self, value: &Value) {
        let Some(members) = self.object(value, "") else { return };
        self.items(members.get("questions"), "/questions", Self::question);
        self.required(members, &["questions"], "");
    }

    fn question(&mut self, value: &Value, at: &str) {
        let Some(members) = self.object(value, at) else { return };
        self.text(members.get("header"), &format!("{at}/header"));
        if let Some(value) = members.get("multiSelect").filter(|value| !value.is_boolean()) {
            self.wrong_type(value, "boolean", &format!("{at}/multiSelect"));
        }
        self.items(members.get("options"), &format!("{at}/options"), Self::option);
        self.text(members.get("question"), &format!("{at}/question"));
        self.required(members, &["question", "header", "options"], at);
    }

    fn option(&mut self, value: &Value, at: &str) {
        let Some(members) = self.object(value, at) else { return };
        self.text(members.get("description"), &format!("{at}/description"));
        self.text(members.get("label"), &format!("{at}/label"));
        self.required(members, &["label", "description"], at);
    }

    fn items(&mut self, value: Option<&Value>, at: &str, each: fn(&mut Self, &Value, &str)) {
        match value {
            Some(Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    each(self, item, &format!("{at}/{index}"));
                }
            }
            Some(other) => self.wrong_type(other, "array", at),
            None => {}
        }
    }

    fn text(&mut self, value: Option<&Value>, at: &str) {
        if let Some(value) = value.filter(|value| !value.is_string()) {
            self.wrong_type(value, "string", at);
        }
    }

    fn object<'a>(&mut self, value: &'a Value, at: &str) -> Option<&'a Map<String, Value>> {
        let members = value.as_object();
        if members.is_none() {
            self.wrong_type(value, "object", at);
        }
        members
    }

    fn required(&mut self, members: &Map<String, Value>, names: &[&str], at: &str) {
        for name in names.iter().filter(|name| !members.contains_key(**name)) {
            self.add(at, || format!("\"{name}\" is a required property"));
        }
    }

    fn wrong_type(&mut self, value: &Value, wanted: &str, at: &str) {
        self.add(at, || format!("{value} is not of type \"{wanted}\""));
    }

    fn add(&mut self, at: &str, fault: impl FnOnce() -> String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(format!("{at}: {}", fault()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // What jsonschema 0.29.1 says of the same schema stands in these tests.

    #[test]
    fn members_come_before_their_object_and_by_name() {
        let arguments = json!({ "questions": [
            { "question": 1, "header": 2, "multiSelect": "x",
              "options": [1, { "label": 1 }, { "description": [] }, {}] },
            5,
            { "options": 3 },
        ] });
        assert_eq!(
            faults(&arguments),
            [
                r#"/questions/0/header: 2 is not of type "string""#,
                r#"/questions/0/multiSelect: "x" is not of type "boolean""#,
                r#"/questions/0/options/0: 1 is not of type "object""#,
                r#"/questions/0/options/1/label: 1 is not of type "string""#,
                r#"/questions/0/options/1: "description" is a required property"#,
                r#"/questions/0/options/2/description: [] is not of type "string""#,
                r#"/questions/0/options/2: "label" is a required property"#,
                r#"/questions/0/options/3: "label" is a required property"#,
                r#"/questions/0/options/3: "description" is a required property"#,
                r#"/questions/0/question: 1 is not of type "string""#,
                r#"/questions/1: 5 is not of type "object""#,
                r#"/questions/2/options: 3 is not of type "array""#,
                r#"/questions/2: "question" is a required property"#,
                r#"/questions/2: "header" is a required property"#,
            ]
        );
    }

    #[test]
    fn what_the_schema_does_not_name_is_free() {
        let option = json!({ "label": "", "description": "", "preview": 1 });
        let question = json!({ "question": "", "header": "", "options": [option], "multiSelect": false, "x": [] });
        assert!(faults(&json!({ "questions": [question], "y": null })).is_empty());
        assert!(faults(&json!({ "questions": [] })).is_empty());
    }

    #[test]
    fn a_megabyte_of_faults_is_cut() {
        assert_eq!(faults(&json!({ "questions": vec![0; 100_000] })).len(), FAULTS_MAX);
    }
}
