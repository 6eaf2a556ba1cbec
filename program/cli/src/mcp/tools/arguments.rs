//! Arguments of a tool.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use syclscope_language::question::{PartOfRun, iteration_numbers};

pub(in crate::mcp) struct Arguments<'a>(pub(in crate::mcp) &'a Value);

impl Arguments<'_> {
    /// Rejects unknown arguments, which would be ignored.
    pub(super) fn refuse_others(&self, known: &[&str]) -> Result<(), String> {
        let mut names = self.0.as_object().into_iter().flat_map(serde_json::Map::keys);
        match names.find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(format!("unknown parameter `{name}`; the parameters are {}", known.join(", "))),
            None => Ok(()),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Returns a word, which may be a number.
    pub(super) fn word(&self, name: &str) -> Result<Option<String>, String> {
        match self.0.get(name) {
            Some(Value::String(text)) => Ok(Some(text.clone())),
            _ => Ok(self.number(name)?.map(|number| number.to_string())),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                number.map(Some).ok_or_else(|| format!("{name} must be a non-negative integer"))
            }
        }
    }

    pub(super) fn limit(&self) -> Result<Option<usize>, String> {
        Ok(self.number("limit")?.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    pub(super) fn part(&self) -> Result<PartOfRun, String> {
        let iterations = match self.0.get("iterations") {
            Some(Value::Number(number)) => Some(number.to_string()),
            other => other.and_then(Value::as_str).map(str::to_owned),
        };
        let refused = || "iterations must be a number, or the first and the last, like 5-120".to_owned();
        let iterations = iterations.map(|text| iteration_numbers(&text).ok_or_else(refused)).transpose()?;
        let part = PartOfRun {
            from_ns: self.number("from_ns")?,
            to_ns: self.number("to_ns")?,
            iterations,
            region: self.text("region").map(str::to_owned),
        };
        let is_time = part.from_ns.is_some() || part.to_ns.is_some();
        if is_time && (part.iterations.is_some() || part.region.is_some()) {
            return Err("from_ns and to_ns can't be combined with iterations and region".to_owned());
        }
        Ok(part)
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<&str>, String> {
        let texts: Option<Vec<&str>> = match self.0.get(name) {
            Some(Value::String(text)) => Some(vec![text]),
            Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
            _ => None,
        };
        texts
            .filter(|texts| !texts.is_empty())
            .ok_or_else(|| format!("{name} must be a list of recordings from list_traces"))
    }

    pub(super) fn page(&self) -> Result<usize, String> {
        match self.number("page")? {
            Some(0) => Err("pages are counted from 1".to_owned()),
            page => Ok(page.and_then(|page| usize::try_from(page).ok()).unwrap_or(1)),
        }
    }

    /// Returns a query with the given parameters. `parameters` has the names of arguments and of their parameters.
    pub(super) fn query(&self, name: &str, parameters: &[(&str, &str)]) -> Result<String, String> {
        let mut query = name.to_owned();
        for (argument, parameter) in parameters {
            let value = match self.0.get(*argument) {
                None | Some(Value::Null) => continue,
                Some(Value::String(text)) => utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
                Some(_) => self.number(argument)?.unwrap_or_default().to_string(),
            };
            query.push(if query.contains('?') { '&' } else { '?' });
            query.extend([parameter, "=", value.as_str()]);
        }
        Ok(query)
    }

    /// Returns the options of a command for the given arguments, by name.
    pub(super) fn options(&self, options: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        for (argument, option) in options {
            match self.0.get(*argument) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => words.push(format!("--{option}={text}")),
                Some(_) => words.push(format!("--{option}={}", self.number(argument)?.unwrap_or_default())),
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_word_may_be_a_number_and_nothing_else() {
        let word = |value: Value| Arguments(&json!({"finding": value})).word("finding");
        assert_eq!(word(json!(2)), Ok(Some("2".to_owned())));
        assert_eq!(word(json!("slow_start")), Ok(Some("slow_start".to_owned())));
        assert_eq!(word(Value::Null), Ok(None));
        assert!(word(json!(["slow_start"])).is_err());
    }
}
