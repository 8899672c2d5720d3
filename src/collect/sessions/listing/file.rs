//! One rollout file: where it is, and in which state.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The form of the names that Codex gives; each `0` stands for a digit, each `x` for one of an id.
const NAME: &[u8; 70] = b"rollout-0000-00-00T00-00-00-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.jsonl";

/// Where a file is. Many share a folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    folder: Arc<Path>,
    name: Box<OsStr>,
}

impl Place {
    /// The place of the file at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
        Self { folder: folder.into(), name: name.into() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&*self.name)
    }

    /// The name, where it is that of a rollout as Codex gives it.
    pub(crate) fn harmless_name(&self) -> Option<&str> {
        self.name.to_str().filter(|name| is_usual(name.as_bytes()))
    }
}

/// One rollout file. A home may have many thousands of them.
#[derive(Clone, Debug)]
pub(crate) struct RolloutFile {
    pub(crate) place: Arc<Place>,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) identity: Option<Identity>,
    pub(crate) compressed: bool,
    pub(crate) archived: bool,
}

/// What tells one state of a file from another. A file that was replaced has another number, and one that was changed another time of
/// change, even where somebody put its time of modification back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Identity {
    bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
    number: u64,
}

impl Identity {
    pub(super) fn of(found: &Metadata) -> Option<Self> {
        let modified = found.modified().ok()?;
        let modified_ns = match modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok()?,
            Err(before) => -i64::try_from(before.duration().as_nanos()).ok()?,
        };
        #[cfg(unix)]
        let (changed_ns, number) = {
            use std::os::unix::fs::MetadataExt;
            (found.ctime().checked_mul(1_000_000_000)?.checked_add(found.ctime_nsec())?, found.ino())
        };
        #[cfg(not(unix))]
        let (changed_ns, number) = (0, 0);
        Some(Self { bytes: found.len(), modified_ns, changed_ns, number })
    }
}

impl RolloutFile {
    pub(crate) fn new(folder: &Arc<Path>, name: OsString, bytes: u64, compressed: bool) -> Self {
        let place = Arc::new(Place { folder: Arc::clone(folder), name: name.into_boxed_os_str() });
        Self { place, bytes, modified: None, identity: None, compressed, archived: false }
    }

    /// Whether it was last changed so long before `now` that another change will show as another time.
    pub(crate) fn is_settled(&self, now: DateTime<Utc>) -> bool {
        /// Some file systems tell the time of modification no better than to seconds, and clocks of file servers differ.
        const MODIFIED_NS: i64 = 60_000_000_000;
        /// The time of change is set by the file system alone, mostly by the clock that we read.
        const CHANGED_NS: i64 = 2_000_000_000;
        let (Some(identity), Some(now_ns)) = (self.identity, now.timestamp_nanos_opt()) else { return false };
        now_ns.saturating_sub(identity.modified_ns) >= MODIFIED_NS
            || cfg!(unix) && now_ns.saturating_sub(identity.changed_ns) >= CHANGED_NS
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// The path that the plain and the compressed form of one rollout share.
    pub(crate) fn plain_path(&self) -> PathBuf {
        if self.compressed { self.path().with_extension("") } else { self.path() }
    }

    /// Its name; nothing where that is no text.
    pub(crate) fn name(&self) -> &str {
        self.place.name.to_str().unwrap_or_default()
    }
}

/// Whether a name is that of a rollout, and then whether of a compressed one.
pub(super) fn rollout_form(name: &[u8]) -> Option<bool> {
    let form = [(&b".jsonl"[..], false), (b".jsonl.zst", true)].into_iter().find(|(ending, _)| name.ends_with(ending));
    form.filter(|_| name.starts_with(b"rollout-")).map(|(_, compressed)| compressed)
}

/// The name of a rollout as Codex gives it.
pub(crate) fn harmless_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str()).filter(|name| is_usual(name.as_bytes()))
}

fn is_usual(name: &[u8]) -> bool {
    let plain = name.strip_suffix(b".zst").unwrap_or(name);
    // Without a branch, so that many bytes are looked at together.
    let fits = |byte: u8, form: u8| match form {
        b'0' | b'x' => byte.is_ascii_digit() | (form == b'x') & matches!(byte, b'a'..=b'f'),
        other => byte == other,
    };
    <&[u8; NAME.len()]>::try_from(plain).is_ok_and(|plain| (0..NAME.len()).fold(true, |all, at| all & fits(plain[at], NAME[at])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_that_may_change_again_unseen_is_not_settled() {
        let now = DateTime::from_timestamp(1_795_953_600, 0).unwrap();
        let ago = |seconds: i64| now.timestamp_nanos_opt().unwrap() - seconds * 1_000_000_000;
        let is_settled = |modified_s: i64, changed_s: i64| {
            let identity = Identity { bytes: 1, modified_ns: ago(modified_s), changed_ns: ago(changed_s), number: 1 };
            let file = RolloutFile::new(&Arc::from(Path::new("")), "a".into(), 1, false);
            RolloutFile { identity: Some(identity), ..file }.is_settled(now)
        };
        assert!(is_settled(61, 0) && !is_settled(59, 1) && !is_settled(-86_400, 0));
        // A time of modification in the future says nothing, the time of change does where there is one.
        assert_eq!((is_settled(-86_400, 3), is_settled(1, 3)), (cfg!(unix), cfg!(unix)));
    }

    proptest! {
        #[test]
        fn the_usual_names_are_those_that_codex_gives(
            name in "rollout-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.jsonl(\\.zst)?",
            place: prop::sample::Index,
        ) {
            prop_assert!(is_usual(name.as_bytes()));
            let mut other = name.into_bytes();
            let place = place.index(other.len());
            other[place] = b'~';
            prop_assert!(!is_usual(&other));
            other.remove(place);
            prop_assert!(!is_usual(&other));
        }
    }
}
