//! Entities of a trace, as named by addresses, comments and the page: one text for each, whatever the view that draws
//! it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::percent::{self, decode};

/// Unencoded characters in the name of a kernel or file.
const UNENCODED: &[u8] = b"/:,()*!";

/// An entity of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A slice, by its id.
    Slice(u32),
    /// A command, by its number in the recording.
    Node(u64),
    /// All slices with one name: the executions of a kernel, the calls of a function.
    Name(String),
    /// A queue, by its number in the recording.
    Queue(u64),
    /// An allocation of memory, by its position in the trace.
    Allocation(u32),
    /// A buffer or image, by its number in the recording.
    Object(u64),
    /// A line of a source file.
    Line {
        /// Path of the file, as in source locations.
        file: String,
        /// Line, counted from 1.
        line: u32,
    },
    /// An idle gap of a device, queue or thread.
    Gap {
        /// Its track.
        track: u32,
        /// A moment within it, ns since the start of the trace.
        at_ns: u64,
    },
    /// A range of time.
    Range {
        /// Its start, ns since the start of the trace.
        start_ns: u64,
        /// Its end.
        end_ns: u64,
    },
}

impl Entity {
    /// Returns the slice, if the entity is one.
    pub fn slice(&self) -> Option<u32> {
        match self {
            Self::Slice(slice) => Some(*slice),
            _ => None,
        }
    }
}

/// Form in an address: `12` is a slice, every other kind starts with a letter.
impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slice(slice) => write!(f, "{slice}"),
            Self::Node(node) => write!(f, "n{node}"),
            Self::Name(name) => write!(f, "k{}", percent::encode(name, UNENCODED)),
            Self::Queue(queue) => write!(f, "q{queue}"),
            Self::Allocation(allocation) => write!(f, "a{allocation}"),
            Self::Object(object) => write!(f, "o{object}"),
            Self::Line { file, line } => write!(f, "l{line}.{}", percent::encode(file, UNENCODED)),
            Self::Gap { track, at_ns } => write!(f, "g{track}.{at_ns}"),
            Self::Range { start_ns, end_ns } => write!(f, "t{start_ns}-{end_ns}"),
        }
    }
}

/// Parse error of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAThing;

impl FromStr for Entity {
    type Err = NotAThing;

    fn from_str(text: &str) -> Result<Self, NotAThing> {
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
                'g' => {
                    let (track, at) = rest.split_once('.')?;
                    Self::Gap { track: track.parse().ok()?, at_ns: at.parse().ok()? }
                }
                't' => {
                    let (start, end) = rest.split_once('-')?;
                    let (start_ns, end_ns) = (start.parse().ok()?, end.parse().ok()?);
                    (start_ns <= end_ns).then_some(Self::Range { start_ns, end_ns })?
                }
                _ => return None,
            })
        };
        parse().ok_or(NotAThing)
    }
}

impl fmt::Display for NotAThing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a thing of a trace, such as 12 (a slice), n3 (a node) or t5-9 (a part of time)")
    }
}

impl std::error::Error for NotAThing {}

impl Serialize for Entity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Entity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_round_trip() {
        let kernel = "void f<int>(sycl::item<2>, α)::{lambda&#1}".to_owned();
        for (thing, text) in [
            (Entity::Slice(12), "12"),
            (Entity::Node(u64::MAX), "n18446744073709551615"),
            (Entity::Queue(3), "q3"),
            (Entity::Allocation(0), "a0"),
            (Entity::Object(9), "o9"),
            (Entity::Line { file: "/a b/c.cpp".into(), line: 7 }, "l7./a%20b/c.cpp"),
            (Entity::Gap { track: 3, at_ns: 70 }, "g3.70"),
            (Entity::Range { start_ns: 5, end_ns: 9 }, "t5-9"),
        ] {
            assert_eq!(thing.to_string(), text);
            assert_eq!(serde_json::to_string(&thing).unwrap(), format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Entity>(&format!("\"{text}\"")).unwrap(), thing);
            assert_eq!(text.parse(), Ok(thing));
        }
        let kernel = Entity::Name(kernel);
        assert_eq!(kernel.to_string().parse(), Ok(kernel));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "-1", "x5", "n", "t9-5", "g3", "g3.x", "l7", "k%zz", "ä"] {
            assert_eq!(text.parse::<Entity>(), Err(NotAThing), "{text}");
        }
    }
}
