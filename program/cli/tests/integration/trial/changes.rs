//! A change of the program: its gain, verdict and the fate of its finding.

use serde_json::Value as Json;

use super::{attempt, code, ledger, scratch};
use crate::support::{stderr, stdout};

#[test]
fn a_finding_is_predicted_and_its_remedy_proved() {
    let scratch = scratch();
    let first = attempt(&scratch, "bad", "-- ./heat 1000");
    code(&first, 0);
    let text = stdout(&first);
    assert!(text.starts_with("./heat 1000: baseline of 5 runs on "), "{text}");
    assert!(text.contains("\n1  wait_after_kernel@heat.cpp:13: at most "), "{text}");
    assert!(!text.contains("output of the program") && stderr(&first).contains("output of the program"));

    let chosen = attempt(&scratch, "bad", "--finding 1");
    code(&chosen, 0);
    assert!(stdout(&chosen).contains(", under test\n"), "{}", stdout(&chosen));

    let tried = attempt(&scratch, "good", "-- ./heat 1000");
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(
        text.starts_with("wait_after_kernel@heat.cpp:13\n  finding    gone\n  predicted  at most "),
        "{text}"
    );
    assert!(text.contains("\n  verdict    faster (5 runs before, 5 runs now, p = 0.008)\n"), "{text}");

    let json = ledger(&scratch);
    assert_eq!(json["findings"][0]["number"], 1);
    let attempt_json = &json["attempts"][0];
    assert_eq!((&attempt_json["verdict"], &attempt_json["state"]), (&"faster".into(), &"gone".into()));
    let ns = |name: &str| attempt_json[name].as_i64().unwrap_or_else(|| panic!("{name}: {attempt_json}"));
    let (predicted, achieved) = (ns("predicted_ns"), ns("achieved_ns"));
    // Only the waits differ, so the replay is exact except for a launch.
    assert!(achieved * 10 > predicted * 9 && achieved * 10 < predicted * 11, "{achieved} of {predicted}");
    assert!(text.contains(" %) [") && !text.contains("µs to "), "{text}");

    let shown = stdout(&attempt(&scratch, "good", "--show"));
    let row = shown.lines().find(|line| line.starts_with("wait after kernel")).expect("a row");
    assert!(
        row.starts_with("wait after kernel  heat.cpp:13  ≤ ") && row.contains("  faster, gone  20"),
        "{shown}"
    );
    let markdown = stdout(&attempt(&scratch, "good", "--show --format markdown"));
    assert!(markdown.contains("\n| wait after kernel | `heat.cpp:13` | ≤ "), "{markdown}");
}

#[test]
fn runs_of_other_arguments_decide_nothing() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let other = attempt(&scratch, "shorter", "-q -- ./heat");
    code(&other, 2);
    assert!(stdout(&other).contains("1000 → 500"), "{}", stdout(&other));
}

#[test]
fn what_did_not_help_says_so_by_its_exit_code() {
    let scratch = scratch();
    code(&attempt(&scratch, "good", "-q --repeat 5 -- ./heat"), 0);
    let slower = attempt(&scratch, "bad", "-q -- ./heat");
    code(&slower, 1);
    assert!(stdout(&slower).starts_with("the program's change\n"), "{}", stdout(&slower));
    assert!(stdout(&slower).contains("new        wait_after_kernel@heat.cpp:13\n"), "{}", stdout(&slower));
    code(&attempt(&scratch, "good", "-q -- ./heat"), 0);
    code(&attempt(&scratch, "bad", "-q --repeat 2 -- ./heat"), 2);
    let verdicts: Vec<Json> = ledger(&scratch)["attempts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["slower", "same", "undecided"]);
    // An edit above the finding moves its line.
    let scratch = self::scratch();
    code(&attempt(&scratch, "bad", "-q --finding wait_after_kernel@heat.cpp:13 -- ./heat"), 0);
    let moved = attempt(&scratch, "moved", "-q -- ./heat");
    code(&moved, 0);
    assert!(
        stdout(&moved).contains("still there (wait_after_kernel@heat.cpp:15, at most "),
        "{}",
        stdout(&moved)
    );
}

#[test]
fn an_accepted_change_is_the_next_baseline() {
    let scratch = scratch();
    let refused = attempt(&scratch, "bad", "--accept");
    code(&refused, 3);
    assert!(
        stderr(&refused).contains("no ledger in syclscope-try: `syclscope try -- ./program` creates one")
    );
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    assert!(stderr(&attempt(&scratch, "bad", "--accept")).contains("nothing to accept"));
    code(&attempt(&scratch, "good", "-q -- ./heat"), 0);
    let accepted = attempt(&scratch, "good", "--accept");
    code(&accepted, 0);
    assert!(stdout(&accepted).ends_with("\nno findings\n"), "{}", stdout(&accepted));
    let same = attempt(&scratch, "good", "-q -- ./heat");
    assert!(stdout(&same).contains("verdict    same"), "{}", stdout(&same));
    let json = ledger(&scratch);
    assert_eq!(
        (&json["baseline"]["folder"], json["attempts"].as_array().map(Vec::len)),
        (&"runs-2".into(), Some(2))
    );
}
