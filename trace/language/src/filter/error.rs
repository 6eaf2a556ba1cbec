//! Errors of the filter parser.

use super::FieldType;

/// Parse error of a filter, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (at character {})", at + 1)]
pub struct FilterError {
    /// Characters before the position.
    pub at: usize,
    /// The problem.
    pub problem: FilterProblem,
}

/// Problem of a filter text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterProblem {
    /// An unknown field.
    #[error("there is no field `{0}`: use one of {fields}, or put quotes around the text to look for it", fields = super::field::names())]
    NoField(String),
    /// An operator that the field does not support.
    #[error("`{field}` takes {}, not `{op}`", of.ops())]
    Op {
        /// The field.
        field: String,
        /// The operator.
        op: &'static str,
        /// Type of the field.
        of: FieldType,
    },
    /// A value that the field can't have.
    #[error("`{value}` is no value of `{field}`: it takes {of}")]
    Value {
        /// The field.
        field: String,
        /// The value.
        value: String,
        /// Type of the field.
        of: FieldType,
    },
    /// An operator without a value.
    #[error("a value is missing after `{0}`; for an empty one write two quotes")]
    NoValue(String),
    /// A missing condition.
    #[error("a condition is missing here")]
    NoCondition,
    /// A quote without its counterpart.
    #[error("these quotes are never closed")]
    OpenQuotes,
    /// A parenthesis without its counterpart.
    #[error("this parenthesis is never closed")]
    OpenParenthesis,
    /// A surplus closing parenthesis.
    #[error("nothing was opened that this parenthesis could close; put quotes around it to look for it")]
    CloseParenthesis,
    /// Too many levels of parentheses and `-`.
    #[error("more than {} levels of parentheses and `-`", super::parse::MOST_LEVELS)]
    TooDeep,
    /// Too long.
    #[error("a filter has at most {} characters", super::parse::MOST_CHARACTERS)]
    TooLong,
    /// Too many conditions.
    #[error("a filter has at most {} conditions", super::parse::MOST_CONDITIONS)]
    TooMany,
}
