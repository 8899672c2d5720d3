//! Placeholder.
use crate::facts::Facts;
/// Placeholder.
pub fn spare_for(_model: &str, _facts: &Facts) -> Option<String> {
    None
}
