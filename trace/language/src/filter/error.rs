//! Errors of the filter parser.

use super::FieldType;

/// Parse error of a filter, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (at character {})", at + 1)]
pub struct FilterError {
    /// Number of characters before the error.
    pub at: usize,
    /// Problem at this position.
    pub problem: FilterProblem,
}

/// Problem of a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterProblem {
    /// An unknown field.
    #[error("no field `{0}`: use one of {fields}, or quote the text to search for it", fields = super::field::names())]
    NoField(String),
    /// An operator that the field does not support.
    #[error("`{field}` takes {}, not `{op}`", of.ops())]
    Op {
        /// Name of the field.
        field: String,
        /// The operator.
        op: &'static str,
        /// Type of the field.
        of: FieldType,
    },
    /// A value that is invalid for the field.
    #[error("`{value}` is not a value of `{field}`: it takes {of}")]
    Value {
        /// Name of the field.
        field: String,
        /// The value.
        value: String,
        /// Type of the field.
        of: FieldType,
    },
    /// An operator without a value.
    #[error("missing value after `{0}`; for an empty one write two quotes")]
    NoValue(String),
    /// A missing condition.
    #[error("missing condition")]
    NoCondition,
    /// Unbalanced quotes.
    #[error("unclosed quotes")]
    OpenQuotes,
    /// An unclosed parenthesis.
    #[error("unclosed parenthesis")]
    OpenParenthesis,
    /// An unmatched closing parenthesis.
    #[error("unmatched parenthesis; quote it to search for it")]
    CloseParenthesis,
    /// Parentheses and `-` are nested too deeply.
    #[error("more than {} levels of parentheses and `-`", super::parse::MAX_LEVELS)]
    TooDeep,
    /// The filter is too long.
    #[error("a filter has at most {} characters", super::parse::MAX_CHARACTERS)]
    TooLong,
    /// Too many conditions.
    #[error("a filter has at most {} conditions", super::parse::MAX_CONDITIONS)]
    TooMany,
}
