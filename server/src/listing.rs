//! The query for the list of traces: filters, order and position.
//!
//! The same query is parsed from a URL, run by a database ([`crate::db::listing`]), or run over the user's
//! own files ([`in_memory`]).

pub(crate) mod history;
pub(crate) mod history_page;
pub mod in_memory;
mod order;
pub(crate) mod tries_page;
mod when;

pub use self::order::{Cursor, NotAnOrder, Order, Place, SortKey};
pub(crate) use self::order::{letters, ppm};
use crate::db::labels;
use crate::db::projects::ProjectId;
use crate::parameters::{self, UnknownParameter};

/// Default number of traces per answer.
const DEFAULT_TRACES: u32 = 100;
/// Maximum number of traces per answer.
pub const MAX_TRACES: u32 = 500;
/// Maximum number of words and of labels.
const MAX_CONDITIONS: usize = 8;
/// Maximum length of a filter in characters.
const MAX_FILTER_CHARS: usize = 300;

const PARAMETERS: [&str; 11] =
    ["project", "id", "q", "label", "program", "whole", "from", "to", "sort", "limit", "after"];

#[derive(Clone, Debug, PartialEq)]
pub struct ListQuery {
    pub id: Option<String>,
    /// `None` for every project.
    pub projects: Option<Vec<ProjectId>>,
    /// Words that must all occur in the trace's search text, in lower case.
    pub words: Vec<String>,
    pub labels: Vec<(String, String)>,
    pub program: Option<String>,
    /// Leaves out copies of parts of traces, created for links, which are no runs of the program.
    pub only_whole: bool,
    /// Stored at this time or later, ns since 1970-01-01 UTC.
    pub from_unix_ns: u64,
    /// Stored before this time, ns since 1970-01-01 UTC.
    pub until_unix_ns: u64,
    pub order: Order,
    /// Position after which the list starts.
    pub after: Option<Cursor>,
    pub limit: u32,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            id: None,
            projects: None,
            words: Vec::new(),
            labels: Vec::new(),
            program: None,
            only_whole: false,
            from_unix_ns: 0,
            until_unix_ns: u64::MAX,
            order: Order::default(),
            after: None,
            limit: DEFAULT_TRACES,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAList {
    #[error(
        "a search takes at most {MAX_CONDITIONS} words, {MAX_FILTER_CHARS} characters in all, and {MAX_CONDITIONS} labels"
    )]
    TooMuch,
    #[error("a filter must not have NUL characters (%00)")]
    Nul,
    #[error("label= takes KEY:VALUE, as in label=branch:main")]
    Label,
    #[error("whole= takes true or false")]
    Whole,
    #[error("from= and to= take a day such as 2026-11-22, in UTC, or ns since 1970-01-01 UTC")]
    Time,
    #[error(transparent)]
    Order(#[from] NotAnOrder),
    #[error(transparent)]
    Unknown(#[from] UnknownParameter),
    #[error("limit= takes a number from 1 to {MAX_TRACES}")]
    Limit,
}

impl ListQuery {
    /// Parses the parameters of a list. An empty value counts as missing.
    ///
    /// # Errors
    /// Returns an error if a parameter is unknown, or has an invalid value.
    pub fn read(pairs: &[(String, String)]) -> Result<Self, NotAList> {
        parameters::check(pairs, &PARAMETERS)?;
        let mut query = Self::default();
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
            let most = if key == "label" { labels::MAX_FILTER_CHARS } else { MAX_FILTER_CHARS };
            if value.chars().count() > most {
                return Err(NotAList::TooMuch);
            }
            // PostgreSQL rejects NUL, and no stored text contains it.
            if value.contains('\0') {
                return Err(NotAList::Nul);
            }
            match key.as_str() {
                "q" => query.words.extend(value.to_lowercase().split_whitespace().map(str::to_owned)),
                "label" => query.labels.push(labels::read(value).map_err(|_| NotAList::Label)?),
                "id" => query.id = Some(value.clone()),
                "program" => query.program = Some(value.clone()),
                "whole" => query.only_whole = value.parse().map_err(|_| NotAList::Whole)?,
                "from" => query.from_unix_ns = when::start(value).ok_or(NotAList::Time)?,
                "to" => query.until_unix_ns = when::end(value).ok_or(NotAList::Time)?,
                "sort" => query.order = value.parse()?,
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| (1..=MAX_TRACES).contains(limit));
                    query.limit = limit.ok_or(NotAList::Limit)?;
                }
                // The guard reads the project, and the cursor is read below.
                _ => {}
            }
        }
        // The meaning of a cursor depends on the order.
        if let Some((_, after)) = pairs.iter().find(|(key, after)| key == "after" && !after.is_empty()) {
            query.after = Some(Cursor::read(after, query.order.key)?);
        }
        if query.words.len() > MAX_CONDITIONS || query.labels.len() > MAX_CONDITIONS {
            return Err(NotAList::TooMuch);
        }
        Ok(query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<ListQuery, NotAList> {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        ListQuery::read(&pairs.collect::<Vec<_>>())
    }

    #[test]
    fn an_address_says_what_is_wanted() {
        assert_eq!(read(&[("q", ""), ("project", "x"), ("after", "")]), Ok(ListQuery::default()));
        let wanted = read(&[
            ("q", " GEMM  heat"),
            ("label", "branch:feature/a=b"),
            ("label", "commit=12:3"),
            ("program", "heat"),
            ("from", "1970-01-02"),
            ("to", "1970-01-02"),
            ("sort", "duration"),
            ("limit", "7"),
            ("after", "12.aaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ])
        .unwrap();
        let day = 24 * 3600 * 1_000_000_000;
        assert_eq!(wanted.words, ["gemm", "heat"]);
        let labels = [("branch", "feature/a=b"), ("commit", "12:3")];
        assert_eq!(wanted.labels, labels.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!((wanted.from_unix_ns, wanted.until_unix_ns, wanted.limit), (day, 2 * day, 7));
        assert!(!wanted.order.descends && wanted.order.key == SortKey::Duration);
        assert_eq!(wanted.after.map(|cursor| cursor.place), Some(Place::Number(12)));
    }

    #[test]
    fn the_longest_label_is_a_filter() {
        let (key, value) = ("k".repeat(64), "ä".repeat(256));
        labels::check(&[(key.clone(), value.clone())].into()).unwrap();
        let label = format!("{key}:{value}");
        assert_eq!(read(&[("label", label.as_str())]).unwrap().labels, [(key, value)]);
        let longer = label + "x";
        assert_eq!(read(&[("label", longer.as_str())]), Err(NotAList::TooMuch));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let long = "x".repeat(MAX_FILTER_CHARS + 1);
        for (pair, error) in [
            (("label", "branch"), NotAList::Label),
            (("from", "yesterday"), NotAList::Time),
            (("to", "2026-13-01"), NotAList::Time),
            (("sort", "colour"), NotAList::Order(NotAnOrder::Key)),
            (("after", "12"), NotAList::Order(NotAnOrder::Cursor)),
            (("limit", "0"), NotAList::Limit),
            (("limit", "501"), NotAList::Limit),
            (("q", "a b c d e f g h i"), NotAList::TooMuch),
            (("q", &long), NotAList::TooMuch),
            (("program", "a\0b"), NotAList::Nul),
        ] {
            assert_eq!(read(&[pair]), Err(error), "{pair:?}");
        }
        let error = read(&[("lable", "")]).unwrap_err().to_string();
        let known = "project, id, q, label, program, whole, from, to, sort, limit, after";
        assert_eq!(error, format!("unknown parameter `lable`; this URL accepts {known}"));
    }
}
