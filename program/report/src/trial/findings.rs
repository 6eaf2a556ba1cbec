//! Findings of several runs of one program, and their counterparts in other runs.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use syclscope_language::api::{Finding, FindingIterations, LocationInfo, Severity};

/// Identity of a finding: kind and source location, filter, and index among findings of a run with the same
/// two.
type Key = (String, String, u32);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerFinding {
    /// Kind and source location: `wait_after_kernel@heat.cpp:12`. The second one at a location ends with
    /// `#2`.
    pub id: String,
    /// Stable name of its rule.
    pub kind: String,
    pub is_error: bool,
    pub message: String,
    pub location: Option<LocationInfo>,
    /// Filter for the finding in a view; empty if there is none.
    pub filter: String,
    /// Its data on the steady iterations, from the first run with the finding; `None` if it has none.
    pub iterations: Option<FindingIterations>,
    /// Number of occurrences in the first run with the finding.
    pub count: u64,
    /// Median gain of the runs with the finding, in ns; `None` without a gain.
    pub gain_ns: Option<u64>,
    pub no_gain: String,
    /// Median of the affected times, in ns.
    pub touches_ns: u64,
    /// Number of runs with the finding.
    pub runs: u32,
}

impl LedgerFinding {
    /// Returns its source location for display: `heat.cpp:12`, empty if unknown.
    pub fn place(&self) -> String {
        self.location.as_ref().map_or_else(String::new, place)
    }

    fn file(&self) -> &str {
        self.location.as_ref().map_or("", |location| base_name(&location.file))
    }

    /// Returns the distance to a later finding of the same kind and file, which weighs filters first, then
    /// functions, then lines. `None` for other kinds and files, and for other filters if the location is
    /// unknown.
    fn distance(&self, other: &Self, renamed: Option<&RenamedFile>) -> Option<(bool, bool, u32)> {
        let is_other = self.filter != other.filter;
        let has_place = !self.file().is_empty();
        let is_renamed =
            renamed.is_some_and(|names| names.before == self.file() && names.now == other.file());
        let is_same_file = is_renamed || self.file() == other.file();
        let is_alike = self.kind == other.kind && is_same_file && (has_place || !is_other);
        let of = |finding: &Self| finding.location.clone().unwrap_or_default();
        let (own, its) = (of(self), of(other));
        is_alike.then(|| (is_other, own.function != its.function, own.line.abs_diff(its.line)))
    }
}

/// Returns the findings of several runs in the order of the first run with each, errors first.
pub fn findings_of_runs<'f>(runs: impl IntoIterator<Item = &'f [Finding]>) -> Vec<LedgerFinding> {
    let mut found: Vec<LedgerFinding> = Vec::new();
    let mut times: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    let mut ids: HashMap<String, u32> = HashMap::new();
    for run in runs {
        let mut seen: HashMap<(String, String), u32> = HashMap::new();
        for finding in run {
            let (id, filter) = (id(finding), finding.filter.clone());
            let count = seen.entry((id.clone(), filter.clone())).or_default();
            *count += 1;
            let number = *numbers.entry((id.clone(), filter, *count)).or_insert_with(|| {
                let count = ids.entry(id.clone()).or_default();
                *count += 1;
                found.push(first_occurrence(if *count == 1 { id } else { format!("{id}#{count}") }, finding));
                times.push((Vec::new(), Vec::new()));
                found.len() - 1
            });
            found[number].runs += 1;
            times[number].0.extend(finding.gain.as_ref().map(|gain| gain.ns));
            times[number].1.push(finding.touches_ns);
        }
    }
    for (finding, (gains, touched)) in found.iter_mut().zip(&mut times) {
        finding.gain_ns = median(gains);
        finding.touches_ns = median(touched).unwrap_or_default();
        if finding.gain_ns.is_some() {
            finding.no_gain.clear();
        }
    }
    found.sort_by_key(|finding| !finding.is_error);
    found
}

