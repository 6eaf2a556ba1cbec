//! The part of a query after `?`: `name=value` pairs joined by `&`, percent-encoded.

use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use super::QuestionError;
use crate::percent;

/// Pairs of a query that have not been read yet.
pub(crate) struct Params {
    pairs: Vec<(String, String)>,
    names: Vec<&'static str>,
}

impl Params {
    /// Parses pairs. A name without `=` has an empty value. A range must not end before it starts.
    pub(super) fn read(text: &str) -> Result<Self, QuestionError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                return Err(QuestionError::NotEncoded(pair.to_owned()));
            };
            if pairs.iter().any(|(known, _)| *known == name) {
                return Err(QuestionError::Twice(name));
            }
            pairs.push((name, value));
        }
        let at = |name: &str| pairs.iter().find(|(known, _)| known == name)?.1.parse::<u64>().ok();
        match (at("from"), at("to")) {
            (Some(from), Some(to)) if from > to => Err(QuestionError::Reversed { from, to }),
            _ => Ok(Self { pairs, names: Vec::new() }),
        }
    }

    /// Takes a parameter as text, if present.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        self.names.push(name);
        let at = self.pairs.iter().position(|(known, _)| known == name)?;
        Some(self.pairs.swap_remove(at).1)
    }

    /// Takes and parses a parameter, if present; `expected` describes valid values.
    pub(crate) fn get<T: FromStr>(
        &mut self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Option<T>, QuestionError> {
        self.parse(name, expected, |text| text.parse().ok())
    }

    /// Takes a parameter and converts it with `parse`, if present.
    pub(crate) fn parse<T>(
        &mut self,
        name: &'static str,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, QuestionError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match parse(&text) {
            Some(value) => Ok(Some(value)),
            None => Err(QuestionError::Param { name, text, expected }),
        }
    }

    /// Rejects pairs that no parameter of the query has read.
    pub(super) fn finish(&self) -> Result<(), QuestionError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(QuestionError::NoParam { name: name.clone(), known: self.names.join(", ") })
            }
        }
    }
}

/// Writer of a query's parameters.
pub(crate) struct ParamWriter<'f, 'b> {
    out: &'f mut fmt::Formatter<'b>,
    /// Separator before the next pair; `None` before the first pair if there is no query before it.
    separator: Option<char>,
}

impl<'f, 'b> ParamWriter<'f, 'b> {
    pub(super) fn new(out: &'f mut fmt::Formatter<'b>) -> Self {
        Self { out, separator: Some('?') }
    }

    /// Creates a writer whose first pair has no separator before it.
    pub(super) fn beside(out: &'f mut fmt::Formatter<'b>) -> Self {
        Self { out, separator: None }
    }

    /// Writes a pair if there is a value.
    pub(crate) fn pair(&mut self, name: &str, value: Option<impl Display>) -> fmt::Result {
        let Some(value) = value else { return Ok(()) };
        if let Some(separator) = self.separator {
            self.out.write_char(separator)?;
        }
        self.separator = Some('&');
        write!(self.out, "{name}=")?;
        self.out.write_str(&percent::encode(&value.to_string(), UNENCODED))
    }
}

/// Unencoded characters in values, in addition to letters and digits.
const UNENCODED: &[u8] = b":";

/// Decodes a text; `+` is a space, as in HTML forms.
fn decode(text: &str) -> Option<String> {
    percent::decode(&text.replace('+', " "))
}
