//! JSON: cargo's metadata, figures, documents of a release. serde_json would take as long to compile as all of xtask.

use std::collections::BTreeMap;
use std::fmt;

use crate::failure::{Failure, Result};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

pub(crate) fn object<const COUNT: usize>(members: [(&str, Json); COUNT]) -> Json {
    Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into())
}

pub(crate) fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
    Json::List(items.into_iter().map(Into::into).collect())
}

impl Json {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader(text);
        let value = reader.value().filter(|_| reader.0.trim().is_empty());
        let place = text.len() - reader.0.len();
        value.ok_or_else(|| Failure::new(format!("there is no JSON at byte {place}")).with_output(text))
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }

    /// Items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    /// Adds a member to an object.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        if let Json::Object(members) = &mut self {
            members.insert(name.to_owned(), value.into());
        }
        self
    }
}

impl std::ops::Index<&str> for Json {
    type Output = Json;

    /// A member of an object, or else null.
    fn index(&self, name: &str) -> &Json {
        if let Json::Object(members) = self { members.get(name).unwrap_or(&Json::Null) } else { &Json::Null }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Self {
        if number.is_finite() { Json::Number(number) } else { Json::Null }
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, Into::into)
    }
}

/// On one line, or as `{:#}` with a line for each member and item.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_pretty = out.alternate();
        let indented = |value: &Json| match is_pretty {
            true => format!("{value:#}").replace('\n', "\n  "),
            false => value.to_string(),
        };
        let (open, close, parts): (_, _, Vec<String>) = match self {
            Json::Null => return out.write_str("null"),
            Json::Bool(value) => return write!(out, "{value}"),
            Json::Number(number) => return write!(out, "{number}"),
            Json::Text(text) => return write!(out, "\"{}\"", escaped(text)),
            Json::List(items) => ('[', ']', items.iter().map(indented).collect()),
            Json::Object(members) => {
                let colon = if is_pretty { ": " } else { ":" };
                let member = |(name, value): (&String, &Json)| {
                    format!("\"{}\"{colon}{}", escaped(name), indented(value))
                };
                ('{', '}', members.iter().map(member).collect())
            }
        };
        match is_pretty && !parts.is_empty() {
            true => write!(out, "{open}\n  {}\n{close}", parts.join(",\n  ")),
            false => write!(out, "{open}{}{close}", parts.join(",")),
        }
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter if letter < ' ' => escaped.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The rest of a text.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn value(&mut self) -> Option<Json> {
        if self.take("{") {
            let mut members = BTreeMap::new();
            self.each("}", |reader| {
                let name = reader.take("\"").then(|| reader.text())??;
                let value = reader.take(":").then(|| reader.value())??;
                members.insert(name, value);
                Some(())
            })?;
            return Some(Json::Object(members));
        }
        if self.take("[") {
            let mut items = Vec::new();
            self.each("]", |reader| reader.value().map(|item| items.push(item)))?;
            return Some(Json::List(items));
        }
        if self.take("\"") {
            return self.text().map(Json::Text);
        }
        for (token, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if self.take(token) {
                return Some(value);
            }
        }
        let rest = self.0.trim_start();
        let is_behind = |letter: char| !letter.is_ascii_digit() && !"+-.eE".contains(letter);
        let (number, rest) = rest.split_at(rest.find(is_behind).unwrap_or(rest.len()));
        self.0 = rest;
        number.parse().ok().map(Json::Number)
    }

    /// Reads what is separated by commas, until `close`.
    fn each(&mut self, close: &str, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take(close) {
            return Some(());
        }
        loop {
            read(self)?;
            if !self.take(",") {
                return self.take(close).then_some(());
            }
        }
    }

    /// Reads a string behind its opening quote. (Halves of a letter, `\uD800` to `\uDFFF`, are replaced.)
    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let (plain, rest) = self.0.split_at(self.0.find(['"', '\\'])?);
            text.push_str(plain);
            if let Some(rest) = rest.strip_prefix('"') {
                self.0 = rest;
                return Some(text);
            }
            let (mut letter, mut length) = (rest[1..].chars().next()?, 2);
            match letter {
                'n' => letter = '\n',
                't' => letter = '\t',
                'r' => letter = '\r',
                'b' | 'f' => letter = ' ',
                'u' => {
                    letter =
                        char::from_u32(u32::from_str_radix(rest.get(2..6)?, 16).ok()?).unwrap_or('\u{fffd}');
                    length = 6;
                }
                _ => {}
            }
            text.push(letter);
            self.0 = rest.get(length..)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written_as_serde_json_does() {
        let text = r#" {"a": [1, -2.5e3, true, null], "b": {"c": "d\n\"\u00e9\\", "e": [], "f": {}, "g": "\u0001"}} "#;
        let (own, other) =
            (Json::parse(text).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(own["b"]["c"].as_str(), Some("d\n\"é\\"));
        assert_eq!(own["a"].items()[1].as_f64(), Some(-2500.0));
        assert_eq!(own["a"]["x"], Json::Null);
        assert_eq!(own["b"].to_string(), other["b"].to_string());
        assert_eq!(format!("{:#}", own["b"]), serde_json::to_string_pretty(&other["b"]).unwrap());
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"a", "--1"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
