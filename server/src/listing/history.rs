//! History of listed traces' metrics and times, in the order of commits, separately for each program and
//! machine, since times of two machines can't be compared.

use std::collections::{BTreeMap, HashMap};

use syclscope_engine::compare::{Sample, find_steps, series_of};
use syclscope_language::api::{Figures, HistoryRun, ListedTrace, MachineHistory, Series, SeriesUnit};

/// Labels with the commit and the machine of a trace.
const COMMIT: &str = "commit";
const MACHINE: &str = "machine";

struct Run {
    trace: ListedTrace,
    figures: Figures,
    sample: Sample,
}

/// Returns the histories of traces, most runs first; `samples` has their stored samples, as JSON by id.
/// Traces without a sample are left out.
pub(crate) fn histories(
    traces: Vec<ListedTrace>,
    mut samples: HashMap<String, String>,
) -> Vec<MachineHistory> {
    let mut groups: BTreeMap<(String, String), Vec<Run>> = BTreeMap::new();
    for mut trace in traces {
        // Each text is dropped once it is read, since all of them take as much memory as the samples.
        let sample = samples.remove(&trace.id).and_then(|text| serde_json::from_str::<Sample>(&text).ok());
        let (Some(figures), Some(sample)) = (trace.figures.take(), sample) else { continue };
        let machine = label(&trace, MACHINE).unwrap_or_else(|| figures.devices.join(", "));
        let group = groups.entry((figures.program.clone(), machine)).or_default();
        group.push(Run { trace, figures, sample });
    }
    let mut histories: Vec<MachineHistory> = groups
        .into_iter()
        .map(|((program, machine), runs)| machine_history(program, machine, runs))
        .collect();
    histories.sort_by_key(|history| std::cmp::Reverse(history.runs.len()));
    histories
}

fn machine_history(program: String, machine: String, mut runs: Vec<Run>) -> MachineHistory {
    // Runs of one commit are grouped at the position of the first, because a commit may be measured again
    // later.
    let mut first: HashMap<String, u64> = HashMap::new();
    for Run { trace, .. } in &runs {
        if let Some(commit) = label(trace, COMMIT) {
            let time = first.entry(commit).or_insert(trace.stored_unix_ns);
            *time = trace.stored_unix_ns.min(*time);
        }
    }
    runs.sort_by_cached_key(|Run { trace, .. }| {
        let commit = label(trace, COMMIT);
        let begun = commit.as_ref().and_then(|commit| first.get(commit)).copied();
        (begun.unwrap_or(trace.stored_unix_ns), commit, trace.stored_unix_ns, trace.id.clone())
    });
    let problems = Series {
        name: "problems".to_owned(),
        unit: SeriesUnit::Count,
        values: runs.iter().map(|run| Some(run.figures.problems)).collect(),
        steps: Vec::new(),
    };
    let parts = |run: Run| {
        let Run { trace, sample, .. } = run;
        let commit = label(&trace, COMMIT);
        let ListedTrace { id, name, stored_unix_ns, .. } = trace;
        (HistoryRun { id, name, commit, stored_unix_ns }, sample)
    };
    let (runs, samples): (Vec<HistoryRun>, Vec<Sample>) = runs.into_iter().map(parts).unzip();
    let mut series = series_of(&samples);
    // Problems of the recording are counted with findings about the program.
    let place = series.iter().position(|series| series.name == "findings").map_or(series.len(), |at| at + 1);
    series.insert(place, problems);
    find_steps(&mut series);
    MachineHistory { program, machine, runs, series }
}

fn label(trace: &ListedTrace, key: &str) -> Option<String> {
    trace.labels.iter().find(|label| label.key == key).map(|label| label.value.clone())
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::Label;

    use super::*;

    fn trace(number: u64, commit: &str) -> ListedTrace {
        let figures = Figures { devices: vec!["GPU".into()], ..Figures::default() };
        ListedTrace {
            id: format!("trace{number}"),
            stored_unix_ns: number,
            labels: vec![Label { key: COMMIT.into(), value: commit.into() }],
            figures: Some(figures),
            ..ListedTrace::default()
        }
    }

    /// Returns stored samples of some traces, each by its number and duration.
    fn kept(traces: &[(u64, u64)]) -> HashMap<String, String> {
        let json = |duration_ns| serde_json::to_string(&Sample { duration_ns, ..Sample::default() }).unwrap();
        traces.iter().map(|(number, duration_ns)| (format!("trace{number}"), json(*duration_ns))).collect()
    }

    #[test]
    fn a_commit_that_is_measured_again_stays_where_it_was() {
        let samples = kept(&[(3, 9), (2, 8), (1, 7)]);
        let found = histories(vec![trace(3, "old"), trace(2, "new"), trace(1, "old")], samples);
        let ids: Vec<&str> = found[0].runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!((ids, found[0].machine.as_str()), (vec!["trace1", "trace3", "trace2"], "GPU"));
        assert_eq!(found[0].series[0].values, [Some(7), Some(9), Some(8)]);
    }

    #[test]
    fn machines_are_apart_and_what_nobody_has_looked_at_is_left_out() {
        let mut other = trace(2, "a");
        other.labels.push(Label { key: MACHINE.into(), value: "node7".into() });
        let unknown = ListedTrace { figures: None, ..trace(3, "a") };
        let traces = vec![trace(1, "a"), other, unknown, trace(4, "a")];
        let found = histories(traces, kept(&[(1, 5), (2, 5), (3, 5)]));
        let machines: Vec<(&str, usize)> =
            found.iter().map(|found| (found.machine.as_str(), found.runs.len())).collect();
        assert_eq!(machines, [("GPU", 1), ("node7", 1)]);
    }
}
