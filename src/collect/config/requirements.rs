//! `requirements.toml`: what the company requires of every configuration on this machine.

use codex_triage_checks::facts::config::{Layer, LayerName};
use codex_triage_checks::knowledge::requirements;

use super::raw::RawTable;
use super::{Drafts, layer};
use crate::redact::Redactor;
use crate::world::World;

/// The file as a layer, with its values and those of its keys that override the configuration.
pub(super) struct Required {
    pub(super) layer: Layer,
    pub(super) table: RawTable,
    pub(super) overriding: Vec<String>,
}

/// Reads the file of the machine. One in CODEX_HOME or in a project is none (measured on 0.171.0).
pub(super) fn read(world: &World, redactor: &Redactor, codex_version: Option<&str>) -> Required {
    let path = world.system_config.join("requirements.toml");
    let (layer, table) = layer::read(LayerName::Requirements, &path, &redactor.path(&path), &Drafts::new(), redactor);
    let overriding = requirements::overriding(table.keys().map(String::as_str), codex_version);
    Required { layer, table, overriding }
}
