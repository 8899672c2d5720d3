//! An error text that a person gave us.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The text of `--error` or `explain`, redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorText {
    /// The text, redacted. Long inputs are cut down to the lines around what looks like an error.
    pub text: String,
    /// Bytes of the input before that.
    pub input_bytes: u64,
}
