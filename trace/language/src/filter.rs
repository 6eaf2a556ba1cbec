//! The language of filters, which select slices. `docs/QUERIES.md` is its manual.
//!
//! A [`Filter`] is independent of a trace: it is parsed ([`FromStr`](std::str::FromStr)) and printed
//! ([`Display`](fmt::Display)), and the printed text parses as the same filter.

mod error;
mod field;
mod number;
mod parse;
mod print;

use std::fmt;

pub use error::{FilterError, FilterProblem};
pub use field::{Field, FieldType, Op};
pub use number::{Number, Units, time_ns};

/// A predicate on slices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Conjunction; empty for every slice.
    All(Vec<Filter>),
    /// Disjunction.
    Any(Vec<Filter>),
    /// Negation.
    Not(Box<Filter>),
    /// A single condition.
    Is(Condition),
}

/// A condition on a property. It is false for slices without the property.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The property.
    pub field: Field,
    /// The operator.
    pub op: Op,
    /// The operand in its written form.
    pub value: String,
}

impl Default for Filter {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Filter {
    /// True if the filter matches every slice.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    /// Returns the conjunction with another filter.
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
