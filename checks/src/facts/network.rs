//! What the network answered: names, one free request, the clock of the other side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a name lookup ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Lookup {
    /// Addresses, in the order of the answer.
    Addresses {
        /// The addresses.
        addresses: Vec<std::net::IpAddr>,
    },
    /// The name does not exist, or has no address.
    NoSuchName,
    /// The server refused or failed.
    ServerFailure {
        /// Its response code or error.
        error: String,
    },
    /// No answer in time.
    Timeout,
}

/// Two lookups of the endpoint's name: ours on the system's configuration, and the operating system's own (which Codex uses).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dns {
    /// The name looked up.
    pub name: String,
    /// Asked of the configured name servers directly.
    pub resolver: Lookup,
    /// Asked of the operating system (hosts file, VPN, cache).
    pub system: Lookup,
    /// Whether a proxy is used for this host, which then resolves the name itself.
    pub through_proxy: bool,
}

/// The stage at which a request stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The URL cannot be requested.
    Build,
    /// Name resolution.
    Dns,
    /// TCP connection.
    Connect,
    /// The proxy.
    Proxy,
    /// TLS.
    Tls,
    /// Waiting for the answer.
    FirstByte,
    /// Reading the answer.
    Body,
}

/// What went wrong at a stage, as far as the error tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Nothing that an HTTP request can be sent to.
    NoAddress,
    /// The name could not be resolved.
    NameUnresolved,
    /// Nothing listens at that port.
    Refused,
    /// No route.
    Unreachable,
    /// The other side, or something between, ended the connection.
    Closed,
    /// The other side speaks something else than HTTP.
    NotHttp,
    /// An HTTP answer whose headers no client can read.
    Garbled,
    /// The other side does not speak TLS.
    NotTls,
    /// The certificate's issuer is not trusted here.
    UnknownIssuer,
    /// The certificate is for another name.
    WrongName,
    /// The certificate has ended.
    Expired,
    /// The certificate has not begun.
    NotYetValid,
    /// This machine has no certificate authorities to trust, or a file that names some cannot be read.
    NoAuthorities,
    /// The proxy wants credentials.
    ProxyCredentials,
    /// The proxy cannot be reached.
    ProxyUnreachable,
    /// The proxy answered, but would not or could not connect.
    ProxyRefused,
    /// Nothing came in time.
    Silence,
    /// Anything else.
    Other,
}

/// The request failed before a whole answer came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransportError {
    /// Where.
    pub stage: Stage,
    /// What.
    pub fault: Fault,
    /// Whether it was our patience that ended.
    pub timed_out: bool,
    /// The error, redacted.
    pub error: String,
}

/// What kind of body came back, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyShape {
    /// A model list in either of the API's two shapes.
    ModelList,
    /// A JSON error in the API's shape.
    ApiError,
    /// Other JSON.
    Json,
    /// A web page.
    Html,
    /// A challenge page of a content network ("Just a moment").
    Challenge,
    /// A block page.
    Block,
    /// Nothing.
    Empty,
    /// Anything else.
    Other,
}

/// The answer to the free request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers that tell who answered (`server`, `cf-ray`, `x-request-id`, `retry-after`, …), redacted.
    pub headers: std::collections::BTreeMap<String, String>,
    /// What came back.
    pub shape: BodyShape,
    /// `error.code` of the body.
    pub error_code: Option<String>,
    /// `error.type` of the body.
    pub error_type: Option<String>,
    /// `error.message` or the like, redacted and cut.
    pub error_message: Option<String>,
    /// The model ids of a model list, sorted.
    pub models: Vec<String>,
    /// Where a redirect points, when the answer is one (it is not followed).
    pub redirect: Option<String>,
}

/// One free request to the endpoint: `GET …/models`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reachability {
    /// The URL asked, redacted.
    pub url: String,
    /// The equal curl command; a key in it is a variable.
    pub curl: String,
    /// Whether the credential was sent along.
    pub authenticated: bool,
    /// Whether there is a credential that was kept back, because it would have travelled without encryption.
    pub withheld: bool,
    /// Whether there is a credential that no header can carry (it holds a line break or another control character). Codex then
    /// sends its requests without it and says nothing (measured on 0.171.0).
    pub unusable: bool,
    /// The proxy used, redacted, and the variable that names it.
    pub proxy: Option<String>,
    /// How long until the answer or the failure, in milliseconds.
    pub elapsed_ms: u64,
    /// The answer or the failure.
    pub outcome: Outcome,
}

/// The answer or the failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Outcome {
    /// An HTTP answer came.
    Answered(Answer),
    /// None came.
    Broken(TransportError),
}

/// The offset of the local clock from the other side's, as an interval in seconds; positive means that the local clock is ahead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skew {
    /// The host whose `Date` header was read.
    pub host: String,
    /// Least possible offset.
    pub low_s: i64,
    /// Largest possible offset.
    pub high_s: i64,
}

impl Skew {
    /// The offset of which we are sure: zero when the interval holds zero, else the end nearer to zero.
    pub fn certain_offset_s(&self) -> i64 {
        if self.low_s > 0 {
            self.low_s
        } else if self.high_s < 0 {
            self.high_s
        } else {
            0
        }
    }
}
