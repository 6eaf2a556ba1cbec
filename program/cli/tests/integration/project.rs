//! `syclscope project` on a server's folder.

use crate::support::{Scratch, stderr, stdout, syclscope};

fn project(scratch: &Scratch, arguments: &[&str]) -> Result<String, String> {
    let run =
        syclscope(scratch).arg("project").args(arguments).args(["--data", "data"]).output().expect("it runs");
    if run.status.success() { Ok(stdout(&run)) } else { Err(stderr(&run)) }
}

fn line(text: &str, project: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(project)).expect("a line of the project");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn projects_are_made_and_their_limits_set() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("data")).expect("a folder");
    let made = project(&scratch, &["add", "solver", "--quota", "20G", "--name", "Solvers of all kinds"])
        .expect("made");
    assert_eq!(line(&made, "solver"), "solver 0 0 B 20.0 GiB none Solvers of all kinds");
    assert_eq!(line(&made, "default"), "default 0 0 B none none Default");
    let set = project(&scratch, &["set", "solver", "--quota", "none", "--retention", "90"]).expect("changed");
    assert_eq!(line(&set, "solver"), "solver 0 0 B none 90 days Solvers of all kinds");
    assert_eq!(project(&scratch, &["list"]), Ok(set));
    for (arguments, says) in [
        (&["add", "solver"][..], "project solver exists"),
        (&["set", "nowhere", "--quota", "1G"], "no project nowhere"),
        (&["set", "solver", "--retention", "0"], "at least one day"),
        (&["set", "solver", "--quota", "much"], "not a size"),
        (&["add", "Not A Name"], "lower-case"),
    ] {
        let failure = project(&scratch, arguments).expect_err("it is refused");
        assert!(failure.contains(says), "{arguments:?}: {failure}");
    }
}
