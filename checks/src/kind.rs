//! Kinds: the hypotheses that a run weighs. One table; everything else about a kind hangs on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a request stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// 1: the client's configuration.
    Client,
    /// 2: network, routing, authentication.
    Access,
    /// 3: quota and capacity.
    Admission,
    /// 4: the work itself.
    Execution,
}

impl Gate {
    /// All gates in the order in which a request passes them.
    pub const ALL: [Self; 4] = [Self::Client, Self::Access, Self::Admission, Self::Execution];
}

/// The part of a kind before the dot, and the two outcomes that are no hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Whoever serves the model has no room.
    Overload,
    /// This account's allowance.
    Quota,
    /// The user's configuration, credentials or relay settings.
    Config,
    /// The way between.
    Network,
    /// None of these.
    Other,
    /// Nothing failed.
    Healthy,
    /// The evidence does not decide.
    Undetermined,
}

impl Cause {
    /// The causes that are hypotheses, in the order of reports.
    pub const HYPOTHESES: [Self; 5] = [Self::Overload, Self::Quota, Self::Config, Self::Network, Self::Other];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overload => "overload",
            Self::Quota => "quota",
            Self::Config => "config",
            Self::Network => "network",
            Self::Other => "other",
            Self::Healthy => "healthy",
            Self::Undetermined => "undetermined",
        }
    }

    /// How all its kinds are named together, where something weighs on them alike.
    pub fn name_of_all(self) -> &'static str {
        match self {
            Self::Overload => "overload.*",
            Self::Quota => "quota.*",
            Self::Config => "config.*",
            Self::Network => "network.*",
            Self::Other => "other.*",
            Self::Healthy => "healthy.*",
            Self::Undetermined => "undetermined.*",
        }
    }
}

macro_rules! kinds {
    ($($variant:ident = $name:literal, $cause:ident, $gate:ident, $prior:literal, $reason:literal;)*) => {
        /// A hypothesis.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Kind {
            $(#[doc = $reason] #[serde(rename = $name)] $variant,)*
        }

        impl Kind {
            /// All kinds in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its stable name, `cause.kind`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its cause.
            pub fn cause(self) -> Cause {
                match self { $(Self::$variant => Cause::$cause,)* }
            }

            /// The gate at which it stops a request.
            pub fn gate(self) -> Gate {
                match self { $(Self::$variant => Gate::$gate,)* }
            }

            /// How likely it is before any evidence, in decibans against a common level.
            pub fn prior(self) -> i16 {
                match self { $(Self::$variant => $prior,)* }
            }

            /// Why the prior is what it is.
            pub fn prior_reason(self) -> &'static str {
                match self { $(Self::$variant => $reason,)* }
            }
        }
    };
}

