//! The values of a file as a plain tree: what an edit is to come to, to be compared with what it came to.

use std::collections::BTreeMap;

use toml_edit::{Item, TableLike, Value};

/// A value; holds secrets, so it is never printed.
#[derive(Clone, PartialEq)]
pub(super) enum Tree {
    Table(BTreeMap<String, Tree>),
    Array(Vec<Tree>),
    /// Type and content.
    Leaf(&'static str, String),
}

impl Tree {
    /// The values of `text`, without tables that hold nothing; nothing when it is no TOML.
    pub(super) fn of(text: &str) -> Option<Self> {
        let document = toml_edit::Document::parse(text).ok()?;
        Some(Self::of_table(document.as_table()))
    }

    fn of_table(table: &dyn TableLike) -> Self {
        Self::Table(table.iter().map(|(name, item)| (name.to_owned(), Self::of_item(item))).collect())
    }

    fn of_item(item: &Item) -> Self {
        match item {
            Item::None => Self::Table(BTreeMap::new()),
            Item::Value(value) => Self::of_value(value),
            Item::Table(table) => Self::of_table(table),
            Item::ArrayOfTables(tables) => Self::Array(tables.iter().map(|table| Self::of_table(table)).collect()),
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::text(text.value()),
            Value::Integer(number) => Self::Leaf("integer", number.value().to_string()),
            Value::Float(number) => Self::Leaf("float", number.value().to_string()),
            Value::Boolean(flag) => Self::Leaf("boolean", flag.value().to_string()),
            Value::Datetime(moment) => Self::Leaf("datetime", moment.value().to_string()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::of_value).collect()),
            Value::InlineTable(table) => Self::of_table(table),
        }
    }

    /// A string.
    pub(super) fn text(text: &str) -> Self {
        Self::Leaf("string", text.to_owned())
    }

    /// The value at `path`.
    pub(super) fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |tree, name| match tree {
            Self::Table(table) => table.get(name),
            Self::Array(elements) => elements.get(name.parse::<usize>().ok()?),
            Self::Leaf(..) => None,
        })
    }

    fn at_mut(&mut self, path: &[String]) -> Option<&mut Self> {
        path.iter().try_fold(self, |tree, name| match tree {
            Self::Table(table) => table.get_mut(name),
            Self::Array(elements) => elements.get_mut(name.parse::<usize>().ok()?),
            Self::Leaf(..) => None,
        })
    }

    /// Takes out the key at `path`.
    pub(super) fn remove(&mut self, path: &[String]) -> Option<Self> {
        let (name, around) = path.split_last()?;
        match self.at_mut(around)? {
            Self::Table(table) => table.remove(name),
            _ => None,
        }
    }

    /// Puts a new key at `path`; nothing when it is taken, or when something that is no table stands in the way.
    pub(super) fn insert(&mut self, path: &[String], value: Self) -> Option<()> {
        let (name, rest) = path.split_first()?;
        match self {
            Self::Table(table) if rest.is_empty() => table.insert(name.clone(), value).is_none().then_some(()),
            Self::Table(table) => table.entry(name.clone()).or_insert_with(|| Self::Table(BTreeMap::new())).insert(rest, value),
            Self::Array(elements) => elements.get_mut(name.parse::<usize>().ok()?)?.insert(rest, value),
            Self::Leaf(..) => None,
        }
    }

    /// Puts another value in the place of the one at `path`.
    pub(super) fn replace(&mut self, path: &[String], value: Self) -> Option<()> {
        *self.at_mut(path)? = value;
        Some(())
    }

    /// Whether both hold the same; a table that holds nothing counts as none.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.clone().pruned() == other.clone().pruned()
    }

    /// The value as one line, for comparison in tests.
    #[cfg(test)]
    pub(super) fn written(&self) -> String {
        match self {
            Self::Table(table) => {
                let keys = table.iter().map(|(name, tree)| format!("{name}={}", tree.written()));
                format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
            }
            Self::Array(elements) => format!("[{}]", elements.iter().map(Self::written).collect::<Vec<_>>().join(",")),
            Self::Leaf(kind, text) => format!("{kind} {text:?}"),
        }
    }

    fn pruned(self) -> Self {
        match self {
            Self::Table(table) => {
                let kept = table.into_iter().map(|(name, tree)| (name, tree.pruned()));
                Self::Table(kept.filter(|(_, tree)| !matches!(tree, Self::Table(table) if table.is_empty())).collect())
            }
            Self::Array(elements) => Self::Array(elements.into_iter().map(Self::pruned).collect()),
            leaf @ Self::Leaf(..) => leaf,
        }
    }
}
