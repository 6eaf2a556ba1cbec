//! Forms of parameters, each defined in one place.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use crate::filter::Filter;
use crate::words::Word;

/// Default number of groups and slices.
pub(super) const LIMIT: u32 = 100;
/// Maximum groups and slices in one answer.
const MAX_LIMIT: u32 = 10_000;
pub(super) const TIME: &str = "nanoseconds since the trace's start";

/// Parameters of a query.
pub(super) trait Parameters: Sized {
    fn read(params: &mut Params) -> Result<Self, QuestionError>;

    fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result;
}

/// Implements [`Parameters`] for a struct by the forms of its fields, in the order in which they are written. Fields in
/// brackets are in the path of the query.
macro_rules! parameters {
    ($question:ident $([$($outside:ident),+])? { $($field:ident: $form:expr,)* }) => {
        impl $crate::question::forms::Parameters for $question {
            fn read(
                params: &mut $crate::question::params::Params,
            ) -> Result<Self, $crate::question::QuestionError> {
                Ok(Self {
                    $($($outside: Default::default(),)+)?
                    $($field: $crate::question::forms::Form::read(&$form, params)?,)*
                })
            }

            fn write(&self, out: &mut $crate::question::params::ParamWriter<'_, '_>) -> std::fmt::Result {
                $($crate::question::forms::Form::write(&$form, &self.$field, out)?;)*
                Ok(())
            }
        }
    };
}

/// Reader and writer of the parameters of a value of type `T`.
pub(super) trait Form<T> {
    fn read(&self, params: &mut Params) -> Result<T, QuestionError>;

    fn write(&self, value: &T, out: &mut ParamWriter<'_, '_>) -> fmt::Result;
}

/// Reader and writer of one parameter.
pub(super) struct Param<T> {
    name: &'static str,
    /// Description of valid values.
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
    /// The value if the parameter is omitted; `None` if the parameter is required.
    omitted: fn() -> Option<T>,
    /// Its text; `None` if the value is omitted.
    text: fn(&T) -> Option<String>,
}

impl<T> Form<T> for Param<T> {
    fn read(&self, params: &mut Params) -> Result<T, QuestionError> {
        let Self { name, expected, .. } = *self;
        let missing = || QuestionError::Param { name, text: String::new(), expected };
        params.parse(name, expected, self.parse)?.or_else(self.omitted).ok_or_else(missing)
    }

    fn write(&self, value: &T, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair(self.name, (self.text)(value))
    }
}

pub(super) fn optional<T: FromStr + Display>(name: &'static str, expected: &'static str) -> Param<Option<T>> {
    let parse = |text: &str| text.parse().ok().map(Some);
    Param { name, expected, parse, omitted: || Some(None), text: |value| value.as_ref().map(T::to_string) }
}

/// Returns a required parameter.
pub(super) fn required<T: FromStr + Display>(name: &'static str, expected: &'static str) -> Param<T> {
    let parse = |text: &str| if text.is_empty() { None } else { text.parse().ok() };
    Param { name, expected, parse, omitted: || None, text: |value| Some(value.to_string()) }
}

/// Returns a parameter that is always written; the type's default applies if a hand-written query omits it.
pub(super) fn always<T: FromStr + Display + Default>(name: &'static str, expected: &'static str) -> Param<T> {
    Param { parse: |text| text.parse().ok(), omitted: || Some(T::default()), ..required(name, expected) }
}

/// Returns a parameter that is omitted if it has its type's default value.
pub(super) fn usual<T: FromStr + Display + Default + PartialEq>(
    name: &'static str,
    expected: &'static str,
) -> Param<T> {
    let text = |value: &T| (*value != T::default()).then(|| value.to_string());
    Param { text, ..always(name, expected) }
}

pub(super) fn text(name: &'static str) -> Param<String> {
    usual(name, "a text")
}

pub(super) fn flag(name: &'static str) -> Param<bool> {
    usual(name, "true or false")
}

/// Returns a flag that is set by `1`.
pub(super) fn one(name: &'static str) -> Param<bool> {
    let text = |value: &bool| value.then(|| "1".to_owned());
    Param { name, expected: "1 or 0", parse: digit, omitted: || Some(false), text }
}

/// Returns a flag that is cleared by `0`.
pub(super) fn zero(name: &'static str, expected: &'static str) -> Param<bool> {
    let text = |value: &bool| value.then(|| "0".to_owned());
    Param { name, expected, parse: |text| Some(!digit(text)?), omitted: || Some(false), text }
}

fn digit(text: &str) -> Option<bool> {
    ["0", "1"].iter().position(|digit| *digit == text).map(|digit| digit == 1)
}

