pub const TASKS: [(&str, &str); 13] = [
    ("What took the time, and what can I do about it?", "page.summary"),
    ("When did my kernels run?", "timeline.fit_device"),
    ("Why are some executions of a kernel slower?", "page.kernel"),
    ("What did a command wait for?", "timeline.before"),
    ("What decided how long the run took?", "timeline.critical_path"),
    ("What depends on what?", "page.graph"),
    ("How much faster could it be?", "graph.what_if"),
    ("Where does memory go, and which copies were needless?", "page.memory"),
    ("What does a line of my code cost?", "page.source"),
    ("Find slices by name, duration, queue or line", "timeline.search"),
    ("How long is it from here to there?", "timeline.measure"),
    ("What changed since another run?", "page.compare"),
    ("Share what I see", "page.link"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::commands;

    #[test]
    fn every_task_has_a_command() {
        for (task, id) in TASKS {
            assert!(commands::all().any(|command| command.id == id), "{task}: {id}");
        }
    }
}
