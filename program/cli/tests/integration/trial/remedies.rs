//! Remedies of the runtime, tried by turns.

use std::path::Path;

use serde_json::Value as Json;

use super::{attempt, code, ledger, scratch};
use crate::support::{stderr, stdout, syclscope};

#[test]
fn remedies_are_tried_by_turns_in_a_cache_of_their_own() {
    let scratch = scratch();
    let tried = attempt(&scratch, "cold", "--remedies -- ./heat");
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(
        text.contains("\npersistent-cache for build_inside_run@heat.cpp:12: SYCL_CACHE_PERSISTENT=1\n"),
        "{text}"
    );
    assert!(text.contains("builds 1 → 0\n") && text.contains("finding    gone"), "{text}");
    // The baseline, a warm-up, and then by turns.
    let order = std::fs::read_to_string(scratch.path("order")).expect("the order");
    let turns = "cold\nwarm\nwarm\ncold\n".repeat(2) + "cold\nwarm\n";
    assert_eq!(order, "cold\n".repeat(5) + "cold\n" + &turns);
    let caches = std::fs::read_to_string(scratch.path("remedied")).expect("caches");
    let first = caches.lines().next().expect("a cache");
    assert!(caches.lines().count() == 6 && caches.lines().all(|cache| cache == first), "{caches}");
    assert!(!Path::new(first).exists(), "{first} stays");
    let json = ledger(&scratch);
    assert_eq!(json["attempts"][0]["remedy"]["name"], "persistent-cache");
    assert_eq!(
        (&json["attempts"][0]["verdict"], json["attempts"].as_array().map(Vec::len)),
        (&"faster".into(), Some(1))
    );

    // One document, with a new ledger too.
    let json = attempt(&scratch, "cold", "-q --json --ledger new --remedies -- ./heat");
    code(&json, 0);
    let json: Json = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert_eq!(
        (json["findings"][0]["number"].as_u64(), json["attempts"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );

    let none = attempt(&scratch, "good", "--ledger other --remedies -- ./heat");
    code(&none, 0);
    assert!(stdout(&none).ends_with("no remedy of the runtime fits the findings\n"), "{}", stdout(&none));
}

#[test]
fn remedies_that_cannot_work_are_refused() {
    let scratch = scratch();
    code(&attempt(&scratch, "cold", "-q --repeat 1 -- ./heat"), 0);
    let before = std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
    let refused = attempt(&scratch, "cold", "-q --remedy all-copy-engines -- ./heat");
    code(&refused, 3);
    let message = "all-copy-engines only works on Level Zero, but the program runs on Test platform\n";
    assert!(stderr(&refused).ends_with(message), "{}", stderr(&refused));
    // The program fails with this remedy, which ends no other.
    let failed = attempt(&scratch, "cold", "-q --repeat 1 --remedy gpu -- ./heat");
    code(&failed, 3);
    assert!(
        stderr(&failed).contains("warning: gpu is left out: the program ended with exit code 9"),
        "{}",
        stderr(&failed)
    );
    assert_eq!(std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger"), before);
    let both = "-q --repeat 1 --remedy gpu --remedy persistent-cache --remedy persistent-cache --remedy host-task-threads -- ./heat";
    let tried = attempt(&scratch, "cold", both);
    code(&tried, 2);
    assert!(stdout(&tried).starts_with("persistent-cache for "), "{}", stdout(&tried));
    assert!(!scratch.path("syclscope-try/runs-3/gpu").exists());
    assert!(scratch.path("syclscope-try/runs-3/persistent-cache").exists());
    assert_eq!(stdout(&tried).matches("adjusted").count(), 0, "one run proves nothing");
    // The remedy's warm-up fails, too.
    scratch.file("without-1", "");
    let tried = attempt(&scratch, "cold", both);
    code(&tried, 2);
    assert!(stdout(&tried).starts_with("host-task-threads: "), "{}", stdout(&tried));
    assert!(
        stderr(&tried).contains("warning: persistent-cache is left out: the program ended with exit code 8"),
        "{}",
        stderr(&tried)
    );
    assert!(!scratch.path("syclscope-try/runs-4/persistent-cache").exists());
    std::fs::remove_file(scratch.path("without-1")).expect("it is there");
    let set = syclscope(&scratch)
        .args(["try", "--remedy", "persistent-cache", "--", "./heat"])
        .env("SYCL_CACHE_PERSISTENT", "1")
        .output()
        .expect("syclscope runs");
    code(&set, 3);
    assert!(
        stderr(&set).contains("persistent-cache is set already: SYCL_CACHE_PERSISTENT=1"),
        "{}",
        stderr(&set)
    );
}

#[test]
fn several_remedies_need_more_evidence_than_one() {
    let scratch = scratch();
    code(&attempt(&scratch, "cold", "-q -- ./heat"), 0);
    let both = attempt(&scratch, "cold", "-q --remedy persistent-cache --remedy host-task-threads -- ./heat");
    code(&both, 0);
    let verdict = "faster (5 runs before, 5 runs now, by turns, p = 0.016 adjusted for 2 remedies (Holm))";
    assert!(stdout(&both).contains(verdict), "{}", stdout(&both));
    let one = attempt(&scratch, "cold", "-q --remedy persistent-cache -- ./heat");
    assert!(stdout(&one).contains("by turns, p = 0.008)"), "{}", stdout(&one));
    let attempts = &ledger(&scratch)["attempts"];
    assert_eq!((&attempts[0]["tests"], &attempts[2]["tests"]), (&2.into(), &0.into()));
}
