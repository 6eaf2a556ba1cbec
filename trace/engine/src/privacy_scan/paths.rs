//! Finds paths of files in any text, and the accounts that they name.

use std::ops::Range;

use syclscope_language::percent;

/// Folders at the top of a file system: a path begins there even where something stands right before it (`-I/home/…`).
const ROOTS: &[&str] = &[
    "/home/",
    "/Users/",
    "/users/",
    "/root/",
    "/tmp/",
    "/var/",
    "/usr/",
    "/opt/",
    "/etc/",
    "/mnt/",
    "/media/",
    "/srv/",
    "/scratch/",
    "/lustre/",
    "/gpfs/",
    "/work/",
    "/data/",
    "/nfs/",
    "/proj/",
    "/project/",
    "/projects/",
    "/global/",
    "/private/",
    "/dev/shm/",
    "/run/",
    "/proc/",
    "/lib/",
    "/lib64/",
];

/// Folders that hold a folder for each account.
const HOMES: &[&str] = &["home", "Users", "users"];

/// The paths in a text, in order.
pub(crate) fn in_text(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].find(is_of_path)?;
            let end = text[start..].find(|c| !is_of_path(c)).map_or(text.len(), |length| start + length);
            at = end;
            if let Some(path) = in_run(&text[start..end]) {
                return Some(start + path.start..start + path.end);
            }
        }
        None
    })
}

/// The account in whose home folder a path lies.
pub(crate) fn user_of(path: &str) -> Option<&str> {
    let mut parts = path.split(['/', '\\']).skip_while(|part| !HOMES.contains(part)).skip(1);
    let user = parts.next().filter(|user| !user.is_empty())?;
    // `/home/file` has no account, and those that all machines have are nobody.
    let is_folder = parts.next().is_some() || path.starts_with("/home/");
    (is_folder && !["shared", "Shared", "Public", "runner"].contains(&user)).then_some(user)
}

/// The last part of a path, whichever system it is of.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "_-.+/~@%#\\".contains(c)
}

/// Where in a run of a path's characters the path is, if there is one.
fn in_run(run: &str) -> Option<Range<usize>> {
    let run = run.trim_end_matches(['.', '/']);
    let lower = run.to_ascii_lowercase();
    if lower.contains("%2f") && percent::decode(run).is_some_and(|decoded| in_run(&decoded).is_some()) {
        return Some(0..run.len());
    }
    if !run.contains(['/', '\\']) {
        return None;
    }
    if let Some(start) = ROOTS.iter().filter_map(|root| run.find(root)).min() {
        return Some(start..run.len());
    }
    for flag in ["-I", "-L"] {
        if run.starts_with(flag) && run[flag.len()..].starts_with('/') {
            return Some(flag.len()..run.len());
        }
    }
    let is_rooted = ["/", "~/", "./", "../"].iter().any(|start| run.starts_with(start))
        || (run.starts_with('\\') && run.matches('\\').count() > 1);
    let is_named = run.chars().any(char::is_alphanumeric);
    (is_named && (is_rooted || has_ending(base_name(run)))).then_some(0..run.len())
}

/// Whether a name ends like that of a file: `.cpp`, `.so`.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_short = (1..=5).contains(&ending.len());
        !stem.is_empty() && is_short && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_texts() {
        for (text, expected) in [
            ("/home/anna/a.cpp", vec!["/home/anna/a.cpp"]),
            ("-O2 -I/home/anna/include -DX=/opt/x,y", vec!["/home/anna/include", "/opt/x"]),
            ("(lambda at /src/main.cpp:12:3)", vec!["/src/main.cpp"]),
            ("-I/include", vec!["/include"]),
            ("see src/heat.hpp.", vec!["src/heat.hpp"]),
            ("C:\\Users\\anna\\a.cpp", vec!["\\Users\\anna\\a.cpp"]),
            ("file:///home/anna", vec!["/home/anna"]),
            ("name=%2Fhome%2Fanna%2Fa", vec!["%2Fhome%2Fanna%2Fa"]),
            ("/größe/µ.cpp", vec!["/größe/µ.cpp"]),
            ("3 GB/s, read/write, 1/2, N/A, a / b, 0.5/1.5", vec![]),
            ("void gemm<float, 16>::operator()() const", vec![]),
            ("/ // ...", vec![]),
        ] {
            let found: Vec<&str> = in_text(text).map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn accounts_are_those_of_home_folders() {
        for (path, expected) in [
            ("/home/anna/a.cpp", Some("anna")),
            ("/home/anna", Some("anna")),
            ("\\Users\\anna\\a.cpp", Some("anna")),
            ("/net/home/anna/x", Some("anna")),
            ("/usr/include/a.h", None),
            ("/home", None),
        ] {
            assert_eq!(user_of(path), expected, "{path}");
        }
    }
}
