//! Contents of a ledger, and the errors of unreadable ones.

use super::{attempt, code, scratch};
use crate::support::{stderr, stdout};

#[test]
fn ledgers_have_the_recorded_command_line_only() {
    for (mode, command) in [("redacted", "./heat --token [redacted]"), ("private", "heat")] {
        let scratch = scratch();
        let first = attempt(&scratch, mode, "-- ./heat --token hunter2");
        code(&first, 0);
        code(&attempt(&scratch, mode, "-q -- ./heat --token hunter2"), 0);
        let shown = stdout(&attempt(&scratch, mode, "--show"));
        let markdown = stdout(&attempt(&scratch, mode, "--show --format markdown"));
        let file = std::fs::read_to_string(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
        assert!(shown.starts_with(&format!("{command}: baseline of 5 runs")), "{shown}");
        for text in [stdout(&first), shown, markdown, file] {
            assert!(!text.contains("hunter2") && (mode == "redacted" || !text.contains("token")), "{text}");
        }
    }
}

#[test]
fn a_ledger_has_one_try_at_a_time() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let lock = std::fs::File::options().write(true).open(scratch.path("syclscope-try/lock")).expect("a lock");
    lock.lock().expect("it is free");
    for words in ["-q -- ./heat", "--finding 1"] {
        let refused = attempt(&scratch, "bad", words);
        code(&refused, 3);
        assert_eq!(
            stderr(&refused).lines().last(),
            Some(
                "syclscope: another `syclscope try` is running in syclscope-try; wait until it ends, or choose another \
                 folder with --ledger"
            )
        );
    }
    code(&attempt(&scratch, "bad", "--show"), 0);
    drop(lock);
    code(&attempt(&scratch, "bad", "--finding 1"), 0);
}

#[test]
fn a_program_that_fails_leaves_the_ledger_as_it_was() {
    let scratch = scratch();
    scratch.file("fails", "");
    let failed = attempt(&scratch, "bad", "-q -- ./heat");
    code(&failed, 3);
    assert!(
        stderr(&failed).ends_with("syclscope: the program ended with exit code 7; the ledger is unchanged\n")
    );
    assert!(!scratch.path("syclscope-try").exists(), "nothing was recorded");
    std::fs::remove_file(scratch.path("fails")).expect("it is there");
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let before = std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
    scratch.file("fails", "");
    code(&attempt(&scratch, "good", "-q -- ./heat"), 3);
    assert_eq!(std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger"), before);
    let silent = attempt(&scratch, "bad", "-q --ledger none -- true");
    code(&silent, 3);
    assert!(stderr(&silent).contains("the program was not recorded"), "{}", stderr(&silent));
}

#[test]
fn wrong_ledgers_and_command_lines_are_refused() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q --repeat 1 -- ./heat"), 0);
    let file = scratch.path("syclscope-try/ledger.json");
    let whole = std::fs::read_to_string(&file).expect("a ledger");
    for (text, message) in [
        (whole[..whole.len() / 2].to_owned(), "the ledger is damaged ("),
        ("{}".to_owned(), "not a ledger of `syclscope try`: choose another folder with --ledger"),
        (whole.replacen("ledger 1", "ledger 2", 1), "the ledger is of another version of syclscope"),
    ] {
        std::fs::write(&file, &text).expect("it is written");
        for words in ["--show", "-q -- ./heat"] {
            let refused = attempt(&scratch, "bad", words);
            code(&refused, 3);
            let said = stderr(&refused);
            assert!(said.starts_with(&format!("syclscope: syclscope-try/ledger.json: {message}")), "{said}");
        }
        assert_eq!(std::fs::read_to_string(&file).expect("a ledger"), text, "it is unharmed");
    }
    std::fs::write(&file, whole).expect("it is written");
    let other = attempt(&scratch, "bad", "-- ./other");
    code(&other, 3);
    assert!(
        stderr(&other).contains("ledger.json belongs to the program heat: choose another folder"),
        "{}",
        stderr(&other)
    );
    let none = attempt(&scratch, "bad", "--finding 9");
    assert!(stderr(&none).contains("no finding 9: the baseline has 1; `syclscope try --show` lists them"));
    for words in ["-q", "--remedies", "--remedy magic -- ./heat", "--accept -- ./heat", "--show --finding 1"]
    {
        code(&attempt(&scratch, "bad", words), 3);
    }
}
