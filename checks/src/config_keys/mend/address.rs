//! Addresses: a pasted endpoint, a doubled version, a missing one. Never safe: the requests would go elsewhere.

use super::{Change, Mend, Mender, text};
use crate::base_url;
use crate::facts::Facts;

/// How an address is put right. It is done to the real address, which the facts do not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRepair {
    /// The path of an endpoint was pasted with it.
    CutEndpoint,
    /// `/v1/v1`.
    SingleVersion,
    /// No version at all.
    AddVersion,
}

impl AddressRepair {
    /// The address put right; nothing where that is not what is wrong with it.
    pub fn apply(self, address: &str) -> Option<String> {
        match self {
            Self::CutEndpoint => base_url::without_endpoint(address),
            Self::SingleVersion => base_url::with_single_version(address),
            Self::AddVersion => Some(base_url::with_version(address)),
        }
    }
}

/// The addresses of this file that can be put right.
pub(super) fn mends(mender: &Mender<'_>, facts: &Facts) -> Vec<Mend> {
    let lacking = base_url::lacks_version_at(facts);
    let addresses = mender.layer.entries.iter().filter(|entry| match entry.path.as_slice() {
        [root] => root == "openai_base_url",
        [providers, _, name] => providers == "model_providers" && name == "base_url",
        _ => false,
    });
    addresses
        .filter_map(|entry| {
            let address = text(entry)?;
            let (code, repair) = if AddressRepair::CutEndpoint.apply(address).is_some() {
                ("base-url.endpoint-pasted", AddressRepair::CutEndpoint)
            } else if AddressRepair::SingleVersion.apply(address).is_some() {
                ("base-url.doubled-v1", AddressRepair::SingleVersion)
            } else if lacking == Some((mender.file, entry.line, entry.column)) {
                ("base-url.lacks-v1", AddressRepair::AddVersion)
            } else {
                return None;
            };
            let mend = mender.mend(code, "fix-address", entry, Change::Address(repair))?;
            Some(mend.arg("to", &repair.apply(address)?).unsafe_for("fix-unsafe-endpoint"))
        })
        .collect()
}
