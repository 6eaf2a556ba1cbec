//! The user's additions to the timeline: a ruler, notes, a search, and the choice of arrows.

mod arrows;
mod notes;

use std::fmt;
use std::str::FromStr;

pub use arrows::{ArrowChoice, Direction};
pub use notes::{Note, NoteAt};

use crate::state::time::{Unreadable, span};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeasureKind {
    /// Between two moments.
    #[default]
    Ruler,
    /// From the end of a slice to the start of another.
    Gap,
    /// The common time of two slices.
    Overlap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    pub kind: MeasureKind,
    pub from_ns: u64,
    pub to_ns: u64,
}

impl Measure {
    pub fn ruler(one_ns: u64, other_ns: u64) -> Self {
        Self { kind: MeasureKind::Ruler, from_ns: one_ns.min(other_ns), to_ns: one_ns.max(other_ns) }
    }

    /// Measures between two slices, given as start and end: the gap or the overlap.
    pub fn between(one: (u64, u64), other: (u64, u64)) -> Self {
        let (start_ns, end_ns) = (one.0.max(other.0), one.1.min(other.1));
        if start_ns < end_ns {
            Self { kind: MeasureKind::Overlap, from_ns: start_ns, to_ns: end_ns }
        } else {
            Self { kind: MeasureKind::Gap, from_ns: end_ns, to_ns: start_ns }
        }
    }

    pub fn length_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }
}

/// Form in an address: `5-9` for a ruler, `g5-9` for a gap, `o5-9` for an overlap.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            MeasureKind::Ruler => "",
            MeasureKind::Gap => "g",
            MeasureKind::Overlap => "o",
        };
        write!(f, "{kind}{}-{}", self.from_ns, self.to_ns)
    }
}

impl FromStr for Measure {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let (kind, rest) = match text.as_bytes().first() {
            Some(b'g') => (MeasureKind::Gap, &text[1..]),
            Some(b'o') => (MeasureKind::Overlap, &text[1..]),
            _ => (MeasureKind::Ruler, text),
        };
        let (from_ns, to_ns) = span(rest).ok_or(Unreadable)?;
        Ok(Self { kind, from_ns, to_ns })
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Additions {
    /// The ruler's zero; `None` for the trace's start.
    pub zero_ns: Option<u64>,
    pub measure: Option<Measure>,
    pub notes: Vec<Note>,
    pub arrows: ArrowChoice,
    pub search: String,
    /// True if the search fades no slices.
    pub is_undimmed: bool,
    pub has_critical_path: bool,
}

impl Additions {
    pub fn write(&self, part: &mut impl FnMut(&str, String)) {
        if let Some(zero_ns) = self.zero_ns {
            part("zero", zero_ns.to_string());
        }
        if let Some(measure) = &self.measure {
            part("m", measure.to_string());
        }
        for note in &self.notes {
            part("note", note.to_string());
        }
        if self.arrows != ArrowChoice::default() {
            part("arrows", self.arrows.to_string());
        }
        if !self.search.is_empty() {
            part("find", self.search.clone());
        }
        if self.is_undimmed {
            part("dim", "0".to_owned());
        }
        if self.has_critical_path {
            part("path", "1".to_owned());
        }
    }

    /// Reads a decoded part of an address, if its name is known.
    pub fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "zero" => self.zero_ns = value.parse().ok(),
            "m" => self.measure = value.parse().ok(),
            "note" => self.notes.extend(value.parse::<Note>()),
            "arrows" => self.arrows = value.parse().unwrap_or_default(),
            "find" => value.clone_into(&mut self.search),
            "dim" => self.is_undimmed = value == "0",
            "path" => self.has_critical_path = value == "1",
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_survives_an_address() {
        let additions = Additions {
            zero_ns: Some(5),
            measure: Some(Measure::between((0, 10), (25, 30))),
            notes: vec!["t12:a b:c".parse().unwrap(), "s4.1.0.100-5:x".parse().unwrap()],
            arrows: "all.before".parse().unwrap(),
            search: "name:gemm duration>1ms".into(),
            is_undimmed: true,
            has_critical_path: true,
        };
        let mut read = Additions::default();
        additions.write(&mut |name, value| assert!(read.read(name, &value), "{name}"));
        assert_eq!(read, additions);
        let mut nothing = 0;
        Additions::default().write(&mut |_, _| nothing += 1);
        assert_eq!(nothing, 0);
        assert!(!Additions::default().read("x", "1"));
    }

    #[test]
    fn slices_have_a_gap_or_something_in_common() {
        let gap = Measure::between((25, 30), (0, 10));
        assert_eq!((gap.kind, gap.from_ns, gap.length_ns()), (MeasureKind::Gap, 10, 15));
        let overlap = Measure::between((0, 10), (4, 30));
        assert_eq!((overlap.kind, overlap.from_ns, overlap.length_ns()), (MeasureKind::Overlap, 4, 6));
        let touching = Measure::between((0, 10), (10, 12));
        assert_eq!((touching.kind, touching.length_ns()), (MeasureKind::Gap, 0));
        assert_eq!(Measure::ruler(9, 3), Measure::ruler(3, 9));
    }

    #[test]
    fn what_is_broken_is_nothing() {
        for text in ["", "5", "9-5", "x5-9", "g-", "é1-2"] {
            assert_eq!(text.parse::<Measure>(), Err(Unreadable), "{text}");
        }
    }
}
