//! Readability of earlier versions' files: `tests/data/released` has recordings written by each version, and that
//! version's answers about them. `UPDATE_RELEASED=1` adds those of this version; existing ones are never changed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import;

use crate::recordings::{Play, small, whole, write};

const RECORDINGS: [(&str, Play); 2] = [("small", small), ("whole", whole)];
/// Bytes in a line of a file in hexadecimal.
const LINE: usize = 40;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/released")
}

fn versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder of versions");
    let mut versions: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    versions.sort();
    versions
}

#[test]
fn every_version_that_was_given_away_opens_as_it_did() {
    if std::env::var_os("UPDATE_RELEASED").is_some() {
        keep(&folder().join(env!("CARGO_PKG_VERSION")));
    }
    let versions = versions();
    assert!(!versions.is_empty(), "there is one at least");
    for version in versions {
        for (name, _) in RECORDINGS {
            let kept = |ending: &str| {
                let path = version.join(format!("{name}.{ending}"));
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            };
            let from_json = import::open(kept("json").as_bytes()).unwrap();
            let from_perfetto = import::open(&bytes_of(&kept("pftrace.hex"))).unwrap();
            assert_eq!(from_json.dump(), from_perfetto.dump(), "{}: {name}", version.display());
            let then: Value = serde_json::from_str(&kept("info.json")).unwrap();
            let now = serde_json::to_value(from_perfetto.info()).unwrap();
            let mut lost = Vec::new();
            compare(name, &then, &now, &mut lost);
            assert!(lost.is_empty(), "{}: {lost:#?}", version.display());
        }
    }
}

/// Collects the parts of an earlier answer that the present answer lacks. New parts do no harm.
fn compare(place: &str, then: &Value, now: &Value, lost: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (name, value) in then {
                let place = format!("{place}.{name}");
                match now.get(name) {
                    Some(now) => compare(&place, value, now, lost),
                    // Readers treat a missing field like null.
                    None if value.is_null() => {}
                    None => lost.push(format!("{place} is gone")),
                }
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (number, (then, now)) in then.iter().zip(now).enumerate() {
                compare(&format!("{place}[{number}]"), then, now, lost);
            }
        }
        _ if then == now => {}
        _ => lost.push(format!("{place} was {then} and is {now}")),
    }
}

/// Writes this version's recordings, unless they exist.
fn keep(version: &Path) {
    if version.exists() {
        return;
    }
    fs::create_dir(version).unwrap();
    for (name, play) in RECORDINGS {
        let bytes = write::<perfetto::Writer>(play);
        let info = serde_json::to_string_pretty(&import::open(&bytes).unwrap().info()).unwrap();
        fs::write(version.join(format!("{name}.json")), write::<chrome_json::Writer>(play)).unwrap();
        fs::write(version.join(format!("{name}.pftrace.hex")), hex_of(&bytes)).unwrap();
        fs::write(version.join(format!("{name}.info.json")), info + "\n").unwrap();
    }
}

/// Returns bytes as lines of hexadecimal digits, so that the stored files are text.
fn hex_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    for line in bytes.chunks(LINE) {
        for byte in line {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    text
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let text = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(text).collect()
}

#[test]
fn what_is_gone_or_different_is_found() {
    let lost = |then: &str, now: &str| {
        let mut lost = Vec::new();
        compare("a", &serde_json::from_str(then).unwrap(), &serde_json::from_str(now).unwrap(), &mut lost);
        lost
    };
    assert_eq!(lost(r#"{"b":[{"c":1}],"d":null}"#, r#"{"b":[{"c":1,"new":2}]}"#), [""; 0]);
    assert_eq!(lost(r#"{"b":1}"#, r#"{"c":1}"#), ["a.b is gone"]);
    assert_eq!(lost(r#"{"b":[1,2]}"#, r#"{"b":[1,3]}"#), ["a.b[1] was 2 and is 3"]);
    assert_eq!(lost("[1]", "[]").len(), 1);
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(bytes_of(&hex_of(&bytes)), bytes);
}
