//! An error text that a person gave us.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::Layer;

/// The text of `--error` or `explain`, redacted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorText {
    /// The text, redacted. Long inputs are cut down to the lines around what looks like an error.
    pub text: String,
    /// Bytes of the input before that.
    pub input_bytes: u64,
    /// The text as a layer of configuration, where it reads as one. Older reports have none.
    #[serde(default)]
    pub setting: Option<Layer>,
}
