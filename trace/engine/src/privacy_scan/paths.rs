//! Search for paths of files in any text, and for the accounts in them.

use std::ops::Range;

use syclscope_language::percent;

/// Folders at the root of a file system: a path starts there even right after other characters (`-I/home/…`).
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

/// Folders with a subfolder for each account.
const HOMES: &[&str] = &["home", "Users", "users"];

/// Maximum length of a folder's name on common file systems, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Returns the paths in a text, in order.
///
/// Names of folders may contain spaces and punctuation: a path continues after these if another separator follows in
/// the same line. The last component of a path ends at the first of them.
pub(crate) fn in_text(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].find(is_of_path)?;
            let mut end = end_of_run(text, start);
            at = end;
            if let Some(path) = in_run(&text[start..end], is_behind_drive(text, start)) {
                let begin = start + path.start;
                let mut path_end = start + path.end;
                while let Some(next) = continued(text, end) {
                    end = end_of_run(text, next);
                    path_end = next + text[next..end].trim_end_matches(['.', '/']).len();
                }
                at = end;
                if text[begin..path_end].contains(char::is_alphanumeric) {
                    return Some(begin..path_end);
                }
            }
        }
        None
    })
}

fn end_of_run(text: &str, start: usize) -> usize {
    text[start..].find(|c| !is_of_path(c)).map_or(text.len(), |length| start + length)
}

/// True if a drive's letter and a colon precede a position: `C:\`.
fn is_behind_drive(text: &str, start: usize) -> bool {
    let mut before = text[..start].chars().rev();
    before.next() == Some(':')
        && before.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && !before.next().is_some_and(char::is_alphanumeric)
}

/// Returns the next separator of a path that was interrupted at `end`, if the text in between is part of a folder's
/// name.
fn continued(text: &str, end: usize) -> Option<usize> {
    let mut is_behind_name = false;
    for (offset, c) in text[end..].char_indices().take_while(|(offset, _)| *offset <= MAX_NAME_BYTES) {
        match c {
            '/' | '\\' if is_behind_name => {
                let name = &text[end..end + offset];
                let is_flag = ["-I", "-L"].iter().any(|flag| name.ends_with(&format!(" {flag}")));
                return (!is_flag).then_some(end + offset);
            }
            '/' | '\\' | '\n' | '\r' | '\0' => return None,
            c => is_behind_name = !c.is_whitespace() && !"=:,;\"'`(<[{|&".contains(c),
        }
    }
    None
}

/// Returns the account of the home folder that contains a path.
pub(crate) fn user_of(path: &str) -> Option<&str> {
    let of_shell = path.strip_prefix('~').and_then(|path| path.split(['/', '\\']).next());
    if let Some(user) = of_shell.filter(|user| !user.is_empty()) {
        return Some(user);
    }
    let parts = path.split(['/', '\\']).skip_while(|part| !HOMES.contains(part));
    // On clusters one such folder may lie in another: `/home/users/anna`.
    let mut parts = parts.skip_while(|part| HOMES.contains(part));
    let user = parts.next().filter(|user| !user.is_empty())?;
    // `/home/file` names no account, and neither do folders of all machines.
    let is_folder = parts.next().is_some() || path.starts_with("/home/");
    (is_folder && !["shared", "Shared", "Public", "runner"].contains(&user)).then_some(user)
}

/// Returns the last component of a path, for any operating system.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "_-.+/~@%#\\".contains(c)
}

/// Returns the position of the path in a run of path characters, if there is one.
fn in_run(whole: &str, is_behind_drive: bool) -> Option<Range<usize>> {
    let run = whole.trim_end_matches(['.', '/']);
    let lower = run.to_ascii_lowercase();
    if lower.contains("%2f") && percent::decode(run).is_some_and(|decoded| in_run(&decoded, false).is_some())
    {
        return Some(0..run.len());
    }
    if let Some(start) = ROOTS.iter().filter_map(|root| run.find(root)).min() {
        return Some(start..run.len());
    }
    if let Some(start) = behind_flag(whole) {
        return Some(start..run.len().max(start));
    }
    let has_file = run.contains(['/', '\\']) && has_ending(base_name(run));
    let has_name = whole.contains(|c| !"/\\".contains(c));
    let is_absolute = is_rooted(whole) || (is_behind_drive && run.starts_with('\\'));
    (has_file || (has_name && is_absolute)).then_some(0..run.len())
}

