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
    #[error("no field `{0}`: use one of {fields}, or quote the text to search for it", fields = super::field::names())]
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
    #[error("`{value}` is not a value of `{field}`: it takes {of}")]
    Value {
        /// The field.
        field: String,
        /// The value.
        value: String,
        /// What the field holds.
        of: FieldType,
    },
    /// An operator without a value.
    #[error("missing value after `{0}`; for an empty one write two quotes")]
    NoValue(String),
    /// Nothing where a condition belongs.
    #[error("missing condition")]
    NoCondition,
    /// A quote without its other end.
    #[error("unclosed quotes")]
    OpenQuotes,
    /// A parenthesis without its other end.
    #[error("unclosed parenthesis")]
    OpenParenthesis,
    /// A closing parenthesis too many.
    #[error("unmatched parenthesis; quote it to search for it")]
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
