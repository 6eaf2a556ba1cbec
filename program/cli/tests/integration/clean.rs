use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

fn clean(scratch: &Scratch, arguments: &[&str]) -> Output {
    syclscope(scratch).arg("clean").args(arguments).output().expect("syclscope runs")
}

fn holds(scratch: &Scratch, name: &str, text: &str) -> bool {
    let bytes = std::fs::read(scratch.path(name)).expect("the written file");
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_copy_holds_nothing_private_and_is_for_its_owner_alone() {
    let scratch = Scratch::new();
    let original = scratch.file("run.pftrace", recording::as_perfetto());
    std::fs::set_permissions(original, std::fs::Permissions::from_mode(0o644)).expect("its own file");
    for output in ["copy.pftrace", "copy.json"] {
        let cleaned = clean(&scratch, &["run.pftrace", "-o", output]);
        assert_eq!(cleaned.status.code(), Some(0), "{}", stderr(&cleaned));
        assert!(stderr(&cleaned).contains("Kernel names (1)"), "{}", stderr(&cleaned));
        assert!(holds(&scratch, "run.pftrace", recording::KERNEL));
        for gone in [recording::KERNEL, "heat.cpp", "int main()"] {
            assert!(!holds(&scratch, output, gone), "{gone} in {output}");
        }
        let mode = std::fs::metadata(scratch.path(output)).expect("it was written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(scratch.names(), ["copy.json", "copy.pftrace", "run.pftrace"], "nothing half written is left");
}

#[test]
fn what_goes_and_what_stays_is_chosen() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    for (arguments, kernel, file) in [
        (&["--remove", "paths,sources"][..], true, false),
        (&["--keep", "kernels,programs"], true, false),
        (&["--all", "--keep-file-names", "--keep", "programs"], false, true),
        (&["--remove", "kernels"], false, true),
    ] {
        let cleaned = clean(&scratch, &[&["run.pftrace", "-o", "copy.json", "--force"], arguments].concat());
        assert_eq!(cleaned.status.code(), Some(0), "{}", stderr(&cleaned));
        assert_eq!(holds(&scratch, "copy.json", recording::KERNEL), kernel, "{arguments:?}");
        assert_eq!(holds(&scratch, "copy.json", "heat.cpp"), file, "{arguments:?}");
    }
}

#[test]
fn files_with_the_same_key_have_the_same_pseudonyms() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("key", "a key of the team");
    let kernel = |arguments: &[&str]| {
        let cleaned = clean(&scratch, &[&["run.pftrace", "-o", "copy.json", "--force"], arguments].concat());
        assert_eq!(cleaned.status.code(), Some(0), "{}", stderr(&cleaned));
        let text = std::fs::read_to_string(scratch.path("copy.json")).expect("the written file");
        let at = text.find("kernel-").expect("a kernel");
        text[at..at + 15].to_owned()
    };
    assert_eq!(kernel(&["--key-file", "key"]), kernel(&["--key-file", "key"]));
    assert_ne!(kernel(&[]), kernel(&[]));
}

#[test]
fn what_a_trace_contains_is_shown() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let shown = clean(&scratch, &["run.pftrace", "--show"]);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    let shown = stdout(&shown);
    for expected in ["kernels", "Kernel names", recording::KERNEL, "heat.cpp", "sources"] {
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn what_can_not_be_done_is_refused() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    for (arguments, code, said) in [
        (&["run.pftrace"][..], 2, "--output"),
        (&["run.pftrace", "-o", "run.pftrace"], 1, "both input and output"),
        (&["run.pftrace", "-o", "copy.txt"], 1, "use .pftrace or .json"),
        (&["run.pftrace", "-o", "copy.profile.json"], 1, "use .pftrace or .json"),
        (&["run.pftrace", "-o", "copy.json", "--remove", "everything"], 2, "possible values: paths"),
        (&["run.pftrace", "-o", "copy.json", "--key-file", "nowhere"], 1, "can't read nowhere"),
        (&["run.pftrace", "--show", "-o", "copy.json"], 2, "cannot be used with"),
        (&[".", "-o", "copy.json"], 1, "is a folder: name one of its files"),
    ] {
        let refused = clean(&scratch, arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(said), "{arguments:?}: {}", stderr(&refused));
    }
    assert_eq!(scratch.names(), ["run.pftrace"]);
}