/// Returns a word of a fixed set.
pub(super) fn word<T: Word>(name: &'static str) -> Param<Option<T>> {
    let parse = |text: &str| T::from_word(text).map(Some);
    let text = |value: &Option<T>| value.map(|value| value.word().to_owned());
    Param { name, expected: T::EXPECTED, parse, omitted: || Some(None), text }
}

/// Returns a word of a fixed set, omitted for the default.
pub(super) fn usual_word<T: Word + Default>(name: &'static str) -> Param<T> {
    let text = |value: &T| (*value != T::default()).then(|| value.word().to_owned());
    Param { name, expected: T::EXPECTED, parse: T::from_word, omitted: || Some(T::default()), text }
}

/// Returns words of a fixed set, separated by dots.
pub(super) fn words<T: Word>(name: &'static str, expected: &'static str) -> Param<Option<Vec<T>>> {
    let parse = |text: &str| parts(text).map(T::from_word).collect::<Option<_>>().map(Some);
    let text = |value: &Option<Vec<T>>| {
        value.as_ref().map(|words| words.iter().map(|word| word.word()).collect::<Vec<_>>().join("."))
    };
    Param { name, expected, parse, omitted: || Some(None), text }
}

/// Returns numbers or names, separated by dots (`1.5.7`).
pub(super) fn dotted<T: FromStr + Display>(
    name: &'static str,
    expected: &'static str,
) -> Param<Option<Vec<T>>> {
    let parse = |text: &str| parts(text).map(|part| part.parse().ok()).collect::<Option<_>>().map(Some);
    Param { name, expected, parse, omitted: || Some(None), text: |value| value.as_deref().map(joined) }
}

/// Returns names separated by dots, omitted if there are none.
pub(super) fn list<T: FromStr + Display>(name: &'static str, expected: &'static str) -> Param<Vec<T>> {
    let parse = |text: &str| parts(text).map(|part| part.parse().ok()).collect();
    let text = |values: &Vec<T>| (!values.is_empty()).then(|| joined(values));
    Param { name, expected, parse, omitted: || Some(Vec::new()), text }
}

fn joined<T: Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(".")
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split('.').filter(|part| !part.is_empty())
}

/// Returns an address in decimal or hexadecimal.
pub(super) fn address(name: &'static str) -> Param<Option<u64>> {
    let parse = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(Some),
        None => text.parse().ok().map(Some),
    };
    let text = |value: &Option<u64>| value.map(|address| format!("{address:#x}"));
    Param { name, expected: "an address, as 0x… or decimal", parse, omitted: || Some(None), text }
}

/// Returns `from`: the start of a range; the trace's start if omitted.
pub(super) fn from() -> Param<Option<u64>> {
    optional("from", TIME)
}

/// Returns `to`: the end of a range; the trace's end if omitted.
pub(super) fn to() -> Param<Option<u64>> {
    optional("to", TIME)
}

/// A number within bounds.
pub(super) struct Bounded {
    pub(super) name: &'static str,
    pub(super) expected: &'static str,
    pub(super) bounds: RangeInclusive<u32>,
    /// The value if omitted.
    pub(super) usual: u32,
}

impl Form<u32> for Bounded {
    fn read(&self, params: &mut Params) -> Result<u32, QuestionError> {
        let within = |text: &str| text.parse().ok().filter(|number| self.bounds.contains(number));
        Ok(params.parse(self.name, self.expected, within)?.unwrap_or(self.usual))
    }

    fn write(&self, value: &u32, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair(self.name, Some(value).filter(|value| **value != self.usual))
    }
}

/// Returns the maximum number of entries of a list.
pub(super) fn limit(name: &'static str) -> Bounded {
    Bounded { name, expected: "a number up to 10000", bounds: 0..=MAX_LIMIT, usual: LIMIT }
}

/// Returns the number of points or buckets over time.
pub(super) fn points(usual: u32) -> Bounded {
    Bounded { name: "points", expected: "a number from 1 to 10000", bounds: 1..=MAX_LIMIT, usual }
}

/// `where`: a filter; everything if omitted.
pub(super) struct Where;

impl Form<Filter> for Where {
    fn read(&self, params: &mut Params) -> Result<Filter, QuestionError> {
        Ok(params.text("where").unwrap_or_default().parse()?)
    }

    fn write(&self, value: &Filter, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("where", Some(value).filter(|filter| !filter.is_everything()))
    }
}

/// The parameters of a nested struct.
pub(super) struct Several;

impl<T: Parameters> Form<T> for Several {
    fn read(&self, params: &mut Params) -> Result<T, QuestionError> {
        T::read(params)
    }

    fn write(&self, value: &T, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        value.write(out)
    }
}
