//! Parts of a whole, for bars.

use syclscope_language::api::{CriticalPath, GapClass, QueueIdle, RunSplit};

#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// CSS class. Parts with one meaning have one class in all bars.
    pub kind: &'static str,
    pub title: &'static str,
    pub length_ns: u64,
    /// Share of the whole, from 0 to 1.
    pub share: f64,
}

/// Returns the parts with their shares; empty ones are left out.
pub fn parts(lengths: &[(&'static str, &'static str, u64)]) -> Vec<Part> {
    let whole_ns: u64 = lengths.iter().map(|(_, _, length_ns)| length_ns).sum();
    let part = |(kind, title, length_ns): &(&'static str, &'static str, u64)| Part {
        kind,
        title,
        length_ns: *length_ns,
        share: *length_ns as f64 / whole_ns.max(1) as f64,
    };
    lengths.iter().filter(|(_, _, length_ns)| *length_ns > 0).map(part).collect()
}

pub fn of_run(split: &RunSplit) -> Vec<Part> {
    let classes = ["busy", "copy", "build", "edge", "idle", "edge", "unknown"];
    let named = classes.into_iter().zip(split.parts());
    parts(&named.map(|(class, (title, ns))| (class, title, ns)).collect::<Vec<_>>())
}

pub fn of_queue(queue: &QueueIdle) -> Vec<Part> {
    parts(&[
        ("busy", "busy", queue.busy_ns),
        ("host", "idle: nothing submitted", queue.host_ns),
        ("dependence", "idle: waiting for dependences", queue.dependence_ns),
        ("other", "idle: device busy with other queues", queue.other_ns),
        ("launch", "idle: launch overhead", queue.ready_ns),
        ("edge", "after the last command", queue.after_ns),
    ])
}

pub fn of_critical_path(path: &CriticalPath) -> Vec<Part> {
    parts(&[
        ("busy", "commands on devices", path.device_ns),
        ("launch", "waiting to start", path.launch_ns),
        ("submission", "submissions", path.submission_ns),
        ("call", "runtime calls", path.call_ns),
        ("wait", "waits", path.wait_ns),
        ("host", GapClass::Sampled.as_words(), path.sampled_ns),
        ("host", GapClass::Host.as_words(), path.host_ns.saturating_sub(path.sampled_ns)),
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use syclscope_language::api::IdleTime;

    use super::*;

    /// A class has one meaning in all bars, whatever the titles of its parts.
    #[test]
    fn bars_beside_each_other_have_one_class_for_one_thing() {
        let split = RunSplit {
            device_ns: 1,
            copy_ns: 1,
            unknown_ns: 1,
            idle: IdleTime { build_ns: 1, start_ns: 1, between_ns: 1, end_ns: 1 },
            ..RunSplit::default()
        };
        let queue = QueueIdle {
            queue: 1,
            executions: 1,
            busy_ns: 1,
            host_ns: 1,
            dependence_ns: 1,
            other_ns: 1,
            ready_ns: 1,
            after_ns: 1,
        };
        let path = CriticalPath {
            device_ns: 1,
            launch_ns: 1,
            submission_ns: 1,
            call_ns: 1,
            wait_ns: 1,
            sampled_ns: 1,
            host_ns: 2,
            ..CriticalPath::default()
        };
        let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for part in [of_run(&split), of_queue(&queue), of_critical_path(&path)].concat() {
            titles.entry(part.kind).or_default().push(part.title);
        }
        let of = |kind: &str| titles[kind].clone();
        assert_eq!(of("busy"), ["devices computing", "busy", "commands on devices"]);
        assert_eq!(of("launch"), ["idle: launch overhead", "waiting to start"]);
        assert_eq!(
            of("edge"),
            ["before the first command", "after the last command", "after the last command"]
        );
        for kind in ["copy", "build", "dependence", "idle", "other", "submission", "call", "wait", "unknown"]
        {
            assert_eq!(of(kind).len(), 1, "{kind}");
        }
        let css = include_str!("../../../../assets/views.css");
        for kind in titles.keys() {
            assert!(css.contains(&format!(".part-{kind} {{")), "{kind}");
        }
        let colours: Vec<&str> = css
            .split(".part-")
            .skip(1)
            .filter_map(|rule| rule.split_once("background: ")?.1.split_once(';'))
            .map(|(colour, _)| colour)
            .collect();
        assert_eq!(colours.iter().collect::<BTreeSet<_>>().len(), colours.len(), "{colours:?}");
    }

    #[test]
    fn shares_add_up_and_nothing_is_nothing() {
        let found = parts(&[("a", "A", 30), ("b", "B", 0), ("c", "C", 10)]);
        assert_eq!(found.iter().map(|part| part.share).collect::<Vec<_>>(), [0.75, 0.25]);
        assert!(parts(&[("a", "A", 0)]).is_empty());
    }
}
