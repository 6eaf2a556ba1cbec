//! Builds the recorder, a shared library embedded in the program, with the cargo and the compiler that build the
//! program.
//!
//! Cargo has no stable way to embed the library of another crate, so this is a separate build, with the versions of
//! this package's Cargo.lock.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_else(|error| panic!("{name}, which cargo sets: {error}"));
    let own = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let target = variable("TARGET");
    let version = variable("CARGO_PKG_VERSION");

    let folder = out.join("recorder");
    fs::create_dir_all(folder.join("src")).expect("cargo gives a folder that can be written");
    write(&folder.join("src/lib.rs"), "extern crate syclscope_subscriber as _;\n");
    write(
        &folder.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"syclscope-recorder\"\nversion = \"{version}\"\nedition = \"2024\"\npublish = false\n\n\
             [lib]\ncrate-type = [\"cdylib\"]\n\n[dependencies]\nsyclscope-subscriber = \"={version}\"\n\n\
             [profile.release]\nstrip = \"symbols\"\nlto = \"fat\"\ncodegen-units = 1\n\n[workspace]\n"
        ),
    );
    if let Ok(lock) = fs::read_to_string(own.join("Cargo.lock")) {
        write(&folder.join("Cargo.lock"), &lock);
    }
    let built = out.join("recorder-target");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["build", "--release", "--target", &target, "--target-dir"]).arg(&built).current_dir(&folder);
    let status = cargo.status().expect("cargo builds this, so it is there");
    assert!(status.success(), "the recorder was not built: {status}");

    let library = built.join(&target).join("release/libsyclscope_recorder.so");
    println!("cargo::rustc-env=SYCLSCOPE_RECORDER={}", library.display());
    println!("cargo::rustc-env=SYCLSCOPE_EMBEDDED={}", own.join("embedded/embedded.rs").display());
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap_or_else(|error| panic!("can't write {}: {error}", file.display()));
}
