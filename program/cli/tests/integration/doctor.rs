//! `syclscope doctor` where there is no SYCL runtime, or half of one. With whole ones it is tested in `e2e/recording`.

use serde_json::Value;

use crate::support::{Scratch, stderr, stdout, syclscope};

fn doctor(scratch: &Scratch, arguments: &[&str]) -> (Value, Option<i32>) {
    let output = syclscope(scratch).args(["doctor", "--format", "json"]).args(arguments).output();
    let output = output.expect("syclscope runs");
    let diagnosis: Value =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    (diagnosis, output.status.code())
}

#[track_caller]
fn check<'d>(diagnosis: &'d Value, name: &str) -> &'d Value {
    let mut checks = diagnosis["checks"].as_array().expect("checks").iter();
    checks.find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name} in {diagnosis:#}"))
}

#[test]
fn a_library_that_is_no_framework_is_found_out() {
    let scratch = Scratch::new();
    let libc = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"];
    let libc = libc.into_iter().find(|path| std::path::Path::new(path).exists()).expect("a C library");
    let (diagnosis, code) = doctor(&scratch, &["--xptifw", libc, "--subscriber", libc]);
    assert_eq!((code, &diagnosis["works"]), (Some(1), &Value::Bool(false)));
    let dispatcher = check(&diagnosis, "dispatcher");
    assert_eq!(dispatcher["state"], "failed");
    assert!(
        dispatcher["says"].as_str().is_some_and(|says| says.contains("xptiRegisterStream")),
        "{dispatcher}"
    );
    assert!(dispatcher["remedy"].as_str().is_some_and(|remedy| remedy.contains("--xptifw")), "{dispatcher}");
    let recorder = check(&diagnosis, "recorder");
    assert!(recorder["says"].as_str().is_some_and(|says| says.contains("xptiTraceInit")), "{recorder}");
    assert_eq!(check(&diagnosis, "devices")["state"], "skipped");
}

#[test]
fn files_that_do_not_load_come_with_the_loaders_words() {
    let scratch = Scratch::new();
    let framework = scratch.file("libxptifw.so", "\x7fELF");
    scratch.file("libsycl.so.9", "\x7fELF");
    let framework = framework.to_str().expect("text");
    let (diagnosis, code) = doctor(&scratch, &["--xptifw", framework, "--subscriber", framework]);
    assert_eq!(code, Some(1));
    let runtime = check(&diagnosis, "runtime");
    assert_eq!(runtime["state"], "ok");
    assert!(runtime["says"].as_str().is_some_and(|says| says.starts_with("oneAPI 2026, ")), "{runtime}");
    for name in ["dispatcher", "recorder", "devices"] {
        assert_eq!(check(&diagnosis, name)["state"], "failed", "{diagnosis:#}");
    }
    let says = check(&diagnosis, "dispatcher")["says"].as_str().expect("text");
    assert!(says.contains("libxptifw.so: file too short"), "{says}");
}

#[test]
fn a_runtime_without_its_tracing_part_names_the_package_that_has_it() {
    let scratch = Scratch::new();
    scratch.file("libsycl.so.9", "\x7fELF");
    let folder = scratch.folder();
    let output = syclscope(&scratch)
        .args(["doctor", "--format", "json"])
        .env("LD_LIBRARY_PATH", folder)
        .env_remove("CMPLR_ROOT")
        .output()
        .expect("syclscope runs");
    let diagnosis: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let runtime = check(&diagnosis, "runtime");
    assert_eq!((runtime["state"].as_str(), output.status.code()), (Some("failed"), Some(1)), "{diagnosis:#}");
    let says = runtime["says"].as_str().expect("text");
    assert!(says.contains(&format!("found {} without", folder.join("libsycl.so.9").display())), "{says}");
    let remedy = runtime["remedy"].as_str().expect("text");
    assert!(remedy.contains("intel-dpcpp-xptifw") && remedy.contains("intel-sycl-rt"), "{remedy}");
}

#[test]
fn the_folder_for_recordings_is_tried() {
    let scratch = Scratch::new();
    let (diagnosis, code) = doctor(&scratch, &["-o", "/nowhere/at/all"]);
    assert_eq!(code, Some(1));
    assert_eq!(check(&diagnosis, "folder")["state"], "failed");
    assert_eq!(scratch.names(), [] as [&str; 0]);
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).args(["doctor", "--", "./missing"]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(127));
    assert!(stderr(&output).contains("no program ./missing"), "{}", stderr(&output));
}

#[test]
fn people_get_lines_with_remedies() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).args(["doctor", "-o", "/nowhere/at/all"]).output();
    let output = output.expect("syclscope runs");
    let text = stdout(&output);
    assert!(text.contains("FAILED   folder") && text.contains("→ choose another with -o"), "{text}");
    assert!(text.contains("Recording does not work here"), "{text}");
}
