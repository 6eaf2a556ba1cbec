//! The program before a change and the one after it, by turns.

use super::{Faults, attempt, code, ledger, recording, scratch};
use crate::support::{Scratch, stderr, stdout};

const BY_TURNS: &str = "-q --before ./heat.old 1000 -- ./heat 1000";

fn order(scratch: &Scratch) -> String {
    std::fs::read_to_string(scratch.path("order")).expect("the order")
}

#[test]
fn both_programs_are_recorded_by_turns() {
    let scratch = scratch();
    scratch.file("mode-heat.old", "bad");
    let tried = attempt(&scratch, "good", BY_TURNS);
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(text.starts_with("wait_after_kernel@heat.cpp:13\n  finding    gone\n"), "{text}");
    let verdict = "\n  verdict    faster (5 runs before, 5 runs now, by turns, p = 0.008)\n";
    assert!(text.contains(verdict), "{text}");
    assert_eq!(order(&scratch), "bad\ngood\ngood\nbad\n".repeat(2) + "bad\ngood\n");
    let json = ledger(&scratch);
    assert_eq!((&json["baseline"]["folder"], &json["program"]), (&"runs-1/before".into(), &"heat".into()));
    assert_eq!(
        (&json["attempts"][0]["folder"], &json["attempts"][0]["is_by_turns"]),
        (&"runs-1/after".into(), &true.into())
    );
    // With a ledger its baseline stays, and the new runs are searched for the finding under test.
    let again = attempt(&scratch, "good", &format!("--finding 1 {BY_TURNS}"));
    code(&again, 0);
    assert!(stdout(&again).starts_with("wait_after_kernel@heat.cpp:13\n"), "{}", stdout(&again));
    assert_eq!(ledger(&scratch)["baseline"]["folder"], "runs-1/before");
    code(&attempt(&scratch, "good", "--accept"), 0);
    assert_eq!(ledger(&scratch)["baseline"]["folder"], "runs-2/after");
}

#[test]
fn runs_are_in_the_ledger_though_the_finding_is_not() {
    let scratch = scratch();
    scratch.file("mode-heat.old", "bad");
    let tried = attempt(&scratch, "good", &format!("--finding 99 {BY_TURNS}"));
    code(&tried, 3);
    assert!(stderr(&tried).contains("no finding 99: the baseline has "), "{}", stderr(&tried));
    assert!(stdout(&tried).contains("verdict    faster"), "{}", stdout(&tried));
    let json = ledger(&scratch);
    assert_eq!((&json["baseline"]["folder"], &json["under_test"]), (&"runs-1/before".into(), &().into()));
    assert_eq!(json["attempts"][0]["verdict"], "faster");
    code(&attempt(&scratch, "good", "--finding 1"), 0);
}

#[test]
fn a_machine_that_becomes_slower_is_no_slower_program() {
    let drifting = || {
        let scratch = scratch();
        for number in 0..10 {
            // A tenth slower in each run.
            let faults = Faults { waits: None, build: false, command_line: "./heat 1000", file: "heat.cpp" };
            scratch.file(&format!("drift-{number}.pftrace"), recording(faults, number * 2_000));
        }
        scratch.file("numbers", "10");
        scratch
    };
    let scratch = drifting();
    code(&attempt(&scratch, "drift", "-q -- ./heat 1000"), 0);
    let later = attempt(&scratch, "drift", "-q -- ./heat 1000");
    code(&later, 1);
    assert!(stdout(&later).contains("verdict    slower"), "{}", stdout(&later));

    let scratch = drifting();
    let by_turns = attempt(&scratch, "drift", BY_TURNS);
    code(&by_turns, 2);
    assert!(stdout(&by_turns).contains("verdict    undecided"), "{}", stdout(&by_turns));
}

#[test]
fn only_the_program_and_its_script_may_differ() {
    let scratch = scratch();
    scratch.file("mode-heat.old", "bad");
    for (name, text) in
        [("big.dat", "4096"), ("small.dat", "16"), ("old.py", ""), ("new.py", ""), ("run", "#!/bin/sh\n")]
    {
        scratch.file(name, text);
    }
    for (before, now) in [
        ("./heat.old 500", "./heat 1000"),
        ("./heat.old", "./heat 1000"),
        ("./heat.old 1000 2", "./heat 1000"),
        // Files of input, which may be of other sizes.
        ("./heat big.dat", "./heat small.dat"),
        ("./heat.old -c big.dat", "./heat -c small.dat"),
        ("./heat.old new.py big.dat", "./heat new.py small.dat"),
        ("./heat.old new.py old.py", "./heat new.py new.py"),
        ("./heat.old missing.py", "./heat new.py"),
    ] {
        let refused = attempt(&scratch, "good", &format!("-q --before {before} -- {now}"));
        code(&refused, 3);
        let message = "have different arguments: only the program and its script (FILE.py) may differ\n";
        assert!(stderr(&refused).ends_with(message), "{before}: {}", stderr(&refused));
    }
    assert!(!scratch.path("order").exists(), "nothing ran");
    for (before, now) in
        [("./heat.old -u old.py 7", "./heat -u new.py 7"), ("./heat.old run", "./heat new.py")]
    {
        code(&attempt(&scratch, "good", &format!("-q --before {before} -- {now}")), 0);
    }
    for words in [
        "--before ./heat.old",
        "--before -- ./heat",
        "--before ./heat.old --show",
        "--remedies --before ./heat.old -- ./heat",
    ] {
        code(&attempt(&scratch, "good", words), 3);
    }
}

#[test]
fn findings_of_a_renamed_script_are_the_same_ones() {
    let scratch = scratch();
    for name in ["old.py", "new.py"] {
        let mode = name.trim_end_matches(".py");
        scratch.file(name, "");
        for number in 0..5 {
            let faults = Faults { waits: Some(13), build: false, command_line: "./heat 1000", file: name };
            scratch.file(&format!("{mode}-{number}.pftrace"), recording(faults, number));
        }
    }
    scratch.file("mode-heat.old", "old");
    let words = "-q --before ./heat.old old.py 7 -- ./heat new.py 7";
    let tried = attempt(&scratch, "new", words);
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(!text.contains("also gone") && !text.contains("  new "), "{text}");
    code(&attempt(&scratch, "new", &format!("--finding wait_after_kernel@old.py:13 {words}")), 0);
    let json = ledger(&scratch);
    let tried = &json["attempts"][1];
    assert_eq!(
        (&tried["state"], &tried["finding_now"]["id"]),
        (&"present".into(), &"wait_after_kernel@new.py:13".into())
    );
    assert_eq!(tried["before_folder"], "runs-2/before");
    let shown = stdout(&attempt(&scratch, "new", "--show"));
    assert!(shown.contains("\nwait after kernel  1 (0 gone)  1 same"), "{shown}");
}

#[test]
fn a_program_that_fails_ends_both() {
    let scratch = scratch();
    scratch.file("fails", "");
    let failed = attempt(&scratch, "good", BY_TURNS);
    code(&failed, 3);
    assert!(stderr(&failed).ends_with("the program ended with exit code 7; the ledger is unchanged\n"));
    assert!(!scratch.path("syclscope-try").exists(), "nothing was recorded");
}
