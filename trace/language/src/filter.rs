//! The language of filters: which slices are meant, in words. `docs/QUERIES.md` is its manual.
//!
//! A [`Filter`] knows no trace: it is read ([`FromStr`](std::str::FromStr)) and printed ([`Display`](fmt::Display)),
//! and what is printed reads as the same filter again.

mod error;
mod field;
mod number;
mod parse;
mod print;

use std::fmt;

pub use error::{FilterError, FilterProblem};
pub use field::{Field, FieldType, Op};
pub use number::{Number, Units, time_ns};

/// Which slices are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Those that all of these mean; every one where there are none.
    All(Vec<Filter>),
    /// Those that at least one of these means.
    Any(Vec<Filter>),
    /// Those that this does not mean.
    Not(Box<Filter>),
    /// Those with a property.
    Is(Condition),
}

/// A property of a slice. Of what a slice has not, no condition is true.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// What of the slice.
    pub field: Field,
    /// How it compares.
    pub op: Op,
    /// With what, as it was written.
    pub value: String,
}

impl Default for Filter {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Filter {
    /// Whether it means every slice.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    /// What both mean.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one.is_everything() => other,
            (one, other) if other.is_everything() => one,
            (one, other) => Self::All(vec![one, other]),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::filter(self, f)
    }
}

impl std::str::FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        parse::filter(text)
    }
}
