//! Homes written by the tests.
