//! Permission profiles: what `default_permissions` selects must exist and make sense. Profiles that are not selected are left alone.

use super::tree::{Shape, Value};
use crate::facts::run::Platform;

/// Sandbox profiles that Codex brings along.
const BUILT_IN: [&str; 3] = [":danger-full-access", ":read-only", ":workspace"];
/// Those of them that another profile may build on.
const EXTENSIBLE: [&str; 2] = [":read-only", ":workspace"];

/// A message and the value that it is about.
type Fault<'tree, 'config> = (String, Option<&'tree Value<'config>>);

/// What is wrong with the permission profiles, if anything.
pub(super) fn fault<'tree, 'config>(merged: &'tree Value<'config>, platform: Platform) -> Option<Fault<'tree, 'config>> {
    let table = merged.get("permissions");
    let defined = table.and_then(Value::table).filter(|profiles| !profiles.is_empty());
    if let Some((name, profile)) = defined.and_then(|profiles| profiles.iter().find(|(name, _)| name.starts_with(':'))) {
        return Some((format!("permissions profile `{name}` uses a reserved built-in profile prefix"), Some(profile)));
    }
    let selected = merged.get("default_permissions");
    let message = match (selected.and_then(Value::text), defined) {
        // With a sandbox mode the profiles are not needed.
        (None, Some(_)) if merged.get("sandbox_mode").is_none() => {
            let message = "config defines `[permissions]` profiles but does not set `default_permissions`".to_owned();
            return Some((message, table));
        }
        (Some(name), _) if name.starts_with(':') => {
            if BUILT_IN.contains(&name) {
                return None;
            }
            format!("default_permissions refers to unknown built-in profile `{name}`")
        }
        (Some(_), None) => "default_permissions requires a `[permissions]` table".to_owned(),
        (Some(name), Some(profiles)) if !profiles.contains_key(name) => {
            format!("default_permissions refers to undefined profile `{name}`")
        }
        (Some(name), Some(_)) => return of_profile(table?, name, platform),
        _ => return None,
    };
    Some((message, selected))
}

/// What is wrong with a profile and with those that it builds on.
fn of_profile<'tree, 'config>(profiles: &'tree Value<'config>, name: &str, platform: Platform) -> Option<Fault<'tree, 'config>> {
    let mut chain = vec![name];
    let mut profile = profiles.get(name)?;
    loop {
        if let Some(fault) = filesystem(profile, platform) {
            return Some(fault);
        }
        let extends = profile.get("extends")?;
        let (current, parent) = (*chain.last()?, extends.text()?);
        let message = if parent.starts_with(':') {
            if EXTENSIBLE.contains(&parent) {
                return None;
            }
            format!("permissions profile `{current}` cannot extend unsupported built-in profile `{parent}`")
        } else if chain.contains(&parent) {
            chain.push(parent);
            format!("permissions profile inheritance cycle detected: {}", chain.join(" -> "))
        } else if let Some(next) = profiles.get(parent) {
            chain.push(parent);
            profile = next;
            continue;
        } else {
            format!("permissions profile `{current}` extends undefined profile `{parent}`")
        };
        return Some((message, Some(extends)));
    }
}

/// What is wrong with the paths of a profile.
fn filesystem<'tree, 'config>(profile: &'tree Value<'config>, platform: Platform) -> Option<Fault<'tree, 'config>> {
    profile.get("filesystem")?.in_order("").into_iter().find_map(|(path, access)| {
        let drive = platform == Platform::Windows && path.as_bytes().get(1) == Some(&b':');
        // A path that was redacted to a role was one of a project.
        let absolute = path.starts_with(['/', ':', '~', '<', '$']) || drive || path == "glob_scan_max_depth";
        if !absolute {
            let message = format!("filesystem path `{path}` must be absolute, use `~/...`, or start with `:`");
            return Some((message, Some(access)));
        }
        let inside =
            |path: &&&str| !path.starts_with('/') && (**path == "." || !path.split('/').any(|part| matches!(part, "." | "..")));
        let outside = access.table()?.keys().find(|path| !inside(path))?;
        let message = format!("filesystem subpath `{outside}` must be a descendant path without `.` or `..` components");
        Some((message, Some(access)))
    })
}

/// The version of the rules for requests that are looked into, where one is named.
const MITM_VERSION: f64 = 2.0;

/// What is wrong with the rules for requests that are looked into.
pub(super) fn mitm(mitm: &Value<'_>) -> Option<String> {
    let version = mitm.get("version").and_then(Value::number);
    if let Some(version) = version.filter(|version| *version != MITM_VERSION) {
        return Some(format!("unsupported network.mitm.version {version}"));
    }
    let is_empty = |value: &Value<'_>| matches!(&value.shape, Shape::Array(elements) if elements.is_empty());
    let tables = |name: &str| mitm.get(name).and_then(Value::table).into_iter().flatten();
    let idle = tables("actions").find(|(_, action)| match &action.shape {
        Shape::Table(keys) => keys.values().all(is_empty),
        Shape::Array(fields) => fields.iter().all(is_empty),
        Shape::Scalar => false,
    });
    if let Some((name, _)) = idle {
        return Some(format!("network.mitm.actions.{name} must define at least one operation"));
    }
    tables("hooks").find_map(|(name, hook)| {
        let is_scoped = ["schemes", "ports"].into_iter().any(|key| hook.get(key).is_some());
        if hook.get("action").is_some_and(is_empty) {
            return Some(format!("network.mitm.hooks.{name}.action must not be empty"));
        }
        (is_scoped && version.is_none()).then(|| "scoped MITM hooks require network.mitm.version = 2".to_owned())
    })
}
