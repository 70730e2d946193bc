//! The versions whose texts are spoken. What they do differently is where it is done: `arguments` (reading),
//! `complaint` (refusing), `sentence` (answering), and here where they have nobody to ask.

use super::super::ToolResult;

/// A version of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// 2.1.89.
    V89,
    /// 2.1.332.
    V332,
}

/// The names, the default first.
pub(super) const NAMES: &[&str] = &["2.1.89", "2.1.332"];

impl Version {
    /// The version of that name, which is one of [`NAMES`].
    pub(super) fn named(name: &str) -> Self {
        if name == "2.1.332" { Self::V332 } else { Self::V89 }
    }

    /// What the original says where it has nobody to ask: later versions do not even offer the tool then.
    pub(super) fn nobody(self) -> ToolResult {
        ToolResult::error(match self {
            Self::V89 => "Answer questions?",
            Self::V332 => {
                "<tool_use_error>Error: No such tool available: AskUserQuestion. AskUserQuestion is disabled for this \
                 session, in subagents as well as here.</tool_use_error>"
            }
        })
    }
}
