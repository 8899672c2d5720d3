//! What a token says of itself. Its signature cannot be checked here, so nothing is decided on its word that a server would not decide anew.

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde_json::Value;

/// Where OpenAI's own claims stand.
const OWN: &str = "https://api.openai.com/auth";

/// The claims of a token.
pub(super) struct Claims(Value);

impl Claims {
    /// The claims of `token`, when it has the three parts of a JSON web token and a readable middle.
    pub(super) fn of(token: &str) -> Option<Self> {
        let mut parts = token.split('.');
        let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
        let bytes = URL_SAFE_NO_PAD.decode(payload).or_else(|_| URL_SAFE.decode(payload)).ok()?;
        serde_json::from_slice(&bytes).ok().filter(Value::is_object).map(Self)
    }

    /// A claim that is a moment (`exp`, `iat`).
    pub(super) fn moment(&self, name: &str) -> Option<DateTime<Utc>> {
        let claim = self.0.get(name)?;
        let seconds =
            claim.as_i64().or_else(|| claim.as_f64().filter(|seconds| seconds.abs() < 1e12).map(|seconds| seconds as i64))?;
        DateTime::from_timestamp(seconds, 0)
    }

    /// One of OpenAI's own text claims (`chatgpt_plan_type`, `chatgpt_account_id`).
    pub(super) fn own(&self, name: &str) -> Option<&str> {
        self.0.get(OWN)?.get(name)?.as_str()
    }

    /// One of OpenAI's own yes-or-no claims.
    pub(super) fn own_flag(&self, name: &str) -> bool {
        self.0.get(OWN).and_then(|own| own.get(name)).and_then(Value::as_bool).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(payload: &str) -> String {
        format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn claims_are_read_and_garbage_is_none() {
        let claims =
            Claims::of(&token(r#"{"exp":1795960800,"https://api.openai.com/auth":{"chatgpt_plan_type":"plus"}}"#)).unwrap();
        assert_eq!(claims.moment("exp").map(|at| at.timestamp()), Some(1_795_960_800));
        assert_eq!(claims.own("chatgpt_plan_type"), Some("plus"));
        assert_eq!(claims.own("chatgpt_account_id"), None);
        for garbage in ["", "a.b", "a.!!.c", "rt_opaque", &token("[]"), &token("{")] {
            assert!(Claims::of(garbage).is_none());
        }
    }
}
