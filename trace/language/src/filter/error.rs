//! Why a text is no filter.

use super::FieldType;

/// Why a text is not a filter, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (at character {})", at + 1)]
pub struct FilterError {
    /// Characters before the place.
    pub at: usize,
    /// What is wrong there.
    pub problem: FilterProblem,
}

/// What is wrong with a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterProblem {
    /// A field that doesn't exist.
    #[error("there is no field `{0}`: use one of {fields}, or put quotes around the text to look for it", fields = super::field::names())]
    NoField(String),
    /// An operator that the field doesn't take.
    #[error("`{field}` takes {}, not `{op}`", of.ops())]
    Op {
        /// The field.
        field: String,
        /// The operator.
        op: &'static str,
        /// What the field holds.
        of: FieldType,
    },
    /// A value that the field can't have.
    #[error("`{value}` is no value of `{field}`: it takes {of}")]
    Value {
        /// The field.
        field: String,
        /// The value.
        value: String,
        /// What the field holds.
        of: FieldType,
    },
    /// An operator without a value.
    #[error("a value is missing after `{0}`; for an empty one write two quotes")]
    NoValue(String),
    /// Nothing where a condition belongs.
    #[error("a condition is missing here")]
    NoCondition,
    /// A quote without its other end.
    #[error("these quotes are never closed")]
    OpenQuotes,
    /// A parenthesis without its other end.
    #[error("this parenthesis is never closed")]
    OpenParenthesis,
    /// A closing parenthesis too many.
    #[error("nothing was opened that this parenthesis could close; put quotes around it to look for it")]
    CloseParenthesis,
    /// More levels of parentheses and `-` than anybody needs.
    #[error("more than {} levels of parentheses and `-`", super::parse::MOST_LEVELS)]
    TooDeep,
    /// A text longer than anybody needs.
    #[error("a filter has at most {} characters", super::parse::MOST_CHARACTERS)]
    TooLong,
    /// More conditions than anybody needs.
    #[error("a filter has at most {} conditions", super::parse::MOST_CONDITIONS)]
    TooMany,
}
