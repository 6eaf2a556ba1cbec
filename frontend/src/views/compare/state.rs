//! The compare view's part of an address: `xb=TRACE` or `xl=FILE`, `xs=1&xf=FILTER&xo=ORDER&xr=ROW&xg=1&xm=NS`,
//! `xk=PATH` for the compared source file, `xi=…` and `xj=…` for the timelines' states of the page's own trace and of
//! the other one, `xw=TRACE.TRACE` and `xv=TRACE.TRACE` for further runs of the page's own side and of the other one,
//! and `xp=PART` for the compared part of every run.

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::compare::ID;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A server's trace, by key.
    Trace(String),
    File(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareState {
    /// `None` until chosen.
    pub other: Option<Other>,
    /// True if the page's own trace is the candidate. It starts as the baseline.
    pub is_swapped: bool,
    pub filter: String,
    /// Sort column of the commands; empty for the default. A `-` prefix reverses it.
    pub order: String,
    /// Row whose commands are listed one by one.
    pub row: Option<u32>,
    /// True if the merged graph shows only the neighbourhood of the marked row.
    pub is_around: bool,
    /// Time in the page's own trace at which memory is inspected; `None` for the time of the largest difference.
    pub at_ns: Option<u64>,
    /// Path of the compared source file, in B unless it exists only in A; `None` for the file with the largest
    /// difference.
    pub file: Option<String>,
    /// States of the timelines, of the page's own trace and of the other one: queries as on their own pages.
    pub timelines: [String; 2],
    /// Keys of further runs, of the page's own side and of the other one.
    pub more: [Vec<String>; 2],
    /// Compared part of every run, as the text of a [`PartOfRun`]; empty for the whole run.
    ///
    /// [`PartOfRun`]: syclscope_language::question::PartOfRun
    pub part: String,
}

/// Parameter names of further runs.
const MORE: [&str; 2] = ["xw", "xv"];

const TIMELINES: [&str; 2] = ["xi", "xj"];

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn keys(text: &str) -> Vec<String> {
    text.split('.').filter(|key| is_key(key)).map(str::to_owned).collect()
}

impl ViewState for CompareState {
    const VIEW: View = ID;
}

impl AddressPart for CompareState {
    fn write(&self, query: &mut QueryWriter) {
        match &self.other {
            Some(Other::Trace(id)) => query.text("xb", id),
            Some(Other::File(name)) => query.text("xl", name),
            None => {}
        }
        if self.is_swapped {
            query.part("xs", 1);
        }
        for (name, text) in [("xf", &self.filter), ("xo", &self.order), ("xp", &self.part)] {
            if !text.is_empty() {
                query.text(name, text);
            }
        }
        if let Some(row) = self.row {
            query.part("xr", row);
        }
        if self.is_around {
            query.part("xg", 1);
        }
        if let Some(at_ns) = self.at_ns {
            query.part("xm", at_ns);
        }
        if let Some(file) = &self.file {
            query.text("xk", file);
        }
        for (name, timeline) in TIMELINES.into_iter().zip(&self.timelines) {
            if !timeline.is_empty() {
                query.text(name, timeline);
            }
        }
        for (name, runs) in MORE.into_iter().zip(&self.more) {
            if !runs.is_empty() {
                query.text(name, &runs.join("."));
            }
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            // An invalid key never becomes a part of an address.
            "xb" => self.other = is_key(value).then(|| Other::Trace(value.to_owned())),
            "xw" => self.more[0] = keys(value),
            "xv" => self.more[1] = keys(value),
            "xl" => self.other = decode(value).filter(|name| !name.is_empty()).map(Other::File),
            "xs" => self.is_swapped = value == "1",
            "xf" => self.filter = decode(value).unwrap_or_default(),
            "xo" => self.order = decode(value).unwrap_or_default(),
            "xp" => self.part = decode(value).unwrap_or_default(),
            "xi" => self.timelines[0] = decode(value).unwrap_or_default(),
            "xj" => self.timelines[1] = decode(value).unwrap_or_default(),
            "xk" => self.file = decode(value).filter(|file| !file.is_empty()),
            "xm" => self.at_ns = value.parse().ok(),
            "xg" => self.is_around = value == "1",
            "xr" => self.row = value.parse().ok(),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_opens_the_same_comparison() {
        let others = [Other::Trace("abc234".into()), Other::File("my run & more.pftrace".into())];
        for other in others {
            let (filter, order) = ("a & b".to_owned(), "-ratio".to_owned());
            let state = CompareState {
                other: Some(other),
                is_swapped: true,
                filter,
                order,
                row: Some(3),
                is_around: true,
                at_ns: Some(5),
                timelines: ["?y=40&c=1.2".to_owned(), "?find=a%20b".to_owned()],
                file: Some("/a & b.cpp".to_owned()),
                more: [vec!["abc".to_owned(), "def".to_owned()], vec!["ghi".to_owned()]],
                part: "iterations=5-120&region=a%20b".to_owned(),
            };
            assert_eq!(from_query::<CompareState>(&to_query(&state)), state);
        }
        assert_eq!(to_query(&CompareState::default()), "");
        for broken in ["?xb=../../me", "?xb=", "?xl=%zz", "?xr=-1", "?xs=2", "?xg=2", "?xm=-1", "?xw=..%2F.."]
        {
            assert_eq!(from_query::<CompareState>(broken), CompareState::default(), "{broken}");
        }
    }
}
