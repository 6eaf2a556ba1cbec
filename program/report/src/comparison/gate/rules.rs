//! A gate's rules, which are read from a TOML file.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error("{name} = {value}: expected a number, or a percentage like \"5 %\"")]
    Allowance { name: String, value: String },
    #[error("{name} = {value}: expected a percentage like \"5 %\"")]
    Part { name: String, value: String },
    #[error("{name}: unknown metric; docs/COMPARE.md lists them; a name may end with *")]
    Unknown { name: String },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// Maximum increase over the baseline.
    More(u64),
    /// Maximum increase as a fraction of the baseline.
    Part(f64),
    /// Maximum, independent of the baseline.
    Most(u64),
}

impl Allowance {
    /// Returns the limit for a baseline value.
    pub fn most(self, before: u64) -> u64 {
        match self {
            Self::More(more) => before.saturating_add(more),
            Self::Part(part) => before.saturating_add(part_of(before, part)),
            Self::Most(most) => most,
        }
    }

    pub fn is_relative(self) -> bool {
        !matches!(self, Self::Most(_))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// By name, or by the prefix of a name before a `*`.
    figures: BTreeMap<String, Allowance>,
    /// By name like `figures`; both apply.
    limits: BTreeMap<String, Allowance>,
    /// Allowed slowdown of the whole run, as a fraction; 0 rejects any significant slowdown, `None` disables
    /// the check.
    pub duration: Option<f64>,
    /// Like `duration`, for each kernel, copy and other command.
    pub kernels: Option<f64>,
    /// Commands with a smaller share of either side's device time are ignored.
    pub least_share: f64,
}

/// No increase of any cost, and no significant slowdown.
impl Default for Rules {
    fn default() -> Self {
        let names = [
            "commands",
            "launches",
            "edges",
            "copies_*",
            "bytes_*",
            "peak_*",
            "leaks",
            "leaked_bytes",
            "finding_*",
        ];
        let figures = names.into_iter().map(|name| (name.to_owned(), Allowance::More(0))).collect();
        let limits = BTreeMap::new();
        Self { figures, limits, duration: Some(0.0), kernels: Some(0.0), least_share: 0.01 }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    figures: BTreeMap<String, TomlValue>,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
    #[serde(default)]
    times: Times,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    // The former name.
    #[serde(alias = "wall")]
    duration: Option<TomlValue>,
    kernels: Option<TomlValue>,
    least_share: Option<TomlValue>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TomlValue {
    Number(u64),
    Text(String),
    Other(toml::Value),
}

/// Metrics of a run, or prefixes of their names.
const FIGURES: [&str; 13] = [
    "commands",
    "launches",
    "edges",
    "host_tasks",
    "waits",
    "calls",
    "builds",
    "allocations",
    "leaks",
    "leaked_bytes",
    "serialised",
    "peak_",
    "finding_",
];
const DIRECTED: [&str; 2] = ["copies_", "bytes_"];

fn is_known(name: &str) -> bool {
    let families = FIGURES.iter().chain(&DIRECTED).filter(|known| known.ends_with('_'));
    match name.strip_suffix('*') {
        Some(begin) => {
            !begin.contains('*')
                && FIGURES.iter().chain(&DIRECTED).any(|known| {
                    known.starts_with(begin) || (known.ends_with('_') && begin.starts_with(known))
                })
        }
        None => FIGURES.contains(&name) || families.into_iter().any(|known| name.starts_with(known)),
    }
}

impl Rules {
    pub fn read(text: &str) -> Result<Self, RulesError> {
        let file: File = toml::from_str(text)?;
        let mut figures = BTreeMap::new();
        for (name, value) in file.figures {
            let wrong = |value: String| RulesError::Allowance { name: name.clone(), value };
            let allowance = match value {
                TomlValue::Number(more) => Allowance::More(more),
                TomlValue::Text(value) => Allowance::Part(part(&value).ok_or_else(|| wrong(quoted(&value)))?),
                TomlValue::Other(value) => return Err(wrong(describe(&value))),
            };
            figures.insert(name, allowance);
        }
        let limits: BTreeMap<String, Allowance> =
            file.limits.into_iter().map(|(name, most)| (name, Allowance::Most(most))).collect();
        if let Some(name) = figures.keys().chain(limits.keys()).find(|name| !is_known(name)) {
            return Err(RulesError::Unknown { name: name.clone() });
        }
        let share = |name: &str, value: Option<TomlValue>| {
            let wrong = |value: String| Err(RulesError::Part { name: name.to_owned(), value });
            match value {
                None => Ok(None),
                Some(TomlValue::Text(value)) => {
                    part(&value).map_or_else(|| wrong(quoted(&value)), |part| Ok(Some(part)))
                }
                Some(TomlValue::Number(value)) => wrong(value.to_string()),
                Some(TomlValue::Other(value)) => wrong(describe(&value)),
            }
        };
        Ok(Self {
            figures,
            limits,
            duration: share("duration", file.times.duration)?,
            kernels: share("kernels", file.times.kernels)?,
            least_share: share("least_share", file.times.least_share)?.unwrap_or(0.01),
        })
    }

    /// Returns the allowances of a metric, at most one increase and one limit: by its full name, or by its
    /// longest prefix.
    pub fn figure(&self, name: &str) -> impl Iterator<Item = Allowance> {
        let begins = |rule: &str| rule.strip_suffix('*').is_some_and(|begin| name.starts_with(begin));
        let of = |rules: &BTreeMap<String, Allowance>| {
            let by_begin = rules.iter().filter(|(rule, _)| begins(rule)).max_by_key(|(rule, _)| rule.len());
            rules.get(name).or(by_begin.map(|(_, found)| found)).copied()
        };
        [of(&self.figures), of(&self.limits)].into_iter().flatten()
    }

    pub fn exact_figures(&self) -> impl Iterator<Item = (&str, Allowance)> {
        self.figures
            .iter()
            .chain(&self.limits)
            .filter(|(name, _)| !name.ends_with('*'))
            .map(|(name, found)| (name.as_str(), *found))
    }
}

/// Returns a fraction of a number, rounded down. 29 % of 100 is 29, though 0.29 is a little less in binary.
fn part_of(number: u64, part: f64) -> u64 {
    let exact = number as f64 * part;
    let nearest = exact.round();
    let is_whole = (exact - nearest).abs() <= nearest * 1e-12;
    (if is_whole { nearest } else { exact }) as u64
}

/// Parses a share like `5 %` as a fraction.
fn part(value: &str) -> Option<f64> {
    let number = value.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    number.filter(|number| number.is_finite() && *number >= 0.0).map(|number| number / 100.0)
}

/// Describes an invalid value as written in the file, or by its type.
fn describe(value: &toml::Value) -> String {
    match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(truth) => truth.to_string(),
        other => other.type_str().to_owned(),
    }
}

fn quoted(value: &str) -> String {
    format!("\"{value}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_numbers_parts_and_limits() {
        let rules = Rules::read(
            "[figures]\ncommands = 3\n\"bytes_*\" = \"10 %\"\nbytes_host_to_device = 0\n[limits]\nleaks = 2\n[times]\nwall = \"5 %\"\n",
        )
        .unwrap();
        let most = |name: &str, before| -> Vec<u64> {
            rules.figure(name).map(|allowance| allowance.most(before)).collect()
        };
        assert_eq!(most("commands", 10), [13]);
        assert_eq!(most("bytes_device_to_host", 100), [110]);
        assert_eq!(most("bytes_host_to_device", 100), [100]);
        assert_eq!(most("leaks", 100), [2]);
        assert_eq!((most("edges", 1), rules.duration, rules.kernels), (Vec::new(), Some(0.05), None));
        for wrong in ["[figure]\na = 1", "x"] {
            assert!(Rules::read(wrong).is_err(), "{wrong}");
        }
        let by_default: Vec<_> = Rules::default().figure("finding_wait_after_kernel").collect();
        assert_eq!(by_default, [Allowance::More(0)]);
    }

    #[test]
    fn whole_parts_are_allowed() {
        for percent in 0..=200 {
            let rules = Rules::read(&format!("[figures]\ncommands = \"{percent} %\"\n")).unwrap();
            let most = |before| rules.figure("commands").next().unwrap().most(before);
            assert_eq!([most(0), most(100), most(300_000)], [0, 100 + percent, 300_000 + 3_000 * percent]);
        }
        assert_eq!(Allowance::Part(0.1).most(19), 20, "less than two more are one more");
    }

    #[test]
    fn an_addition_and_a_limit_of_one_name_both_hold() {
        let rules = Rules::read("[figures]\ncommands = 0\n[limits]\ncommands = 1000\n").unwrap();
        let most: Vec<_> = rules.figure("commands").map(|allowance| allowance.most(125)).collect();
        assert_eq!(most, [125, 1000]);
    }

    #[test]
    fn what_can_not_be_meant_is_named() {
        for (wrong, words) in [
            ("[figures]\ncomands = 0", "comands: unknown metric"),
            ("[limits]\nleak = 0", "leak: unknown metric"),
            ("[figures]\n\"f*g\" = 0", "f*g: unknown metric"),
            ("[figures]\nedges = -1", "edges = -1: expected a number, or a percentage"),
            ("[figures]\nedges = \"5\"", "edges = \"5\": expected a number, or a percentage"),
            ("[times]\nwall = 10", "duration = 10: expected a percentage like \"5 %\""),
        ] {
            let error = Rules::read(wrong).unwrap_err().to_string();
            assert!(error.starts_with(words), "{error}");
        }
        for right in
            ["\"bytes_*\"", "\"*\"", "copies_host_to_device", "finding_too_short", "\"peak_device*\""]
        {
            Rules::read(&format!("[figures]\n{right} = 0")).unwrap();
        }
    }
}
