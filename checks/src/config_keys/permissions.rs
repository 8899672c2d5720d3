//! Permission profiles: what `default_permissions` selects must exist and make sense. Profiles that are not selected are left alone.

use super::tree::Value;
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
