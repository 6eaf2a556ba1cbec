//! The memory view's part of an address:
//! `mv=PART&mh=HIDDEN&mc=COLOUR&ma=ADDRESSES&mt=MOMENT&mf=FILTER&mk=CHOICE&mo=ORDER`.

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::memory::ID;
use syclscope_language::sorting::Sorting as _;
use syclscope_language::words;

words! {
    #[derive(Default)]
    MemoryPart {
        #[default]
        Use = "use",
        /// Allocations as rectangles of address and time.
        Map = "map",
        Objects = "objects",
        Transfers = "transfers",
        Leaks = "leaks",
    }
}

impl MemoryPart {
    pub fn title(self) -> &'static str {
        match self {
            Self::Use => "Over time",
            Self::Map => "Map",
            Self::Objects => "Objects",
            Self::Transfers => "Transfers",
            Self::Leaks => "Leaks and misuse",
        }
    }
}

words! {
    /// Meaning of the map's colours.
    #[derive(Default)]
    MapColour {
        #[default]
        Kind = "kind",
        /// Allocation site.
        Place = "place",
        Age = "age",
        /// The buffer or image that the allocation belongs to.
        Buffer = "buffer",
    }
}

/// An inspected moment, and another one to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    pub at_ns: u64,
    pub to_ns: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryState {
    pub part: MemoryPart,
    /// Names of hidden kinds of memory, in order.
    pub hidden: Vec<String>,
    pub colour: MapColour,
    /// Visible addresses of the map, first and last; `None` for all.
    pub addresses: Option<(u64, u64)>,
    pub moments: Option<Moments>,
    /// Words that rows of a table must contain.
    pub filter: String,
    /// Filter of a table's rows by problem or need; empty for all.
    pub choice: String,
    /// Sort column of a table; empty for the default. A `-` prefix reverses it.
    pub order: String,
}

impl MemoryState {
    pub fn toggle(&mut self, name: &str) {
        match self.hidden.binary_search_by(|hidden| hidden.as_str().cmp(name)) {
            Ok(place) => drop(self.hidden.remove(place)),
            Err(place) => self.hidden.insert(place, name.to_owned()),
        }
    }

    pub fn hides(&self, name: &str) -> bool {
        self.hidden.iter().any(|hidden| hidden == name)
    }
}

impl ViewState for MemoryState {
    const VIEW: View = ID;
}

impl AddressPart for MemoryState {
    fn write(&self, query: &mut QueryWriter) {
        if self.part != MemoryPart::default() {
            query.part("mv", self.part.as_str());
        }
        if !self.hidden.is_empty() {
            query.text("mh", &self.hidden.join(","));
        }
        if self.colour != MapColour::default() {
            query.part("mc", self.colour.as_str());
        }
        if let Some((first, last)) = self.addresses {
            query.part("ma", format_args!("{first:x}-{last:x}"));
        }
        match self.moments {
            Some(Moments { at_ns, to_ns: Some(to_ns) }) => query.part("mt", format_args!("{at_ns}-{to_ns}")),
            Some(Moments { at_ns, to_ns: None }) => query.part("mt", at_ns),
            None => {}
        }
        if !self.filter.is_empty() {
            query.text("mf", &self.filter);
        }
        if !self.choice.is_empty() {
            query.text("mk", &self.choice);
        }
        if !self.order.is_empty() {
            query.text("mo", &self.order);
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "mv" => {
                let part = MemoryPart::from_word(value);
                self.part = part.unwrap_or_default();
            }
            "mh" => {
                let hidden = decode(value).unwrap_or_default();
                self.hidden = hidden.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
                self.hidden.arrange();
                self.hidden.dedup();
            }
            "mc" => {
                let colour = MapColour::from_word(value);
                self.colour = colour.unwrap_or_default();
            }
            "ma" => self.addresses = addresses(value),
            "mt" => self.moments = moments(value),
            "mf" => self.filter = decode(value).unwrap_or_default(),
            "mk" => self.choice = decode(value).unwrap_or_default(),
            "mo" => self.order = decode(value).unwrap_or_default(),
            _ => return false,
        }
        true
    }
}

fn addresses(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(last, 16).ok()?);
    (first <= last).then_some((first, last))
}

fn moments(text: &str) -> Option<Moments> {
    match text.split_once('-') {
        Some((at, to)) => Some(Moments { at_ns: at.parse().ok()?, to_ns: Some(to.parse().ok()?) }),
        None => Some(Moments { at_ns: text.parse().ok()?, to_ns: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn what_is_on_screen_round_trips() {
        let states = [
            MemoryState::default(),
            MemoryState {
                part: MemoryPart::Map,
                hidden: vec!["buffers".into(), "host".into()],
                colour: MapColour::Age,
                addresses: Some((0x7f00_dead_0000, u64::MAX)),
                moments: Some(Moments { at_ns: 5, to_ns: Some(3) }),
                filter: "device & unused".into(),
                choice: "unused".into(),
                order: "-size".into(),
            },
            MemoryState {
                part: MemoryPart::Leaks,
                moments: Some(Moments { at_ns: 7, to_ns: None }),
                ..MemoryState::default()
            },
        ];
        for memory in states {
            assert_eq!(from_query::<MemoryState>(&to_query(&memory)), memory);
        }
    }

    #[test]
    fn broken_parts_are_as_at_first() {
        let state = from_query::<MemoryState>("mv=none&mc=&ma=9-3&mt=1-x&mh=,");
        assert_eq!(state, MemoryState::default());
    }

    #[test]
    fn kinds_are_hidden_and_shown_again() {
        let mut state = MemoryState::default();
        state.toggle("host");
        state.toggle("device");
        assert_eq!((state.hides("host"), state.hides("buffers")), (true, false));
        assert_eq!(state.hidden, ["device", "host"]);
        state.toggle("device");
        state.toggle("host");
        assert_eq!(state, MemoryState::default());
    }
}
