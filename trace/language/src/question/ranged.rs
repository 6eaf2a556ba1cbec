//! Queries whose range is given as iterations or regions.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::{IterationsQuestion, PartOfRun, Question, QuestionError};

/// A query whose range may be given as `iterations=5-120`, `region=NAME` or both, instead of `from` and `to`. Times of
/// iterations differ between traces, so that such a range is converted to times only when the trace is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangedQuestion {
    /// The query without its range.
    question: Question,
    part: PartOfRun,
}

/// Parameters that give a range.
const NAMES: [&str; 2] = ["iterations", "region"];

impl RangedQuestion {
    /// Returns the range as a part of the run; the whole run for a query without such a range.
    pub fn part(&self) -> &PartOfRun {
        &self.part
    }

    /// Returns the query with its range in nanoseconds.
    ///
    /// # Errors
    /// Returns an error if the query has no range.
    pub fn within(&self, range: Option<&Range<u64>>) -> Result<Question, QuestionError> {
        let Some(range) = range else { return Ok(self.question.clone()) };
        let mut question = with_range(&self.question.to_string(), range).parse()?;
        if let Question::Iterations(IterationsQuestion { region, command: None, .. }) = &mut question {
            // Iteration numbers refer to the region's iterations.
            *region = region.take().or_else(|| self.part.region_name().map(str::to_owned));
        }
        Ok(question)
    }
}

fn with_range(text: &str, range: &Range<u64>) -> String {
    let sign = if text.contains('?') { '&' } else { '?' };
    format!("{text}{sign}from={}&to={}", range.start, range.end)
}

impl FromStr for RangedQuestion {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let refused = match text.parse() {
            // Some queries have their own `region` parameter.
            Ok(question) => return Ok(Self { question, part: PartOfRun::WHOLE }),
            Err(refused) => refused,
        };
        if !matches!(&refused, QuestionError::NoParam { name, .. } if NAMES.contains(&name.as_str())) {
            return Err(refused);
        }
        let (part, rest) = PartOfRun::split(text)?;
        if part.is_whole() {
            return Err(refused);
        }
        let question = rest.parse()?;
        match with_range(&rest, &(0..1)).parse::<Question>() {
            Ok(_) => Ok(Self { question, part }),
            Err(QuestionError::Twice(_) | QuestionError::Reversed { .. }) => Err(QuestionError::TwoParts),
            Err(_) => Err(refused),
        }
    }
}

impl fmt::Display for RangedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.part.with(&self.question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_and_regions_stand_for_a_range() {
        for (text, within) in [
            ("gaps?limit=3", "gaps?limit=3"),
            ("gaps?limit=3&region=a%20b%233", "gaps?from=5&to=9&limit=3"),
            ("critical_path?iterations=5-120", "critical_path?from=5&to=9"),
            ("what_if?iterations=7&copies=0&region=solve", "what_if?from=5&to=9&copies=0"),
            ("iterations?region=solve", "iterations?region=solve"),
            ("iterations?iterations=5-120", "iterations?from=5&to=9"),
            ("iterations?iterations=5-120&region=solve", "iterations?region=solve&from=5&to=9"),
            ("report?region=solve%233-7", "report?from=5&to=9"),
        ] {
            let ranged: RangedQuestion = text.parse().unwrap();
            let range = (!ranged.part().is_whole()).then_some(5..9);
            let question = ranged.within(range.as_ref()).unwrap();
            assert_eq!(question, within.parse().unwrap(), "{text}");
            assert_eq!(ranged.to_string().parse::<RangedQuestion>().unwrap(), ranged);
        }
    }

    #[test]
    fn a_range_is_given_in_one_way_and_to_queries_that_take_one() {
        for (text, error) in [
            ("gaps?from=1&region=a", QuestionError::TwoParts),
            ("gaps?region=a&to=7&from=3", QuestionError::TwoParts),
            ("gaps?region=a&part_from=7", QuestionError::TwoParts),
        ] {
            assert_eq!(text.parse::<RangedQuestion>().unwrap_err(), error, "{text}");
        }
        for text in [
            "info?region=a",
            "queues?iterations=3",
            "gaps?region=a&limit=x",
            "gaps?iterations=0",
            "gaps?region=",
        ] {
            let refused = text.parse::<RangedQuestion>().unwrap_err();
            assert!(!matches!(refused, QuestionError::TwoParts), "{text}");
        }
        let refused = "leaks?region=a".parse::<RangedQuestion>().unwrap_err();
        assert!(refused.to_string().starts_with("this query has no parameter `region`"), "{refused}");
    }
}