/// A source file with another name in the later runs. Both names are without folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamedFile {
    pub before: String,
    pub now: String,
}

/// Returns the counterpart in `now` of each finding in `before`. Edits move lines, so a counterpart is the
/// nearest finding of the same kind and file.
pub(super) fn partners(
    before: &[LedgerFinding],
    now: &[LedgerFinding],
    renamed: Option<&RenamedFile>,
) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    for (a, one) in before.iter().enumerate() {
        for (b, other) in now.iter().enumerate() {
            pairs.extend(one.distance(other, renamed).map(|distance| (distance, a, b)));
        }
    }
    pairs.sort_unstable();
    let mut partners = vec![None; before.len()];
    let mut is_taken = vec![false; now.len()];
    for (_, a, b) in pairs {
        if partners[a].is_none() && !is_taken[b] {
            partners[a] = Some(b);
            is_taken[b] = true;
        }
    }
    partners
}

fn first_occurrence(id: String, finding: &Finding) -> LedgerFinding {
    LedgerFinding {
        id,
        kind: finding.kind.clone(),
        is_error: finding.severity == Severity::Error,
        message: finding.message.clone(),
        location: finding.location.clone().filter(|location| !location.file.is_empty()),
        filter: finding.filter.clone(),
        iterations: finding.iterations.clone(),
        count: finding.count,
        no_gain: finding.no_gain.clone(),
        ..LedgerFinding::default()
    }
}

fn id(finding: &Finding) -> String {
    let location = finding.location.as_ref().filter(|location| !location.file.is_empty());
    match location {
        Some(location) => format!("{}@{}", finding.kind, place(location)),
        None => finding.kind.clone(),
    }
}

