//! Labels of traces from people and CI (branch, commit, machine, anything), one value for each key.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::Row as _;
use syclscope_language::api::LabelKey;

use super::projects::ProjectId;
use super::{Connection, DbError};
use syclscope_system::id::Id;

pub type Labels = BTreeMap<String, String>;

/// Maximum number of characters of a key and of a value.
const MAX_CHARS: (usize, usize) = (64, 256);
/// Maximum number of characters of a label as a filter, with its separator.
pub const MAX_FILTER_CHARS: usize = MAX_CHARS.0 + 1 + MAX_CHARS.1;
/// Maximum number of labels of a trace.
const MAX_LABELS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALabel {
    #[error("write a label as KEY:VALUE, like branch:main")]
    Half,
    /// A filter would search for a shorter key.
    #[error("a label's key must not contain : or =, which separate it from the value")]
    Separator,
    #[error(
        "a label's key must have 1 to {} visible characters, and its value at most {}",
        MAX_CHARS.0,
        MAX_CHARS.1
    )]
    Unfit,
    /// A filter would search for the text without the spaces.
    #[error("a label's key and value must not begin or end with spaces")]
    Space,
    #[error("a trace has at most {MAX_LABELS} labels")]
    TooMany,
}

/// Separators of key and value. The first one in a label counts.
const SEPARATORS: [char; 2] = [':', '='];

/// Parses `key:value` or `key=value`.
pub fn read(text: &str) -> Result<(String, String), NotALabel> {
    let (key, value) = text.split_once(SEPARATORS).ok_or(NotALabel::Half)?;
    let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
    if key.is_empty() { Err(NotALabel::Half) } else { Ok((key, value)) }
}

/// Rejects new labels that can't be read or searched for.
///
/// # Errors
/// Returns an error if a label is empty or too long, or there are too many.
pub fn check(labels: &Labels) -> Result<(), NotALabel> {
    let is_fit =
        |text: &str, longest: usize| text.chars().count() <= longest && !text.chars().any(char::is_control);
    if !labels
        .iter()
        .all(|(key, value)| !key.is_empty() && is_fit(key, MAX_CHARS.0) && is_fit(value, MAX_CHARS.1))
    {
        return Err(NotALabel::Unfit);
    }
    if labels.keys().any(|key| key.contains(SEPARATORS)) {
        return Err(NotALabel::Separator);
    }
    if labels.iter().flat_map(|(key, value)| [key, value]).any(|text| text.trim() != text) {
        return Err(NotALabel::Space);
    }
    check_number(labels.len())
}

pub fn check_number(labels: usize) -> Result<(), NotALabel> {
    if labels > MAX_LABELS { Err(NotALabel::TooMany) } else { Ok(()) }
}

/// Sets labels of a trace, replacing values of existing keys.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such trace.
pub async fn set(connection: &mut Connection, trace: &Id, labels: &Labels) -> Result<(), DbError> {
    for (key, value) in labels {
        let insert = sqlx::query(
            "INSERT INTO labels (trace, key, value) VALUES ($1, $2, $3) \
             ON CONFLICT (trace, key) DO UPDATE SET value = excluded.value",
        );
        insert.bind(trace.as_str()).bind(key).bind(value).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Removes a label. True if it existed.
pub async fn remove(connection: &mut Connection, trace: &Id, key: &str) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM labels WHERE trace = $1 AND key = $2");
    Ok(delete.bind(trace.as_str()).bind(key).execute(connection).await?.rows_affected() > 0)
}

/// Returns keys and values of the newest thousand traces of a project, by key, as suggestions for searches.
pub async fn keys(connection: &mut Connection, project: &ProjectId) -> Result<Vec<LabelKey>, DbError> {
    let select = sqlx::query(
        "SELECT key, value FROM labels WHERE trace IN (SELECT id FROM traces \
         WHERE project = $1 AND deleted_unix_ns IS NULL ORDER BY stored_unix_ns DESC LIMIT 1000)",
    );
    let mut values_by_key = BTreeMap::<String, BTreeSet<String>>::new();
    for row in select.bind(project.as_str()).fetch_all(connection).await? {
        values_by_key.entry(row.try_get("key")?).or_default().insert(row.try_get("value")?);
    }
    let entry =
        |(key, values): (String, BTreeSet<String>)| LabelKey { key, values: values.into_iter().collect() };
    Ok(values_by_key.into_iter().map(entry).collect())
}

pub async fn on_trace(connection: &mut Connection, trace: &Id) -> Result<Labels, DbError> {
    let select = sqlx::query("SELECT key, value FROM labels WHERE trace = $1");
    let rows = select.bind(trace.as_str()).fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get("key")?, row.try_get("value")?))).collect()
}
