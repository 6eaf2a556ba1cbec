//! How the main figures of listed traces went: for each program and machine by itself, since times of two machines say nothing of the
//! program, in the order of commits.

use std::collections::{BTreeMap, HashMap};

use syclscope_engine::compare::find_steps;
use syclscope_language::api::{Figures, HistoryRun, ListedTrace, MachineHistory, Series, SeriesUnit};

/// Labels that say which commit a trace is of, and which machine it ran on.
const COMMIT: &str = "commit";
const MACHINE: &str = "machine";

/// A figure with its name and unit; `None` where a trace does not have it.
type Figure = (&'static str, SeriesUnit, fn(&Figures) -> Option<u64>);

/// What the list shows of every trace.
const FIGURES: [Figure; 6] = [
    ("duration", SeriesUnit::Nanoseconds, |figures| Some(figures.duration_ns)),
    ("busy", SeriesUnit::Nanoseconds, |figures| Some(figures.busy_ns)),
    ("commands", SeriesUnit::Count, |figures| Some(figures.commands)),
    ("kernels", SeriesUnit::Count, |figures| Some(figures.kernels)),
    ("findings", SeriesUnit::Count, |figures| Some(figures.findings)),
    ("problems", SeriesUnit::Count, |figures| Some(figures.problems)),
];

/// The histories of some traces, most runs first. Traces whose figures are not known yet are left out.
pub(crate) fn of(traces: Vec<ListedTrace>) -> Vec<MachineHistory> {
    let mut groups: BTreeMap<(String, String), Vec<(ListedTrace, Figures)>> = BTreeMap::new();
    for mut trace in traces {
        let Some(figures) = trace.figures.take() else { continue };
        let machine = label(&trace, MACHINE).unwrap_or_else(|| figures.devices.join(", "));
        groups.entry((figures.program.clone(), machine)).or_default().push((trace, figures));
    }
    let mut histories: Vec<MachineHistory> =
        groups.into_iter().map(|((program, machine), traces)| one(program, machine, traces)).collect();
    histories.sort_by_key(|history| std::cmp::Reverse(history.runs.len()));
    histories
}

fn one(program: String, machine: String, mut traces: Vec<(ListedTrace, Figures)>) -> MachineHistory {
    // Runs of one commit stand together, where the first of them was stored: a commit may be measured again later.
    let mut first: HashMap<String, u64> = HashMap::new();
    for (trace, _) in &traces {
        if let Some(commit) = label(trace, COMMIT) {
            let known = first.entry(commit).or_insert(trace.stored_unix_ns);
            *known = trace.stored_unix_ns.min(*known);
        }
    }
    traces.sort_by_cached_key(|(trace, _)| {
        let commit = label(trace, COMMIT);
        let begun = commit.as_ref().and_then(|commit| first.get(commit)).copied();
        (begun.unwrap_or(trace.stored_unix_ns), commit, trace.stored_unix_ns, trace.id.clone())
    });
    let series = |name: &str, unit, of: &dyn Fn(&Figures) -> Option<u64>| Series {
        name: name.to_owned(),
        unit,
        values: traces.iter().map(|(_, figures)| of(figures)).collect(),
        steps: Vec::new(),
    };
    let mut all: Vec<Series> = FIGURES.iter().map(|(name, unit, of)| series(name, *unit, of)).collect();
    // The kernel that is the busiest now: where another one was, nothing is known of this one.
    let busiest = traces.iter().rev().find_map(|(_, figures)| figures.busiest.as_ref());
    if let Some(name) = busiest.map(|busiest| busiest.name.clone()) {
        let of = |figures: &Figures| {
            figures.busiest.as_ref().filter(|busiest| busiest.name == name).map(|busiest| busiest.total_ns)
        };
        all.push(series(&name, SeriesUnit::Nanoseconds, &of));
    }
    find_steps(&mut all);
    let run = |(trace, _): &(ListedTrace, Figures)| HistoryRun {
        id: trace.id.clone(),
        name: trace.name.clone(),
        commit: label(trace, COMMIT),
        stored_unix_ns: trace.stored_unix_ns,
    };
    MachineHistory { program, machine, runs: traces.iter().map(run).collect(), series: all }
}

fn label(trace: &ListedTrace, key: &str) -> Option<String> {
    trace.labels.iter().find(|label| label.key == key).map(|label| label.value.clone())
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::Label;

    use super::*;

    fn trace(number: u64, commit: &str, duration_ns: u64) -> ListedTrace {
        let figures = Figures { duration_ns, devices: vec!["GPU".into()], ..Figures::default() };
        ListedTrace {
            id: format!("trace{number}"),
            stored_unix_ns: number,
            labels: vec![Label { key: COMMIT.into(), value: commit.into() }],
            figures: Some(figures),
            ..ListedTrace::default()
        }
    }

    #[test]
    fn a_commit_that_is_measured_again_stays_where_it_was() {
        let found = of(vec![trace(3, "old", 9), trace(2, "new", 8), trace(1, "old", 7)]);
        let ids: Vec<&str> = found[0].runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!((ids, found[0].machine.as_str()), (vec!["trace1", "trace3", "trace2"], "GPU"));
        assert_eq!(found[0].series[0].values, [Some(7), Some(9), Some(8)]);
    }

    #[test]
    fn machines_are_apart() {
        let mut other = trace(2, "a", 5);
        other.labels.push(Label { key: MACHINE.into(), value: "node7".into() });
        let unknown = ListedTrace { figures: None, ..trace(3, "a", 5) };
        let machines: Vec<String> =
            of(vec![trace(1, "a", 5), other, unknown]).into_iter().map(|found| found.machine).collect();
        assert_eq!(machines, ["GPU", "node7"]);
    }
}
