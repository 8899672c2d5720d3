//! Placeholder.

use crate::facts::Facts;
use crate::finding::Finding;

pub(crate) const ID: &str = "model-provider";

pub(crate) fn codes() -> Vec<String> {
    Vec::new()
}

pub(crate) fn run(_facts: &Facts) -> Vec<Finding> {
    Vec::new()
}
