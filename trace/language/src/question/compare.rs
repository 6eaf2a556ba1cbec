//! Queries that compare two traces.

use std::fmt;
use std::str::FromStr;

use super::QuestionError;
use super::forms::{Bounded, Form, LIMIT, limit, optional, required, usual, usual_word};
use super::params::{ParamWriter, Params};

/// A query about two runs, or two groups of runs. Its text is the part of its address below the comparison's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompareQuestion {
    /// `overview?limit=N`: changes, causes and significance, as a [`Comparison`](crate::api::Comparison).
    Overview {
        /// Maximum rows of each list.
        limit: u32,
    },
    /// `commands?row=N&offset=N&limit=N`: [`MatchedCommands`](crate::api::MatchedCommands).
    Commands {
        /// Index of the row.
        row: u32,
        /// Number of skipped commands.
        offset: u32,
        /// Maximum number.
        limit: u32,
    },
    /// `counterpart?side=a&node=N`: the matched command on the other side, as a
    /// [`Counterpart`](crate::api::Counterpart).
    Counterpart {
        /// Side of the command.
        side: CompareSide,
        /// Number of the command's node.
        node: u64,
    },
    /// `graph?around=ROW&width=N&limit=N`: both task graphs merged, as a [`ComparedGraph`](crate::api::ComparedGraph).
    Graph {
        /// Row whose neighbourhood is drawn; if omitted, differences come first.
        around: Option<u32>,
        /// Radius of the neighbourhood in dependences.
        width: u32,
        /// Maximum number of rows in the drawing.
        limit: u32,
    },
    /// `live?side=a&at=NS&limit=N`: memory in use at matched times, as [`LiveMemory`](crate::api::LiveMemory).
    Live {
        /// A side and a time for which allocation sites are listed; if omitted, the time of the largest difference.
        at: Option<(CompareSide, u64)>,
        /// Maximum sites in the list.
        limit: u32,
    },
    /// `anchors?side=a&from=NS&to=NS&limit=N`: matched times of both sides, as a list of
    /// [`Anchor`](crate::api::Anchor)s sorted by time.
    Anchors {
        /// Range of time on one side; the whole run if omitted. The nearest anchors outside the range are included, so
        /// that every time in it lies between two anchors.
        within: Option<PartOfSide>,
        /// Maximum number; if there are more anchors, an evenly spread subset is returned.
        limit: u32,
    },
}

/// A range of time on one side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartOfSide {
    /// Side of the times.
    pub side: CompareSide,
    /// Start in nanoseconds.
    pub from_ns: u64,
    /// End in nanoseconds.
    pub to_ns: u64,
}

words! {
    /// A side of a comparison.
    #[derive(Default)]
    CompareSide {
        /// The baseline.
        #[default]
        A = "a",
        /// The candidate.
        B = "b",
    }
}

impl CompareQuestion {
    /// Returns the query for the overview with the default number of rows.
    pub fn overview() -> Self {
        Self::Overview { limit: LIMIT }
    }
}

impl FromStr for CompareQuestion {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let (name, params) = text.split_once('?').unwrap_or((text, ""));
        let mut params = Params::read(params)?;
        let question = match name {
            "overview" => Self::Overview { limit: limit("limit").read(&mut params)? },
            "commands" => Self::Commands {
                row: required("row", "the number of a row").read(&mut params)?,
                offset: usual("offset", "a number").read(&mut params)?,
                limit: limit("limit").read(&mut params)?,
            },
            "counterpart" => Self::Counterpart {
                side: usual_word("side").read(&mut params)?,
                node: required("node", "the number of a command").read(&mut params)?,
            },
            "graph" => Self::Graph {
                around: optional("around", "the number of a row").read(&mut params)?,
                width: WIDTH.read(&mut params)?,
                limit: limit("limit").read(&mut params)?,
            },
            "live" => {
                let side = usual_word("side").read(&mut params)?;
                let at = params.get("at", TIME)?;
                Self::Live { at: at.map(|at| (side, at)), limit: limit("limit").read(&mut params)? }
            }
            "anchors" => {
                let side = usual_word("side").read(&mut params)?;
                let within = match (params.get("from", TIME)?, params.get("to", TIME)?) {
                    (None, None) => None,
                    (from, to) => Some(PartOfSide {
                        side,
                        from_ns: from.ok_or_else(|| missing("from", TIME))?,
                        to_ns: to.ok_or_else(|| missing("to", TIME))?,
                    }),
                };
                Self::Anchors { within, limit: limit("limit").read(&mut params)? }
            }
            _ => return Err(QuestionError::unknown(name, NAMES)),
        };
        params.finish()?;
        Ok(question)
    }
}

const NAMES: &[&str] = &["overview", "commands", "counterpart", "graph", "live", "anchors"];

/// Radius of a neighbourhood.
const WIDTH: Bounded = Bounded { name: "width", expected: "a number", bounds: 0..=u32::MAX, usual: 2 };
const TIME: &str = "nanoseconds";

fn missing(name: &'static str, expected: &'static str) -> QuestionError {
    QuestionError::Param { name, text: String::new(), expected }
}

impl fmt::Display for CompareQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overview { .. } => "overview",
            Self::Commands { .. } => "commands",
            Self::Counterpart { .. } => "counterpart",
            Self::Graph { .. } => "graph",
            Self::Live { .. } => "live",
            Self::Anchors { .. } => "anchors",
        })?;
        let mut out = ParamWriter::new(f);
        let (most, side_of) = (limit("limit"), usual_word("side"));
        match self {
            Self::Overview { limit } => most.write(limit, &mut out),
            Self::Anchors { within, limit } => {
                if let Some(PartOfSide { side, from_ns, to_ns }) = within {
                    side_of.write(side, &mut out)?;
                    out.pair("from", Some(from_ns))?;
                    out.pair("to", Some(to_ns))?;
                }
                most.write(limit, &mut out)
            }
            Self::Commands { row, offset, limit } => {
                out.pair("row", Some(row))?;
                usual("offset", "").write(offset, &mut out)?;
                most.write(limit, &mut out)
            }
            Self::Graph { around, width, limit } => {
                out.pair("around", *around)?;
                WIDTH.write(width, &mut out)?;
                most.write(limit, &mut out)
            }
            Self::Live { at, limit } => {
                if let Some((side, at)) = at {
                    side_of.write(side, &mut out)?;
                    out.pair("at", Some(at))?;
                }
                most.write(limit, &mut out)
            }
            Self::Counterpart { side, node } => {
                side_of.write(side, &mut out)?;
                out.pair("node", Some(node))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in [
            "overview",
            "overview?limit=5",
            "commands?row=3",
            "commands?row=3&offset=20&limit=7",
            "counterpart?node=12",
            "counterpart?side=b&node=12",
            "graph",
            "graph?around=3&width=1&limit=40",
            "live",
            "live?at=1200&limit=5",
            "live?side=b&at=1200",
            "anchors",
            "anchors?from=5&to=70&limit=9",
            "anchors?side=b&from=0&to=70",
        ] {
            assert_eq!(text.parse::<CompareQuestion>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "rows",
            "commands",
            "counterpart?side=c&node=1",
            "graph?around=x",
            "live?at=x",
            "anchors?from=5",
            "anchors?from=x&to=7",
            "overview?rows=1",
        ] {
            assert!(wrong.parse::<CompareQuestion>().is_err(), "{wrong}");
        }
    }
}
