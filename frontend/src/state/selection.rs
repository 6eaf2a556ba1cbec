//! What is selected: one thing for the whole page. Every view shows it in its own way, and the details tell all of it.

use std::fmt;
use std::str::FromStr;

use super::url::query::{decode, encode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// A slice, by its id.
    Slice(u32),
    /// A command, by its number in the recording.
    Node(u64),
    /// Every slice of one name: the executions of a kernel, the calls of a function.
    Name(String),
    /// A queue, by its number in the recording.
    Queue(u64),
    /// An allocation of memory, by its position in the trace.
    Allocation(u32),
    /// A buffer or image, by its number in the recording.
    Object(u64),
    /// A line of a source file.
    Line {
        /// Path of the file, as source locations have it.
        file: String,
        /// Line from 1.
        line: u32,
    },
    /// A part of time.
    Range { start_ns: u64, end_ns: u64 },
}

impl Selection {
    /// The slice, where it is one.
    pub fn slice(&self) -> Option<u32> {
        match self {
            Self::Slice(slice) => Some(*slice),
            _ => None,
        }
    }
}

/// As an address holds it: `12` is a slice, every other kind begins with a letter.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slice(slice) => write!(f, "{slice}"),
            Self::Node(node) => write!(f, "n{node}"),
            Self::Name(name) => write!(f, "k{}", encode(name)),
            Self::Queue(queue) => write!(f, "q{queue}"),
            Self::Allocation(allocation) => write!(f, "a{allocation}"),
            Self::Object(object) => write!(f, "o{object}"),
            Self::Line { file, line } => write!(f, "l{line}.{}", encode(file)),
            Self::Range { start_ns, end_ns } => write!(f, "t{start_ns}-{end_ns}"),
        }
    }
}

/// Not the text of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASelection;

impl FromStr for Selection {
    type Err = NotASelection;

    fn from_str(text: &str) -> Result<Self, NotASelection> {
        let parse = || {
            if let Ok(slice) = text.parse() {
                return Some(Self::Slice(slice));
            }
            let kind = text.chars().next()?;
            let rest = &text[kind.len_utf8()..];
            Some(match kind {
                'n' => Self::Node(rest.parse().ok()?),
                'k' => Self::Name(decode(rest)?),
                'q' => Self::Queue(rest.parse().ok()?),
                'a' => Self::Allocation(rest.parse().ok()?),
                'o' => Self::Object(rest.parse().ok()?),
                'l' => {
                    let (line, file) = rest.split_once('.')?;
                    Self::Line { file: decode(file)?, line: line.parse().ok()? }
                }
                't' => {
                    let (start, end) = rest.split_once('-')?;
                    let (start_ns, end_ns) = (start.parse().ok()?, end.parse().ok()?);
                    (start_ns <= end_ns).then_some(Self::Range { start_ns, end_ns })?
                }
                _ => return None,
            })
        };
        parse().ok_or(NotASelection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_round_trip() {
        let kernel = "void f<int>(sycl::item<2>, α)::{lambda&#1}".to_owned();
        for (selection, text) in [
            (Selection::Slice(12), "12"),
            (Selection::Node(u64::MAX), "n18446744073709551615"),
            (Selection::Queue(3), "q3"),
            (Selection::Allocation(0), "a0"),
            (Selection::Object(9), "o9"),
            (Selection::Line { file: "/a b/c.cpp".into(), line: 7 }, "l7./a%20b/c.cpp"),
            (Selection::Range { start_ns: 5, end_ns: 9 }, "t5-9"),
        ] {
            assert_eq!(selection.to_string(), text);
            assert_eq!(text.parse(), Ok(selection));
        }
        let kernel = Selection::Name(kernel);
        assert_eq!(kernel.to_string().parse(), Ok(kernel));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "-1", "x5", "n", "t9-5", "l7", "k%zz", "ä"] {
            assert_eq!(text.parse::<Selection>(), Err(NotASelection), "{text}");
        }
    }
}
