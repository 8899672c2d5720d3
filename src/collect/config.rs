//! Placeholder.
/// Placeholder.
#[derive(Clone, Debug, Default)]
pub struct ConfigRequest {
    /// -p
    pub profile: Option<String>,
    /// -c
    pub overrides: Vec<String>,
}
