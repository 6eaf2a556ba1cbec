//! Hidden modules of the server: storage doesn't know HTTP, and error responses are created in one place.

use crate::sources::{Source, assert_none, files_below, product_files};
use crate::walls::{broken_walls, is_below, mentions};

const FOLDER: &str = "server/src";

/// Sources of crates that handle secrets.
const WITH_SECRETS: &[&str] = &[FOLDER, "program/cli/src", "program/client/src"];

/// Sources of crates that never print: the command line and the launcher do.
const SILENT: &[&str] = &[
    FOLDER,
    "program/client/src",
    "program/report/src",
    "program/sql/src",
    "program/system/src",
    "program/text/src",
];

/// Modules that a module must not use: `http → app → ingest → limits → storage → db`.
const WALLS: &[(&str, &[&str])] = &[
    (
        "auth",
        &[
            "app",
            "http/controllers",
            "http/error",
            "http/extract",
            "http/middleware",
            "http/page",
            "http/router",
            "ingest",
        ],
    ),
    (
        "db",
        &[
            "app",
            "auth/action",
            "auth/authenticate",
            "auth/principal",
            "comments",
            "http",
            "ingest/loading",
            "ingest/trace_cache",
            "limits",
            "storage",
        ],
    ),
    (
        "storage",
        &[
            "app",
            "comments",
            "http",
            "ingest/jobs",
            "ingest/loading",
            "ingest/trace_cache",
            "ingest/upload",
            "limits",
        ],
    ),
    ("limits", &["app", "comments", "db", "http", "listing"]),
    ("comments", &["app", "http", "ingest", "limits", "storage"]),
    ("listing", &["app", "http/controllers", "ingest", "limits", "storage"]),
    ("ingest/trace_cache", &["app", "http/controllers", "http/error", "http/page", "ingest/loading"]),
    ("ingest/loading", &["app", "http"]),
    ("ingest/upload", &["http/controllers", "http/middleware", "http/router", "ingest/jobs"]),
    ("ingest/jobs", &["http/controllers", "http/middleware", "http/router"]),
    ("app", &["http/controllers", "http/middleware", "http/router", "ingest/jobs", "ingest/upload"]),
    ("http/page", &["app", "http/controllers", "http/error", "ingest", "storage"]),
    ("http/controllers", &["http/listen", "http/middleware", "http/router"]),
    ("http/middleware", &["http/controllers", "http/listen", "http/router"]),
];

/// Modules that know HTTP; the others have types of their own.
const HTTP: &[&str] = &["app", "http"];

/// Success statuses, which a controller may choose.
const GOOD: &[&str] =
    &["StatusCode::CREATED", "StatusCode::ACCEPTED", "StatusCode::NO_CONTENT", "StatusCode::NOT_MODIFIED"];

fn sources_of(folders: &[&str]) -> Vec<Source> {
    folders.iter().flat_map(|folder| product_files(folder)).collect()
}

fn outside(files: &[Source], names: &[&str]) -> Vec<Source> {
    let is_in = |module: &str| names.iter().any(|name| is_below(module, name));
    let others = files.iter().filter(|file| !is_in(file.module(FOLDER)));
    others.map(|file| Source::new(&file.path, &file.text)).collect()
}

/// Returns the error statuses used in `files` outside of `http/error`.
fn failures_elsewhere(files: &[Source]) -> Vec<String> {
    let found = mentions(&outside(files, &["http/error"]), &["StatusCode::"]);
    found.into_iter().filter(|line| !GOOD.iter().any(|good| line.contains(good))).collect()
}

fn http_inside(files: &[Source]) -> Vec<String> {
    mentions(&outside(files, HTTP), &["axum", "hyper", "tower_http"])
}

fn printing(files: &[Source]) -> Vec<String> {
    mentions(files, &["println!", "eprint!", "print!("])
}

/// Types that contain a secret. An ordinary comparison stops at the first different letter, so its duration reveals
/// how much of a guess is right.
const SECRETS: &[&str] = &["struct Secret(", "struct Attempt ", "struct Account "];
/// Calls that expose the text of a secret.
const TEXTS: &[&str] =
    &[".expose()", "access.key()", "account.key()", ".state()", ".secret()", "secret.0", "self.secret"];
/// Operators and calls that compare texts letter by letter, or look them up so.
const COMPARISONS: &[&str] = &[
    "==",
    "!=",
    ".eq(",
    ".ne(",
    ".cmp(",
    "contains(",
    "starts_with(",
    "ends_with(",
    "strip_prefix(",
    ".get(",
    "matches!(",
];

fn compared_secrets(files: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let mut derived = "";
        for (number, line) in file.lines() {
            let line = line.trim();
            let is_secret = SECRETS.iter().any(|name| line.contains(name));
            let is_comparable = ["Eq", "Ord", "Hash"].iter().any(|name| derived.contains(name));
            let is_compared = TEXTS.iter().any(|text| line.contains(text))
                && !line.contains("Sha256::digest")
                && COMPARISONS.iter().any(|comparison| line.contains(comparison));
            if is_secret && is_comparable || is_compared {
                found.push(format!("{}:{number}: {line}", file.path));
            }
            if line.starts_with("#[derive") || !line.starts_with(['#', '/']) {
                derived = line;
            }
        }
    }
    found
}

