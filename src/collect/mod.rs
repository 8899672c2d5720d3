//! Collectors: all I/O on the world, no judgement. One file per kind of fact.

pub mod clock;
pub mod dns;
pub mod reachability;