fn place(location: &LocationInfo) -> String {
    let file = base_name(&location.file);
    if location.line == 0 { file.to_owned() } else { format!("{file}:{}", location.line) }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the median; of an even number of values, the lower of the middle two.
fn median(values: &mut [u64]) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_language::api::Gain;

    use super::*;

    fn finding(kind: &str, file: &str, line: u32, gain_ns: Option<u64>) -> Finding {
        let location = LocationInfo { file: file.to_owned(), line, ..LocationInfo::default() };
        Finding {
            kind: kind.to_owned(),
            location: Some(location),
            gain: gain_ns.map(|ns| Gain { ns, ..Gain::default() }),
            touches_ns: 10,
            ..Finding::default()
        }
    }

    fn ids(found: &[LedgerFinding]) -> Vec<&str> {
        found.iter().map(|finding| finding.id.as_str()).collect()
    }

    #[test]
    fn findings_of_runs_are_one_list_in_the_order_of_the_first_run() {
        let wait = |ns| finding("wait_after_kernel", "/home/me/heat.cpp", 12, Some(ns));
        let build = finding("build_inside_run", "", 0, Some(50));
        let leak = Finding { severity: Severity::Error, ..finding("leak", "a.cpp", 1, None) };
        let runs = [vec![wait(30), build.clone()], vec![wait(10)], vec![wait(20), leak]];
        let found = findings_of_runs(runs.iter().map(Vec::as_slice));
        assert_eq!(ids(&found), ["leak@a.cpp:1", "wait_after_kernel@heat.cpp:12", "build_inside_run"]);
        let counts: Vec<_> = found.iter().map(|finding| (finding.runs, finding.gain_ns)).collect();
        assert_eq!(counts, [(1, None), (3, Some(20)), (1, Some(50))]);
    }

    #[test]
    fn two_findings_of_one_place_have_two_ids() {
        let twice =
            [finding("copy_unchanged", "a.cpp", 3, Some(9)), finding("copy_unchanged", "a.cpp", 3, Some(4))];
        let found = findings_of_runs([&twice[..], &twice[..]]);
        assert_eq!(ids(&found), ["copy_unchanged@a.cpp:3", "copy_unchanged@a.cpp:3#2"]);
        assert!(found.iter().all(|finding| finding.runs == 2));
    }

    #[test]
    fn findings_without_a_place_are_told_apart_by_their_filters() {
        let of = |name: &str| Finding {
            filter: format!("name:{name}"),
            iterations: Some(FindingIterations { iterations: 7, ..FindingIterations::default() }),
            ..finding("long_kernel", "", 0, Some(5))
        };
        let found = findings_of_runs([&[of("a"), of("b")][..], &[of("b")][..]]);
        let those: Vec<_> =
            found.iter().map(|one| (one.id.as_str(), one.filter.as_str(), one.runs)).collect();
        assert_eq!(those, [("long_kernel", "name:a", 1), ("long_kernel#2", "name:b", 2)]);
        assert_eq!(found[0].iterations, of("a").iterations);
        let now = findings_of_runs([&[of("b")][..]]);
        assert_eq!(partners(&found, &now, None), [None, Some(0)]);
        // If the location is known, the filter decides first.
        let at =
            |name, line| Finding { filter: of(name).filter, ..finding("long_kernel", "a.cpp", line, None) };
        let (before, now) =
            (findings_of_runs([&[at("a", 10)][..]]), findings_of_runs([&[at("b", 10), at("a", 30)][..]]));
        assert_eq!(partners(&before, &now, None), [Some(1)]);
    }

    #[test]
    fn partners_follow_lines_that_moved() {
        let at = |line| finding("wait_after_kernel", "heat.cpp", line, Some(1));
        let of = |findings: &[Finding]| findings_of_runs([findings]);
        // The finding of line 10 is gone, and two lines with it.
        let (before, now) = (of(&[at(10), at(50)]), of(&[at(48)]));
        assert_eq!(ids(&before)[1], "wait_after_kernel@heat.cpp:50");
        assert_eq!(partners(&before, &now, None), [None, Some(0)]);
        let other = of(&[finding("wait_after_kernel", "other.cpp", 10, Some(1))]);
        assert_eq!(partners(&before, &other, None), [None, None]);
        let names = RenamedFile { before: "heat.cpp".to_owned(), now: "other.cpp".to_owned() };
        assert_eq!(partners(&before, &other, Some(&names)), [Some(0), None]);
        assert_eq!(partners(&other, &before, Some(&names)), [None]);
        let unknown = of(&[finding("wait_after_kernel", "", 0, Some(1))]);
        assert_eq!(partners(&unknown, &unknown, None), [Some(0)]);
    }

    proptest! {
        #[test]
        fn numbering_is_the_same_in_any_order_of_runs(
            runs in prop::collection::vec(prop::collection::vec((0..3_u32, 1..4_u32, 0..100_u64), 0..6), 1..5),
        ) {
            let runs: Vec<Vec<Finding>> = runs
                .into_iter()
                .map(|run| {
                    let of = |(kind, line, ns): (u32, u32, u64)| finding(&format!("kind{kind}"), "a.cpp", line, Some(ns));
                    run.into_iter().map(of).collect()
                })
                .collect();
            let forward = findings_of_runs(runs.iter().map(Vec::as_slice));
            let backward = findings_of_runs(runs.iter().rev().map(Vec::as_slice));
            let sorted = |found: &[LedgerFinding]| {
                let mut ids: Vec<String> = found.iter().map(|finding| finding.id.clone()).collect();
                ids.sort();
                ids
            };
            prop_assert_eq!(sorted(&forward), sorted(&backward));
            let unique: std::collections::HashSet<_> = ids(&forward).into_iter().collect();
            prop_assert_eq!(unique.len(), forward.len());
            // Findings are their own partners.
            for (own, partner) in partners(&forward, &forward, None).into_iter().enumerate() {
                prop_assert_eq!(partner.map(|partner| forward[partner].place()), Some(forward[own].place()));
            }
        }
    }
}
