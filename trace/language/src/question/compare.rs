//! What can be asked of two traces side by side.

use std::fmt;
use std::str::FromStr;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{LIMIT, limit, write_limit};

/// A question about two runs, or two groups of runs. Its text is its address below that of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompareQuestion {
    /// `overview?limit=N`: what changed, why, and whether it is real, a [`Comparison`](crate::api::Comparison).
    Overview {
        /// Most rows of each list.
        limit: u32,
    },
    /// `commands?row=N&offset=N&limit=N`: [`MatchedCommands`](crate::api::MatchedCommands).
    Commands {
        /// Number of the row.
        row: u32,
        /// How many to leave out.
        offset: u32,
        /// Most that are listed.
        limit: u32,
    },
    /// `counterpart?side=a&node=N`: what a command is on the other side, a [`Counterpart`](crate::api::Counterpart).
    Counterpart {
        /// The side that the number is of.
        side: CompareSide,
        /// Number of the command's node.
        node: u64,
    },
    /// `anchors?limit=N`: moments that are the same on both sides, a list of [`Anchor`](crate::api::Anchor)s by time.
    Anchors {
        /// Most of them.
        limit: u32,
    },
}

words! {
    /// A side of a comparison.
    CompareSide {
        /// What was before.
        #[default]
        A = "a",
        /// What is now.
        B = "b",
    }
}

impl CompareQuestion {
    /// What changed, with the usual number of rows.
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
            "overview" => Self::Overview { limit: limit(&mut params, "limit")? },
            "commands" => Self::Commands {
                row: params.get("row", ROW)?.ok_or_else(|| missing("row", ROW))?,
                offset: params.get("offset", "a number")?.unwrap_or_default(),
                limit: limit(&mut params, "limit")?,
            },
            "counterpart" => Self::Counterpart {
                side: CompareSide::read(&mut params, "side")?,
                node: params.get("node", NODE)?.ok_or_else(|| missing("node", NODE))?,
            },
            "anchors" => Self::Anchors { limit: limit(&mut params, "limit")? },
            _ => return Err(QuestionError::Unknown(name.to_owned())),
        };
        params.finish()?;
        Ok(question)
    }
}

const ROW: &str = "the number of a row";
const NODE: &str = "the number of a command";

fn missing(name: &'static str, expected: &'static str) -> QuestionError {
    QuestionError::Param { name, text: String::new(), expected }
}

impl fmt::Display for CompareQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overview { .. } => "overview",
            Self::Commands { .. } => "commands",
            Self::Counterpart { .. } => "counterpart",
            Self::Anchors { .. } => "anchors",
        })?;
        let mut out = ParamWriter::new(f);
        match self {
            Self::Overview { limit } | Self::Anchors { limit } => write_limit(*limit, "limit", &mut out),
            Self::Commands { row, offset, limit } => {
                out.pair("row", Some(row))?;
                out.pair("offset", Some(offset).filter(|offset| **offset > 0))?;
                write_limit(*limit, "limit", &mut out)
            }
            Self::Counterpart { side, node } => {
                side.write("side", &mut out)?;
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
            "anchors",
        ] {
            assert_eq!(text.parse::<CompareQuestion>().unwrap().to_string(), text);
        }
        for wrong in ["", "rows", "commands", "counterpart?side=c&node=1", "overview?rows=1"] {
            assert!(wrong.parse::<CompareQuestion>().is_err(), "{wrong}");
        }
    }
}
