//! The address that Codex really sends its requests to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose address it is, by its host name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostKind {
    /// OpenAI's own.
    Official,
    /// This machine.
    Loopback,
    /// A cloud vendor's OpenAI service (Azure, Bedrock).
    Cloud,
    /// Somebody else's.
    Other,
}

/// What an address holds that is not in its fact: redaction takes it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unshown {
    /// A user name or a password before the host.
    UserInfo,
    /// Characters that cannot be seen and that are dropped when the address is read.
    Dropped,
    /// Characters that cannot be seen and that become part of the address, or make it none.
    Kept,
}

/// The endpoint of the selected provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// The provider's id.
    pub provider: String,
    /// Whether the id is built into Codex.
    pub built_in: bool,
    /// The key or rule that gave the base URL.
    pub origin: String,
    /// The base URL, without user information and with query values masked.
    pub base_url: String,
    /// What the base URL holds besides that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unshown: Vec<Unshown>,
    /// The URL of the model request, built as Codex builds it; absent when Codex cannot build one.
    pub request_url: Option<String>,
    /// The host, absent when there is none in the URL.
    pub host: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// Whose it is.
    pub host_kind: HostKind,
    /// `https`, `http` or what else stands there.
    pub scheme: Option<String>,
    /// The model that Codex will ask for, when the configuration names one.
    pub model: Option<String>,
    /// Where the configuration sets the address, for diagnostics.
    pub file: Option<String>,
    /// 1-based line of that place.
    pub line: Option<u32>,
    /// 1-based column of that place.
    pub column: Option<u32>,
}
