//! Certificates that are right, or wrong in one way. They are made anew in every process, so that none of them grows old.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose, date_time_ymd};

/// Names that a good certificate is for.
pub const NAMES: [&str; 7] =
    ["localhost", "127.0.0.1", "relay.example", "api.openai.com", "chatgpt.com", "auth.openai.com", "status.openai.com"];

/// What a server presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// For [`NAMES`]; signed by [`Certificate::AUTHORITY`].
    Good,
    /// The same, but it ended in 2021.
    Expired,
    /// The same, but it begins in 2090.
    NotYetValid,
    /// Right but for the name: it is for `elsewhere.example`.
    WrongName,
    /// For [`NAMES`], signed by itself.
    SelfSigned,
    /// For [`NAMES`], signed by an authority of a company that nobody here knows (a proxy that opens TLS).
    PrivateAuthority,
}

/// A certificate authority's own certificate, PEM.
#[derive(Clone, Copy, Debug)]
pub struct Authority;

impl AsRef<[u8]> for Authority {
    fn as_ref(&self) -> &[u8] {
        self.pem().as_bytes()
    }
}

impl Authority {
    /// The PEM text.
    pub fn pem(&self) -> &'static str {
        &AUTHORITY.1
    }
}

impl Certificate {
    /// See [`Certificate::Good`].
    pub const GOOD: Self = Self::Good;
    /// See [`Certificate::Expired`].
    pub const EXPIRED: Self = Self::Expired;
    /// The authority that signed all but the self-signed and the private one.
    pub const AUTHORITY: Authority = Authority;

    pub(crate) fn config(self) -> std::io::Result<Arc<rustls::ServerConfig>> {
        let (chain, key) = self.make().map_err(std::io::Error::other)?;
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
                builder.with_no_client_auth().with_single_cert(vec![chain], key.into())
            })
            .map_err(std::io::Error::other)?;
        Ok(Arc::new(config))
    }

    fn make(self) -> Result<(rustls::pki_types::CertificateDer<'static>, KeyPair), rcgen::Error> {
        let names: &[&str] = if self == Self::WrongName { &["elsewhere.example"] } else { &NAMES };
        let mut params = CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
        params.distinguished_name.push(DnType::CommonName, names[0]);
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth];
        (params.not_before, params.not_after) = match self {
            Self::Expired => (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1)),
            Self::NotYetValid => (date_time_ymd(2090, 1, 1), date_time_ymd(2091, 1, 1)),
            _ => (date_time_ymd(2020, 1, 1), date_time_ymd(2060, 1, 1)),
        };
        let key = KeyPair::generate()?;
        let certificate = match self {
            Self::SelfSigned => params.self_signed(&key)?,
            Self::PrivateAuthority => params.signed_by(&key, &PRIVATE.0)?,
            _ => params.signed_by(&key, &AUTHORITY.0)?,
        };
        Ok((certificate.der().clone(), key))
    }
}

type Issuer = CertifiedIssuer<'static, KeyPair>;

static AUTHORITY: LazyLock<(Issuer, String)> = LazyLock::new(|| authority("codex-triage lab"));
static PRIVATE: LazyLock<(Issuer, String)> = LazyLock::new(|| authority("Example Company TLS Inspection"));

fn authority(name: &str) -> (Issuer, String) {
    let make = || -> Result<_, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let pem = issuer.pem();
        Ok((issuer, pem))
    };
    make().expect("a fixed request for a certificate can be met")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_can_be_served_and_the_authority_is_pem() {
        use Certificate::{Expired, Good, NotYetValid, PrivateAuthority, SelfSigned, WrongName};
        for certificate in [Good, Expired, NotYetValid, WrongName, SelfSigned, PrivateAuthority] {
            certificate.config().unwrap();
        }
        assert!(Certificate::AUTHORITY.pem().starts_with("-----BEGIN CERTIFICATE-----"));
    }
}
