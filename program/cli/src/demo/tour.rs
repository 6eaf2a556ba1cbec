//! The tour through the demo's recordings: views with descriptions.

use std::fmt::Write as _;
use std::path::Path;

use syclscope_server::storage::TraceId;

pub(super) const FIRST: &str = "heat.pftrace";

struct Stop {
    title: &'static str,
    recording: &'static str,
    /// Query in the trace's URL.
    query: &'static str,
    about: &'static [&'static str],
}

/// In the order of a new user's questions: what ran, where did the time go, why did it take so long, what can
/// be improved.
const STOPS: &[Stop] = &[
    Stop {
        title: "Timeline",
        recording: FIRST,
        query: "",
        about: &[
            "Rows are queues of the device, and threads of the host. Ctrl and the wheel zoom, drag to",
            "move, click a slice to learn all about it. 0 shows the whole run, ? lists all keys.",
        ],
    },
    Stop {
        title: "Summary",
        recording: FIRST,
        query: "?v=summary",
        about: &["Kernels, copies and waits by time, the critical path, and what could be faster."],
    },
    Stop {
        title: "One kernel",
        recording: FIRST,
        query: "?v=kernel&kn=diffuse_band",
        about: &["All 240 executions by duration and over time. Click a dot that stands out."],
    },
    Stop {
        title: "Lines of source",
        recording: FIRST,
        query: "?v=source",
        about: &["The work of each line of the program: device time, submissions, waits."],
    },
    Stop {
        title: "Dependences",
        recording: FIRST,
        query: "?v=graph",
        about: &["Tasks and their dependences. Click one to see what decided when it could start."],
    },
    Stop {
        title: "Memory",
        recording: FIRST,
        query: "?v=memory",
        about: &["Memory in use over time, and 1 KiB that is never released."],
    },
    Stop {
        title: "A program with a fault",
        recording: "sub_buffers-bad.pftrace",
        query: "?v=graph&gs=serialised",
        about: &[
            "Kernels use two halves of a buffer, and yet the runtime lets each wait for the one before:",
            "15 false dependences. The page shows them, and how to remove them.",
        ],
    },
    Stop {
        title: "The fixed program",
        recording: "sub_buffers-good.pftrace",
        query: "",
        about: &["Each half has a buffer of its own: two kernels run at a time."],
    },
];

pub(super) fn text(address: &str, folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut text = String::from(
        "\nThese are recordings of real programs, made on the CPU device of oneAPI 2026.2. A tour of them:\n",
    );
    for (number, stop) in (1..).zip(STOPS) {
        let id = TraceId::for_bytes(folder.join(stop.recording).as_os_str().as_encoded_bytes());
        let _ = write!(text, "\n  {number}. {}\n     {address}t/{id}{}\n", stop.title, stop.query);
        for line in stop.about {
            let _ = writeln!(text, "     {line}");
        }
    }
    text.push_str(
        "\nYour own program: `syclscope record -- ./program`; `syclscope doctor` checks whether recording works here.\n",
    );
    let _ = write!(text, "Documentation: {address}docs/\n\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stop_has_an_address_and_lines_that_fit_a_terminal() {
        let text = text("http://127.0.0.1:4717/", Path::new("/nowhere"));
        assert_eq!(text.matches("http://127.0.0.1:4717/t/").count(), STOPS.len());
        for line in text.lines().filter(|line| !line.contains("http:")) {
            assert!(line.len() <= 110, "{line}");
        }
    }
}
