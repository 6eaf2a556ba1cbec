//! `syclscope demo`: recordings in the program, and a tour whose addresses answer.

use crate::host::Running;
use crate::support::{Scratch, stderr, syclscope};

fn listed(server: &Running) -> Vec<String> {
    let answer = server.get("/api/v1/traces");
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    let list: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    let traces = list["traces"].as_array().or_else(|| list.as_array()).expect("a list");
    let mut names: Vec<_> =
        traces.iter().filter_map(|trace| Some(trace["name"].as_str()?.to_owned())).collect();
    names.sort();
    names
}

#[test]
fn it_shows_recordings_leads_through_them_and_leaves_nothing() {
    let scratch = Scratch::new();
    let mut command = syclscope(&scratch);
    command.env("TMPDIR", scratch.folder()).args(["demo", "--no-browser", "--port", "0"]);
    let server = Running::start(&mut command);
    assert_eq!(listed(&server), ["heat.pftrace", "sub_buffers-bad.pftrace", "sub_buffers-good.pftrace"]);
    let base = server.url.split("/t/").next().expect("an address").to_owned();
    let first = server.url.clone();
    assert_eq!(scratch.names().len(), 1, "a folder for the recordings");

    let report = server.get(&format!("/api/v1/traces/{}/report", first.rsplit('/').next().unwrap()));
    assert!(report.starts_with("HTTP/1.1 200") && report.contains("diffuse_band"), "{report}");
    let (code, said) = server.stop();
    assert_eq!(code, Some(0), "{said}");
    let addresses: Vec<&str> =
        said.lines().map(str::trim).filter(|line| line.starts_with(&format!("{base}/t/"))).collect();
    assert_eq!(addresses.len(), 8, "{said}");
    assert_eq!(addresses[0], first);
    assert!(addresses[2].ends_with("?v=kernel&kn=diffuse_band"), "{said}");
    assert_eq!(scratch.names(), [""; 0], "the folder is gone");
}

#[test]
fn recordings_that_are_kept_serve_other_commands() {
    let scratch = Scratch::new();
    let start = || {
        let mut command = syclscope(&scratch);
        Running::start(command.args(["demo", "--keep", "demo", "--no-browser", "--port", "0"]))
    };
    start().stop();
    // The second time, the files already exist, and an interrupted call has left a part of one.
    let whole = std::fs::read(scratch.path("demo/heat.pftrace")).unwrap();
    std::fs::write(scratch.path("demo/heat.pftrace"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(listed(&start()).len(), 3);
    assert_eq!(std::fs::read(scratch.path("demo/heat.pftrace")).unwrap(), whole);
    let summary = syclscope(&scratch).args(["summary", "demo/heat.pftrace"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&summary.stdout).contains("339 commands"), "{}", stderr(&summary));

    // A file with other contents is not overwritten.
    std::fs::write(scratch.path("demo/heat.pftrace"), "mine").expect("a file");
    let refused = syclscope(&scratch).args(["demo", "--keep", "demo", "--no-browser"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("can't write demo/heat.pftrace"), "{}", stderr(&refused));
    assert_eq!(std::fs::read(scratch.path("demo/heat.pftrace")).unwrap(), b"mine");
}
