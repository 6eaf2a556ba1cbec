//! `-` in the place of a file, in commands that read a recording more than once.

use std::fs::File;
use std::process::Output;

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::of_kernels(7, 40));
    scratch.file("other.pftrace", recording::of_process(8));
    scratch.file("key", b"a key");
    scratch
}

fn run(scratch: &Scratch, words: &str) -> Output {
    let input = File::open(scratch.path("run.pftrace")).expect("the recording");
    syclscope(scratch).args(words.split(' ')).stdin(input).output().expect("syclscope runs")
}

#[test]
fn it_is_read_as_a_file_is() {
    let scratch = scratch();
    for words in [
        "clean FILE --show",
        "compare other.pftrace FILE",
        "compare FILE other.pftrace",
        "history FILE",
        "check FILE --baseline other.pftrace",
        "check other.pftrace --baseline FILE",
    ] {
        let of_file = run(&scratch, &words.replace("FILE", "run.pftrace"));
        let of_input = run(&scratch, &words.replace("FILE", "-"));
        assert!(!stdout(&of_file).is_empty(), "{words}: {}", stderr(&of_file));
        assert_eq!(of_input.status.code(), of_file.status.code(), "{words}: {}", stderr(&of_input));
        let words_of = |output: &Output| {
            let text = stdout(output).replace("standard input", "run.pftrace");
            text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words_of(&of_input), words_of(&of_file), "{words}");
    }
}

#[test]
fn files_made_of_it_are_those_made_of_a_file() {
    let scratch = scratch();
    for (words, extension) in
        [("clean FILE --key-file key -o", "json"), ("merge FILE other.pftrace -o", "json")]
    {
        for (input, name) in [("run.pftrace", "of_file"), ("-", "of_input")] {
            let output =
                run(&scratch, &format!("{} {name}.{extension} --force", words.replace("FILE", input)));
            assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        }
        let read = |name: &str| std::fs::read_to_string(scratch.path(name)).expect("text");
        let of_input = read("of_input.json").replace("standard input", "run.pftrace");
        assert_eq!(of_input, read("of_file.json"), "{words}");
    }
}

#[test]
fn it_is_opened() {
    let scratch = scratch();
    let input = File::open(scratch.path("run.pftrace")).expect("the recording");
    let server = Running::start(syclscope(&scratch).args(["open", "-"]).stdin(input));
    let id = server.url.rsplit("/t/").next().expect("an id").to_owned();
    assert!(server.get(&format!("/api/v1/traces/{id}")).contains(recording::KERNEL));
    let (code, said) = server.stop();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("syclscope: standard input: "), "{said}");
}

#[test]
fn errors_name_it_and_not_its_copy() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", "no trace");
    scratch.file("other.pftrace", recording::of_process(8));
    for words in [
        "clean - --show",
        "convert - -o out.json",
        "compare other.pftrace -",
        "history -",
        "check - --baseline other.pftrace",
        "merge - other.pftrace -o out.json",
        "open -",
    ] {
        let output = run(&scratch, words);
        let error = stderr(&output);
        assert!(!output.status.success() && error.contains("standard input: "), "{words}: {error}");
        assert!(!error.contains("/standard input"), "{words}: {error}");
    }
}

#[test]
fn it_is_one_run_only() {
    let scratch = scratch();
    for words in ["compare - -", "check - --baseline -", "history - run.pftrace -", "merge - - -o out.json"] {
        let output = run(&scratch, words);
        assert!(!output.status.success() && stdout(&output).is_empty(), "{words}");
        assert!(stderr(&output).contains("can be read only once"), "{words}: {}", stderr(&output));
    }
    assert!(!scratch.names().contains(&"out.json".to_owned()));
}
