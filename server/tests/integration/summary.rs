//! `syclscope summary`.

use syclscope_trace::api::TraceInfo;

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

#[test]
fn both_formats_have_the_same_summary() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("run.json", recording::as_json());
    for file in ["run.pftrace", "run.json"] {
        let output = syclscope(&scratch).args(["summary", file]).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let line = text.lines().find(|line| line.contains(recording::KERNEL)).unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let want = [
            recording::KERNEL,
            "kernel",
            "3",
            "6.000",
            "µs",
            "1.000",
            "µs",
            "2.000",
            "µs",
            "3.000",
            "µs",
            "100.0",
            "%",
        ];
        assert_eq!(words, want, "{text}");
        assert!(text.contains("1 never released"), "{text}");
        assert!(text.contains("Test device") && text.contains("in-order"), "{text}");
    }
}

#[test]
fn json_is_what_the_server_answers() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output =
        syclscope(&scratch).args(["summary", "--json", "run.pftrace"]).output().expect("syclscope runs");
    let info: TraceInfo = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((info.kernels[0].total_ns, info.counts.dropped, info.complete), (6_000, 0, true));
}