/// Returns the columns of `files` of SQL that contain a secret itself, and statements that search for one.
fn stored_secrets(files: &[Source]) -> Vec<String> {
    let names = ["secret", "password", "visit", "attempt", "session"];
    let is_kept = |line: &str| {
        let mut words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        words.any(|word| names.contains(&word.to_ascii_lowercase().as_str()))
    };
    let statement = |line: &str| !line.trim().starts_with("--") && line.contains("TEXT") && is_kept(line);
    let all = files.iter().flat_map(|file| file.lines().map(move |(number, line)| (file, number, line)));
    all.filter(|(.., line)| statement(line))
        .map(|(file, number, line)| format!("{}:{number}: {}", file.path, line.trim()))
        .collect()
}

#[test]
fn secrets_are_compared_by_their_digests() {
    assert_none(
        "compare digests (SecretHash, Sha256), or look them up by these:",
        &compared_secrets(&sources_of(WITH_SECRETS)),
    );
}

#[test]
fn tables_hold_digests_of_secrets() {
    assert_none("keep a digest:", &stored_secrets(&files_below("server/migrations", &["sql"])));
}

#[test]
fn modules_of_the_server_keep_to_their_direction() {
    assert_none("a module sees what it must not see:", &broken_walls(FOLDER, WALLS));
}

#[test]
fn only_the_edge_of_the_server_knows_http() {
    assert_none("storage and cache are plain Rust:", &http_inside(&product_files(FOLDER)));
}

#[test]
fn failures_get_their_status_in_one_place() {
    assert_none(
        "an error gets its status in server/src/http/error:",
        &failures_elsewhere(&product_files(FOLDER)),
    );
}

#[test]
fn the_server_logs_and_does_not_print() {
    assert_none("use tracing; only the command line and the launcher print:", &printing(&sources_of(SILENT)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::Crate;
    use crate::walls::through_walls;

    fn file(path: &str, text: &str) -> Vec<Source> {
        vec![Source::new(path, text)]
    }

    #[test]
    fn a_status_of_a_failure_is_found_outside_of_the_errors() {
        let text = "fn a() { (StatusCode::NOT_FOUND, StatusCode::OK) }";
        assert_eq!(failures_elsewhere(&file("server/src/http/controllers/page.rs", text)).len(), 1);
        assert_eq!(failures_elsewhere(&file("server/src/http/error/page.rs", text)), Vec::<String>::new());
        let created = file("server/src/http/controllers/upload.rs", "fn a() { StatusCode::CREATED }");
        assert_eq!(failures_elsewhere(&created), Vec::<String>::new());
    }

    #[test]
    fn http_away_from_the_edge_is_found() {
        let text = "use axum::body::Body;";
        assert_eq!(http_inside(&file("server/src/storage/local.rs", text)).len(), 1);
        assert_eq!(http_inside(&file("server/src/http/controllers/tile.rs", text)), Vec::<String>::new());
    }

    #[test]
    fn a_secret_that_is_compared_is_found() {
        for text in [
            "fn a() { if one.expose() == two {} }",
            "fn a() { account.key().contains(two) }",
            "fn a() { attempt.state() != state }",
            "fn a() { all.get(secret.expose()) }",
            "#[derive(Clone, PartialEq)]\npub struct Secret(String);",
            "#[derive(Hash)]\n/// One.\npub struct Secret(String);",
        ] {
            assert_eq!(compared_secrets(&file("server/src/auth/a.rs", text)).len(), 1, "{text}");
        }
        for text in [
            "fn a() { one.hash() == two.hash() }",
            "fn a() { Sha256::digest(self.state()) == Sha256::digest(state) }",
            "#[derive(Clone)]\npub struct Secret(String);\n#[derive(PartialEq)]\nstruct Other(u8);",
        ] {
            assert_eq!(compared_secrets(&file("server/src/auth/a.rs", text)), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_table_with_a_secret_is_found() {
        for (text, count) in [
            ("    secret TEXT NOT NULL,", 1),
            ("    session TEXT PRIMARY KEY,", 1),
            ("    secret_sha256 TEXT PRIMARY KEY,", 0),
            ("    -- The secret: TEXT", 0),
        ] {
            assert_eq!(stored_secrets(&file("server/migrations/a.sql", text)).len(), count, "{text}");
        }
    }

    #[test]
    fn a_server_that_prints_is_found() {
        let text = "fn a() { eprintln!(\"b\") }";
        assert_eq!(printing(&file("server/src/trace_cache.rs", text)).len(), 1);
    }

    #[test]
    fn modules_are_told_from_those_with_longer_names() {
        assert_eq!(outside(&file("server/src/pages.rs", ""), &["page"]).len(), 1);
        assert_eq!(outside(&file("server/src/page/folder.rs", ""), &["page"]).len(), 0);
        assert_eq!(outside(&file("server/src/page.rs", ""), &["page"]).len(), 0);
    }

    #[test]
    fn a_storage_that_knows_http_is_found() {
        let files = [
            ("server/src/lib.rs", "mod http; mod storage;"),
            ("server/src/http.rs", "pub struct Status;"),
            ("server/src/storage.rs", "use crate::http::Status;"),
        ];
        let files: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        assert_eq!(through_walls(&Crate::read(FOLDER, &files), WALLS, &[]).len(), 1);
    }
}
