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

#[test]
fn kernels_and_calls_come_as_csv() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).arg("summary").args(options).arg("run.pftrace").output();
        let output = output.expect("syclscope runs");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(
        run(&["--format", "csv"]),
        "name,kind,count,total_ns,min_ns,mean_ns,max_ns\nheat_step,kernel,3,6000,1000,2000,3000\n"
    );
    let heading = "name,count,errors,total_ns,mean_ns,min_ns,max_ns,unfinished,kind\n";
    let launch = "urEnqueueKernelLaunch,2,1,300,150,100,200,0,runtime\n";
    let append = "zeCommandListAppend,1,0,50,50,50,50,0,native\n";
    assert_eq!(run(&["--calls", "--format", "csv"]), format!("{heading}{launch}{append}"));
    assert_eq!(run(&["--calls", "--of", "runtime", "--format", "csv"]), format!("{heading}{launch}"));
    assert_eq!(
        run(&["--calls", "--of=native", "--sort=count", "--format=csv"]),
        format!("{heading}{append}")
    );
}

#[test]
fn calls_come_as_a_table_and_as_json() {
    let scratch = Scratch::new();
    scratch.file("run.json", recording::as_json());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).args(["summary", "--calls", "run.json"]).args(options).output();
        stdout(&output.expect("syclscope runs"))
    };
    let table = run(&[]);
    assert!(table.contains("3 calls of 2 functions, 1 returned something other than success"), "{table}");
    for json in [run(&["--json"]), run(&["--format", "json"])] {
        let rows: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(rows[0]["name"], "urEnqueueKernelLaunch");
        assert_eq!((&rows[0]["count"], &rows[0]["errors"]), (&2.into(), &1.into()));
        assert_eq!((&rows[1]["mean_ns"], &rows[1]["kind"]), (&50.into(), &"native".into()));
    }
}

#[test]
fn options_for_calls_need_calls() {
    let scratch = Scratch::new();
    for options in [&["--of", "native"][..], &["--sort", "count"], &["--json", "--format", "csv"]] {
        let output = syclscope(&scratch).args(["summary", "run.json"]).args(options).output();
        assert_eq!(output.expect("syclscope runs").status.code(), Some(2), "{options:?}");
    }
}
