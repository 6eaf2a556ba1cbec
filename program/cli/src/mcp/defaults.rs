//! Default limits of queries, since an assistant reads all of an answer.

use serde_json::Value;
use syclscope_language::question::{QuestionError, RangedQuestion};

/// Default limits of lists by parameter. A query gets those of its parameters.
const LIMITS: [(&str, u32); 5] =
    [("limit", 20), ("groups", 20), ("places", 10), ("points", 50), ("count", 50)];

/// Limits for queries with long or short rows.
const LONG_ROWS: [(&str, u32); 4] = [("gaps", 8), ("serialised", 10), ("graph", 30), ("sql", 100)];

pub(super) struct Limited {
    pub(super) question: RangedQuestion,
    added: Vec<(&'static str, u32)>,
}

/// Parses a query, and adds default limits.
pub(super) fn limited(text: &str) -> Result<Limited, QuestionError> {
    let mut limited = Limited { question: text.parse()?, added: Vec::new() };
    let (name, given) = text.split_once('?').unwrap_or((text, ""));
    let mut longer = text.to_owned();
    for (parameter, usual) in LIMITS {
        if given.split('&').any(|pair| pair.split('=').next() == Some(parameter)) {
            continue;
        }
        let of_query = LONG_ROWS.iter().find(|(query, _)| *query == name && parameter == "limit");
        let limit = of_query.map_or(usual, |(_, limit)| *limit);
        let separator = if longer.contains('?') { '&' } else { '?' };
        let tried = format!("{longer}{separator}{parameter}={limit}");
        // A query rejects unknown parameters.
        if let Ok(question) = tried.parse() {
            (limited.question, longer) = (question, tried);
            limited.added.push((parameter, limit));
        }
    }
    Ok(limited)
}

impl Limited {
    /// Returns a note about default limits that a list of the answer has reached.
    pub(super) fn note(&self, answer: &str) -> Option<String> {
        if self.added.is_empty() {
            return None;
        }
        let answer: Value = serde_json::from_str(answer).ok()?;
        let mut lengths = Vec::new();
        list_lengths(&answer, 2, &mut lengths);
        let reached = self.added.iter().filter(|(_, limit)| lengths.contains(&(*limit as usize)));
        let reached: Vec<String> = reached.map(|(name, limit)| format!("{name}={limit}")).collect();
        let names: Vec<&str> = self.added.iter().map(|(name, _)| *name).collect();
        (!reached.is_empty()).then(|| {
            format!(
                "Lists are limited to {} here. Set {} for longer ones.",
                reached.join(", "),
                names.join(" or ")
            )
        })
    }
}

/// Collects the lengths of lists down to `levels` of nested objects.
fn list_lengths(value: &Value, levels: usize, lengths: &mut Vec<usize>) {
    match value {
        Value::Array(items) => lengths.push(items.len()),
        Value::Object(members) if levels > 0 => {
            for member in members.values() {
                list_lengths(member, levels - 1, lengths);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_get_the_limits_that_they_take() {
        for (text, whole) in [
            ("report", "report"),
            ("gaps", "gaps?limit=8"),
            ("gaps?limit=100&track=3", "gaps?track=3"),
            ("select?where=kind%3Akernel", "select?where=kind%3Akernel&groups=20"),
            ("memory_use", "memory_use?points=50&places=10"),
            ("slices/7", "slices/7"),
            ("slices/7/waited_for", "slices/7/waited_for?limit=20"),
            ("critical_path", "critical_path?limit=20"),
            ("critical_path?region=solve", "critical_path?region=solve&limit=20"),
        ] {
            let expected: RangedQuestion = whole.parse().unwrap();
            assert_eq!(limited(text).unwrap().question, expected, "{text}");
        }
        assert!(limited("repotr").is_err());
    }

    #[test]
    fn a_reached_limit_is_named() {
        let limited = limited("leaks").unwrap();
        let list = vec![0; 20];
        let answer = serde_json::json!({"places": list, "count": 20}).to_string();
        assert_eq!(
            limited.note(&answer).unwrap(),
            "Lists are limited to limit=20 here. Set limit for longer ones."
        );
        assert_eq!(limited.note("{\"places\":[0]}"), None);
    }
}