/// Returns the position of a rooted path right after a compiler's flag or a sign: `-I/include`, `@/options`.
fn behind_flag(run: &str) -> Option<usize> {
    let slash = run.find('/')?;
    let flag = &run[..slash];
    let is_flag = flag.starts_with('-') && flag.trim_start_matches('-').chars().all(char::is_alphabetic);
    let is_sign = !flag.is_empty() && flag.chars().all(|c| "@+#%-".contains(c));
    (is_flag || is_sign).then_some(slash)
}

fn is_rooted(run: &str) -> bool {
    let is_of_account = run
        .strip_prefix('~')
        .and_then(|rest| rest.split_once(['/', '\\']))
        .is_some_and(|(account, _)| account.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)));
    is_of_account
        || ["/", "./", "../"].iter().any(|start| run.starts_with(start))
        || (run.starts_with('\\') && run.matches('\\').count() > 1)
}

/// True if a name ends in a file extension: `.cpp`, `.so`.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_short = (1..=5).contains(&ending.len());
        !stem.is_empty() && is_short && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    #[test]
    fn paths_are_found_in_texts() {
        for (text, expected) in [
            ("/home/anna/a.cpp", vec!["/home/anna/a.cpp"]),
            ("-O2 -I/home/anna/include -DX=/opt/x,y", vec!["/home/anna/include", "/opt/x"]),
            ("(lambda at /src/main.cpp:12:3)", vec!["/src/main.cpp"]),
            ("-I/include", vec!["/include"]),
            ("-isystem/include @/options", vec!["/include @/options"]),
            ("-I/include -I/lib -L/a", vec!["/include", "/lib", "/a"]),
            ("cd ~anna/heat", vec!["~anna/heat"]),
            ("D:\\secret 1/2", vec!["\\secret 1/2"]),
            ("D:\\secret", vec!["\\secret"]),
            ("/home/anna/My Project/a.cpp and b", vec!["/home/anna/My Project/a.cpp"]),
            ("/home/anna/R&D, (2nd)/a.cpp:3", vec!["/home/anna/R&D, (2nd)/a.cpp"]),
            ("/home/anna/a.cpp, /opt/b.cpp", vec!["/home/anna/a.cpp", "/opt/b.cpp"]),
            ("/home/anna/a.cpp\nread/write", vec!["/home/anna/a.cpp"]),
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
    fn every_folder_of_a_path_is_found_whatever_its_name() {
        let name = "[a-zA-Zäµ0-9_.+~@%#-]([ -.0-\\[\\]-~äµ]{0,12}[a-zA-Zä0-9_.)+-])?";
        let root =
            prop::sample::select(vec!["/", "/home/anna/", "~/", "~anna/", "../", "-I/", "-isystem/", "@/"]);
        let path = (root, prop::collection::vec(name, 1..5), "[a-z]{1,8}(\\.cpp)?");
        let around =
            prop::sample::select(vec!["", " ", "x=", "see ", "\"", "(lambda at ", "\n", "1/2\n", ": "]);
        let config = Config { failure_persistence: None, cases: 2_000, ..Config::default() };
        TestRunner::new(config)
            .run(&(around, path), |(before, (root, folders, file))| {
                let text = format!("{before}{root}{}/{file}\n", folders.join("/"));
                let begin = before.len() + root.len();
                let found: Vec<Range<usize>> = in_text(&text).collect();
                for (place, letter) in text.char_indices().skip_while(|(place, _)| *place < begin) {
                    let is_found = found.iter().any(|range| range.contains(&place));
                    prop_assert!(is_found || !letter.is_alphanumeric(), "{text:?} at {place}: {found:?}");
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn accounts_are_those_of_home_folders() {
        for (path, expected) in [
            ("/home/anna/a.cpp", Some("anna")),
            ("/home/anna", Some("anna")),
            ("\\Users\\anna\\a.cpp", Some("anna")),
            ("/net/home/anna/x", Some("anna")),
            ("/home/users/anna/a.cpp", Some("anna")),
            ("/home/users", None),
            ("/usr/include/a.h", None),
            ("/home", None),
            ("~anna/a", Some("anna")),
            ("~/a", None),
        ] {
            assert_eq!(user_of(path), expected, "{path}");
        }
    }
}