kinds! {
    OverloadModel = "overload.model", Overload, Admission, 0, "This model is full. The commonest true cause of the capacity sentence.";
    OverloadAccount = "overload.account", Overload, Admission, -6, "This account's share is full on all models. Reported often, proven seldom.";
    OverloadTier = "overload.tier", Overload, Admission, -10, "A flex or policy-restricted pool is full. Needs an opt-in.";
    OverloadService = "overload.service", Overload, Admission, -3, "Whoever serves the model fails as a whole. Incidents are weekly, not daily.";
    OverloadRelay = "overload.relay", Overload, Admission, -6, "A relay's back end is full. Needs a relay.";
    QuotaUsageLimit = "quota.usage-limit", Quota, Admission, -2, "The plan's window is used up. Common, and mostly said in plain words.";
    QuotaRateLimit = "quota.rate-limit", Quota, Admission, -3, "Throttled for seconds or minutes. Common with API keys and subagents.";
    QuotaCredits = "quota.credits", Quota, Admission, -5, "The balance is empty. API keys and relays only.";
    QuotaPlan = "quota.plan", Quota, Admission, -8, "The plan lacks Codex. Free and lapsed plans.";
    QuotaOrg = "quota.org", Quota, Admission, -10, "A personal key in an organisation, or the wrong project. Rare.";
    QuotaConcurrency = "quota.concurrency", Quota, Admission, -10, "Too many clients of one login. Rare, mostly at relays.";
    ConfigRejected = "config.rejected", Config, Client, -5, "Codex cannot load the configuration. It says so at its start.";
    ConfigModel = "config.model", Config, Client, -3, "The model is unknown here. Common after releases and with relays.";
    ConfigProvider = "config.provider", Config, Client, -8, "The provider is undefined or misdefined.";
    ConfigBaseUrl = "config.base-url", Config, Client, -4, "The address lacks or doubles a part. Common with relays.";
    ConfigWireApi = "config.wire-api", Config, Client, -7, "The other side does not speak the Responses API.";
    ConfigRelay = "config.relay", Config, Access, -5, "The relay has no channel or account for this model. Needs a relay.";
    ConfigCredentials = "config.credentials", Config, Access, -3, "Missing, expired, revoked or wrong credentials. Common.";
    ConfigClock = "config.clock", Config, Access, -14, "The clock breaks tokens or TLS. Rare where time synchronisation runs.";
    NetworkDns = "network.dns", Network, Access, -6, "The name does not resolve.";
    NetworkConnect = "network.connect", Network, Access, -5, "No connection.";
    NetworkTls = "network.tls", Network, Access, -8, "The TLS handshake fails. Company inspection, mostly.";
    NetworkProxy = "network.proxy", Network, Access, -6, "The proxy is dead, refuses or is left over. Common in China and in companies.";
    NetworkBlocked = "network.blocked", Network, Access, -6, "A block or challenge page, or a region that is not served.";
    NetworkGateway = "network.gateway", Network, Access, -6, "A gateway on the way answers with a page of its own.";
    NetworkTimeout = "network.timeout", Network, Access, -7, "No answer in time.";
    NetworkStreamCut = "network.stream-cut", Network, Execution, -5, "The stream is cut in the middle.";
    OtherContext = "other.context", Other, Execution, -4, "The context window is full. Said in plain words.";
    OtherPolicy = "other.policy", Other, Execution, -7, "A policy refusal or rerouting. Said in plain words.";
    OtherClientBug = "other.client-bug", Other, Execution, -6, "A fault of the client or of an adapter between.";
    OtherStaleClient = "other.stale-client", Other, Access, -10, "A process that lives on with a dead connection or an old snapshot.";
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A kind, or all kinds of a cause (`overload.*`): what a weight or a row of data speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// One kind.
    Kind(Kind),
    /// All kinds of a cause.
    Cause(Cause),
}

impl Target {
    /// Reads `quota.credits`, `quota.*` or `quota`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(kind) = Kind::ALL.iter().find(|kind| kind.name() == text) {
            return Some(Self::Kind(*kind));
        }
        let cause = text.strip_suffix(".*").unwrap_or(text);
        Cause::HYPOTHESES.into_iter().find(|known| known.name() == cause).map(Self::Cause)
    }

    /// Whether it speaks of `kind`.
    pub fn covers(self, kind: Kind) -> bool {
        match self {
            Self::Kind(one) => one == kind,
            Self::Cause(cause) => kind.cause() == cause,
        }
    }

    /// Its name, as [`Target::parse`] reads it.
    pub fn name(self) -> String {
        match self {
            Self::Kind(kind) => kind.name().to_owned(),
            Self::Cause(cause) => cause.name_of_all().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_named_after_its_cause() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().split('.').next(), Some(kind.cause().name()));
            assert_eq!(Target::parse(kind.name()), Some(Target::Kind(*kind)));
        }
        for cause in Cause::HYPOTHESES {
            assert_eq!(cause.name_of_all(), format!("{}.*", cause.name()));
            assert_eq!(Target::parse(cause.name_of_all()), Some(Target::Cause(cause)));
        }
        assert_eq!(Target::parse("weather.rain"), None);
    }
}
