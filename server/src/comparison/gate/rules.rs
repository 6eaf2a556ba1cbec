//! What a gate allows, as a file in TOML.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Why a file holds no rules.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RulesError {
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error("{name} = {value}: expected a number that may be added, or a part like \"5 %\"")]
    Allowance { name: String, value: String },
}

/// How much more a figure may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowance {
    /// So much more than before.
    More(u64),
    /// So much more, as a part of what it was.
    Part(f64),
    /// No more than this, whatever it was.
    Most(u64),
}

impl Allowance {
    /// The most that is allowed, where it was `before`.
    pub(crate) fn most(self, before: u64) -> u64 {
        match self {
            Self::More(more) => before.saturating_add(more),
            Self::Part(part) => before.saturating_add((before as f64 * part) as u64),
            Self::Most(most) => most,
        }
    }

    /// Whether it depends on what was before.
    pub(crate) fn is_relative(self) -> bool {
        !matches!(self, Self::Most(_))
    }
}

/// What is allowed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rules {
    /// By name, or by the begin of a name before a `*`.
    figures: BTreeMap<String, Allowance>,
    /// How much slower the whole run may be, as a part of 1; `None` does not look at it.
    pub(crate) wall: Option<f64>,
    /// The same for each kernel, copy and other command.
    pub(crate) kernels: Option<f64>,
    /// Commands with a smaller part of the device time before are left out.
    pub(crate) least_share: f64,
}

/// No more of anything that costs; times as the verdicts say.
impl Default for Rules {
    fn default() -> Self {
        let names = [
            "commands",
            "launches",
            "edges",
            "copies_*",
            "bytes_*",
            "peak_*",
            "serialised",
            "leaks",
            "leaked_bytes",
            "finding_*",
        ];
        let figures = names.into_iter().map(|name| (name.to_owned(), Allowance::More(0))).collect();
        Self { figures, wall: Some(0.0), kernels: Some(0.0), least_share: 0.01 }
    }
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    figures: BTreeMap<String, Written>,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
    #[serde(default)]
    times: Times,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    wall: Option<Written>,
    kernels: Option<Written>,
    least_share: Option<Written>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Text(String),
}

impl Rules {
    /// Reads rules.
    pub(crate) fn read(text: &str) -> Result<Self, RulesError> {
        let file: File = toml::from_str(text)?;
        let mut figures = BTreeMap::new();
        for (name, written) in file.figures {
            let allowance = match written {
                Written::Number(more) => Allowance::More(more),
                Written::Text(value) => Allowance::Part(part(&name, &value)?),
            };
            figures.insert(name, allowance);
        }
        figures.extend(file.limits.into_iter().map(|(name, most)| (name, Allowance::Most(most))));
        let of = |name: &str, written: Option<Written>| match written {
            None => Ok(None),
            Some(Written::Text(value)) => part(name, &value).map(Some),
            Some(Written::Number(value)) => {
                Err(RulesError::Allowance { name: name.to_owned(), value: value.to_string() })
            }
        };
        Ok(Self {
            figures,
            wall: of("wall", file.times.wall)?,
            kernels: of("kernels", file.times.kernels)?,
            least_share: of("least_share", file.times.least_share)?.unwrap_or(0.01),
        })
    }

    /// What is allowed for a figure: by its whole name, else by the longest begin of it.
    pub(crate) fn figure(&self, name: &str) -> Option<Allowance> {
        let begins = |rule: &str| rule.strip_suffix('*').is_some_and(|begin| name.starts_with(begin));
        let by_begin = || {
            self.figures
                .iter()
                .filter(|(rule, _)| begins(rule))
                .max_by_key(|(rule, _)| rule.len())
                .map(|(_, found)| *found)
        };
        self.figures.get(name).copied().or_else(by_begin)
    }

    /// The rules for whole names.
    pub(crate) fn exact_figures(&self) -> impl Iterator<Item = (&str, Allowance)> {
        self.figures
            .iter()
            .filter(|(name, _)| !name.ends_with('*'))
            .map(|(name, found)| (name.as_str(), *found))
    }
}

/// A part like `5 %`, as a part of 1.
fn part(name: &str, value: &str) -> Result<f64, RulesError> {
    let number = value.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    number
        .filter(|number| number.is_finite() && *number >= 0.0)
        .map(|number| number / 100.0)
        .ok_or_else(|| RulesError::Allowance { name: name.to_owned(), value: value.to_owned() })
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
        assert_eq!(rules.figure("commands").unwrap().most(10), 13);
        assert_eq!(rules.figure("bytes_device_to_host").unwrap().most(100), 110);
        assert_eq!(rules.figure("bytes_host_to_device").unwrap().most(100), 100);
        assert_eq!(rules.figure("leaks").unwrap().most(100), 2);
        assert_eq!((rules.figure("edges"), rules.wall, rules.kernels), (None, Some(0.05), None));
        for wrong in ["[figures]\ncommands = \"many\"", "[times]\nwall = 5", "[figure]\na = 1", "x"] {
            assert!(Rules::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Rules::default().figure("finding_wait_after_kernel"), Some(Allowance::More(0)));
    }
}
