//! The part of each run that a comparison covers.

use std::fmt;
use std::str::FromStr;

use super::QuestionError;
use super::params::{ParamWriter, Params};

/// A part of a run: a time range, or iterations of its main loop or of a region. Its parameters are written after those
/// of a comparison's query: `part_from=NS&part_to=NS`, or `iterations=5-120&region=NAME`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartOfRun {
    /// `part_from`: start in nanoseconds, in each run.
    pub from_ns: Option<u64>,
    /// `part_to`: end in nanoseconds.
    pub to_ns: Option<u64>,
    /// `iterations`: numbers of the first and the last iteration, counted from 1.
    pub iterations: Option<(u64, u64)>,
    /// `region`: name of the regions that are the iterations, with numbers if only some of them count: `NAME#3`,
    /// `NAME#3-7`.
    pub region: Option<String>,
}

/// Names of the parameters.
const NAMES: [&str; 4] = ["part_from", "part_to", "iterations", "region"];
const TIME: &str = "nanoseconds";
const NUMBERS: &str = "the number of an iteration, or the first and the last, like 5-120";

impl PartOfRun {
    /// The whole run.
    pub const WHOLE: Self = Self { from_ns: None, to_ns: None, iterations: None, region: None };

    /// True for the whole run.
    pub fn is_whole(&self) -> bool {
        *self == Self::WHOLE
    }

    /// Splits the text of a query into the part of the run and the rest.
    ///
    /// # Errors
    /// Returns an error if a parameter is invalid, or the part is given in two ways.
    pub fn split(text: &str) -> Result<(Self, String), QuestionError> {
        let Some((name, params)) = text.split_once('?') else {
            return Ok((Self::default(), text.to_owned()));
        };
        let is_own = |pair: &&str| NAMES.contains(&pair.split('=').next().unwrap_or_default());
        let (own, others): (Vec<&str>, Vec<&str>) = params.split('&').partition(is_own);
        let rest = if others.is_empty() { name.to_owned() } else { format!("{name}?{}", others.join("&")) };
        Ok((own.join("&").parse()?, rest))
    }

    /// Appends the parameters of the part to the text of a query.
    pub fn with(&self, question: &impl fmt::Display) -> String {
        let (text, own) = (question.to_string(), self.to_string());
        let sign = if text.contains('?') { "&" } else { "?" };
        if own.is_empty() { text } else { format!("{text}{sign}{own}") }
    }

    /// Returns a name that is the same in all runs; empty for the whole run. `duration` formats nanoseconds.
    pub fn name(&self, duration: impl Fn(u64) -> String) -> String {
        let iterations = self.iterations.map(|numbers| {
            let noun = if numbers.0 == numbers.1 { "iteration" } else { "iterations" };
            format!("{noun} {}", iteration_words(numbers))
        });
        match (iterations, &self.region) {
            (Some(iterations), Some(region)) => format!("{iterations} of region {region}"),
            (Some(iterations), None) => iterations,
            (None, Some(region)) => format!("region {region}"),
            (None, None) => match (self.from_ns.filter(|from| *from > 0), self.to_ns) {
                (Some(from), Some(to)) => format!("from {} to {}", duration(from), duration(to)),
                (Some(from), None) => format!("from {} on", duration(from)),
                (None, Some(to)) => format!("up to {}", duration(to)),
                (None, None) => String::new(),
            },
        }
    }

    /// Returns the name of the region without iteration numbers.
    pub(super) fn region_name(&self) -> Option<&str> {
        self.region_with_numbers().map(|(name, _)| name).or(self.region.as_deref())
    }

    /// Returns the name of the region and the iteration numbers at its end; `None` if it has no numbers.
    pub fn region_with_numbers(&self) -> Option<(&str, (u64, u64))> {
        let (name, numbers) = self.region.as_deref()?.rsplit_once('#')?;
        Some((name, iteration_numbers(numbers)?)).filter(|_| self.iterations.is_none() && !name.is_empty())
    }
}

/// Parses the number of an iteration, or a range of numbers (`5-120`).
pub fn iteration_numbers(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let numbers = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    Some(numbers).filter(|(first, last)| 1 <= *first && first <= last)
}

/// Formats numbers so that [`iteration_numbers`] can parse them.
pub fn iteration_words((first, last): (u64, u64)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

impl FromStr for PartOfRun {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let mut params = Params::read(text)?;
        let part = Self {
            from_ns: params.get("part_from", TIME)?,
            to_ns: params.get("part_to", TIME)?,
            iterations: params.parse("iterations", NUMBERS, iteration_numbers)?,
            region: params.text("region").filter(|region| !region.is_empty()),
        };
        params.finish()?;
        let has_loop = part.iterations.is_some() || part.region.is_some();
        match (part.from_ns, part.to_ns) {
            (Some(from), Some(to)) if from >= to => Err(QuestionError::Reversed { from, to }),
            (from, to) if has_loop && (from.is_some() || to.is_some()) => Err(QuestionError::TwoParts),
            _ => Ok(part),
        }
    }
}

impl fmt::Display for PartOfRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = ParamWriter::beside(f);
        out.pair("part_from", self.from_ns)?;
        out.pair("part_to", self.to_ns)?;
        out.pair("iterations", self.iterations.map(iteration_words))?;
        out.pair("region", self.region.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::CompareQuestion;

    #[test]
    fn texts_round_trip_beside_those_of_queries() {
        for text in
            ["", "part_from=5", "part_from=5&part_to=9", "iterations=7", "iterations=5-120&region=a%20b%233"]
        {
            let part: PartOfRun = text.parse().unwrap();
            assert_eq!((part.to_string().as_str(), part.is_whole()), (text, text.is_empty()));
            for question in ["overview", "anchors?side=b&from=0&to=70"] {
                let question: CompareQuestion = question.parse().unwrap();
                let (own, rest) = PartOfRun::split(&part.with(&question)).unwrap();
                assert_eq!((own, rest.parse::<CompareQuestion>().unwrap()), (part.clone(), question));
            }
        }
        for wrong in
            ["part_from=9&part_to=5", "iterations=0", "iterations=7-5", "part_from=1&region=a", "part_to=x"]
        {
            assert!(wrong.parse::<PartOfRun>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn iterations_are_one_or_several() {
        assert_eq!((iteration_numbers("7"), iteration_numbers("5-120")), (Some((7, 7)), Some((5, 120))));
        for text in ["", "0", "5-", "7-5", "-3", "a-b"] {
            assert_eq!(iteration_numbers(text), None, "{text}");
        }
        let of = |region: &str| PartOfRun { region: Some(region.to_owned()), ..PartOfRun::default() };
        assert_eq!(of("solve#3-7").region_with_numbers(), Some(("solve", (3, 7))));
        assert_eq!(of("a#b#3").region_with_numbers(), Some(("a#b", (3, 3))));
        for text in ["solve", "#3", "solve#x", "solve#0"] {
            assert_eq!(of(text).region_with_numbers(), None, "{text}");
        }
    }

    #[test]
    fn names_are_those_of_every_run() {
        let name = |text: &str| text.parse::<PartOfRun>().unwrap().name(|ns| format!("{ns} ns"));
        for (text, wanted) in [
            ("", ""),
            ("part_from=0", ""),
            ("part_from=5&part_to=9", "from 5 ns to 9 ns"),
            ("iterations=7", "iteration 7"),
            ("iterations=5-120&region=solve", "iterations 5-120 of region solve"),
        ] {
            assert_eq!(name(text), wanted);
        }
    }
}
