//! Collectors: all I/O on the world, no judgement. One file per kind of fact.

pub mod credentials;
pub mod history;
pub mod installation;
pub mod sessions;
