//! Placeholder.
/// Placeholder.
pub fn denied_in_project(_root: &str) -> bool {
    false
}
