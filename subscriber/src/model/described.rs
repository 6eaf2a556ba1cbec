//! Meaning of nodes' tracepoints: kind, name and source location.
//!
//! Programs pass the same source locations repeatedly, with the same tracepoint each time: each tracepoint is
//! interpreted once.

use std::borrow::Cow;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;
use syclscope_language::event::NodeKind;

use super::node_words::{is_own_command, kind_of, name_of};
use super::owned_location::OwnedLocation;
use crate::record::Tracepoint;

const REMEMBERED: usize = 128;

#[derive(Clone, Debug)]
pub(super) struct Described {
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    /// True if the payload's name is the name of the submitting function.
    pub(super) name_is_function: bool,
    /// Its source location, if the payload's name is a function's.
    payload: OwnedLocation,
    /// The function that contains it, if the version of the runtime reports it separately.
    symbol: Option<Arc<str>>,
}

impl Described {
    fn new(tracepoint: &Tracepoint<'_>, facts: &CommandFacts<'_>) -> Self {
        let kind = kind_of(tracepoint);
        let (name, name_is_function) = name_of(tracepoint, kind);
        // Some versions report the command's own name as the function's.
        let symbol = facts.symbol.as_deref().filter(|symbol| !is_own_command(symbol));
        Self {
            kind,
            name: name.into(),
            name_is_function,
            payload: OwnedLocation::new(tracepoint),
            symbol: symbol.map(Arc::from),
        }
    }

    /// Returns the source location of the command: the tracepoint's name is the command's, unless it is known to be the
    /// function's.
    pub(super) fn place(&self, name_is_function: bool) -> OwnedLocation {
        match &self.symbol {
            Some(symbol) => self.payload.within(Arc::clone(symbol)),
            None if name_is_function => self.payload.clone(),
            None => self.payload.within(Arc::default()),
        }
    }
}

struct CommandFacts<'a> {
    kernel: Option<Cow<'a, str>>,
    symbol: Option<Cow<'a, str>>,
    is_set: bool,
    is_copied: bool,
}

/// All fields of a tracepoint that determine its meaning.
#[derive(PartialEq)]
struct Key {
    texts: [Box<str>; 3],
    kernel: Option<Box<str>>,
    symbol: Option<Box<str>>,
    place: (u32, u32),
    is_set: bool,
    is_copied: bool,
}

impl Key {
    fn new(tracepoint: &Tracepoint<'_>, facts: &CommandFacts<'_>) -> Self {
        Self {
            texts: texts(tracepoint).map(Box::from),
            kernel: facts.kernel.as_deref().map(Box::from),
            symbol: facts.symbol.as_deref().map(Box::from),
            place: (tracepoint.line, tracepoint.column),
            is_set: facts.is_set,
            is_copied: facts.is_copied,
        }
    }

    fn is_of(&self, tracepoint: &Tracepoint<'_>, facts: &CommandFacts<'_>) -> bool {
        self.place == (tracepoint.line, tracepoint.column)
            && (self.is_set, self.is_copied) == (facts.is_set, facts.is_copied)
            && self.texts.iter().zip(texts(tracepoint)).all(|(own, text)| **own == *text)
            && self.kernel.as_deref() == facts.kernel.as_deref()
            && self.symbol.as_deref() == facts.symbol.as_deref()
    }
}

fn texts<'a>(tracepoint: &'a Tracepoint<'_>) -> [&'a str; 3] {
    [&tracepoint.name, &tracepoint.file, &tracepoint.text]
}

pub(super) struct Meanings {
    cache: Vec<Option<(Key, Described)>>,
}

impl Default for Meanings {
    fn default() -> Self {
        Self { cache: std::iter::repeat_with(|| None).take(REMEMBERED).collect() }
    }
}

impl Meanings {
    pub(super) fn describe(&mut self, tracepoint: &Tracepoint<'_>) -> Described {
        let facts = CommandFacts {
            kernel: tracepoint.string("kernel_name"),
            symbol: tracepoint.string("sym_function_name"),
            is_set: tracepoint.number("value_set").is_some(),
            is_copied: tracepoint.number("src_memory_ptr").is_some(),
        };
        let mut hasher = FxHasher::default();
        (tracepoint.line, tracepoint.column, tracepoint.name.len()).hash(&mut hasher);
        facts.kernel.as_ref().map(|kernel| kernel.len()).hash(&mut hasher);
        let entry = &mut self.cache[hasher.finish() as usize % REMEMBERED];
        if !entry.as_ref().is_some_and(|(key, _)| key.is_of(tracepoint, &facts)) {
            *entry = None;
        }
        let new = || (Key::new(tracepoint, &facts), Described::new(tracepoint, &facts));
        entry.get_or_insert_with(new).1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xpti::MetadataValue;

    fn tracepoint<'a>(texts: [&'a str; 3], line: u32, metadata: &[(&'a str, &'a str)]) -> Tracepoint<'a> {
        let [name, file, text] = texts.map(Cow::Borrowed);
        let metadata = metadata.iter().map(|(key, text)| {
            let value = match text.parse() {
                Ok(number) => MetadataValue::Unsigned(number),
                Err(_) => MetadataValue::Text(text.as_bytes()),
            };
            (Cow::Borrowed(*key), value)
        });
        let (numbers, metadata) = ([0; 2], metadata.collect());
        Tracepoint { universal_id: 1, instance: 1, numbers, name, file, line, column: 0, text, metadata }
    }

    /// Earlier tracepoints don't affect the meaning of a tracepoint.
    #[test]
    fn what_is_remembered_is_what_would_be_worked_out() {
        let texts = [
            ["main", "a.cpp", "command_group_node"],
            ["main", "b.cpp", "command_group_node"],
            ["Memory Allocation", "", "memory_allocation_node"],
            ["copy", "a.cpp", "memory_transfer_node"],
            ["virtual_node[0x7]", "", ""],
        ];
        let metadata: [&[(&str, &str)]; 6] = [
            &[],
            &[("kernel_name", "scale")],
            &[("kernel_name", "shift")],
            &[("kernel_name", "scale"), ("sym_function_name", "solve")],
            &[("value_set", "7")],
            &[("src_memory_ptr", "7"), ("sym_function_name", "barrier")],
        ];
        let mut meanings = Meanings::default();
        let mut different = std::collections::HashSet::new();
        for _ in 0..2 {
            for line in [0, 1, 1 + REMEMBERED as u32] {
                for (texts, metadata) in texts.iter().flat_map(|texts| metadata.map(|more| (texts, more))) {
                    let tracepoint = tracepoint(*texts, line, metadata);
                    let remembered = meanings.describe(&tracepoint);
                    let alone = Meanings::default().describe(&tracepoint);
                    for is_function in [false, true] {
                        let said = |described: &Described| {
                            format!("{described:?} {:?}", described.place(is_function).location())
                        };
                        assert_eq!(said(&remembered), said(&alone));
                        different.insert(said(&alone));
                    }
                }
            }
        }
        assert!(different.len() > 60, "{}", different.len());
    }
}
