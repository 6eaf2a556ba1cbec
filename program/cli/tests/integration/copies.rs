//! Several servers over one PostgreSQL and one store. Only where `SYCLSCOPE_TEST_POSTGRES` names a PostgreSQL.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};
use syclscope_language::api::{TraceEntry, UploadAnswer, UploadEntry, UploadState};
use syclscope_server::db::Connection;
use syclscope_system::id::Id;

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, syclscope};

/// Creates a database in the test's PostgreSQL; `None` without one.
fn database() -> Option<String> {
    let address = std::env::var("SYCLSCOPE_TEST_POSTGRES").ok()?;
    let name = format!("copies_{}", Id::random().expect("random numbers"));
    let made = on_database(&address, &format!("CREATE DATABASE {name}"));
    assert_eq!(made, None);
    Some(format!("{}/{name}", address.rsplit_once('/').expect("an address with a database").0))
}

fn on_database(address: &str, statement: &str) -> Option<String> {
    sqlx::any::install_default_drivers();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut connection = Connection::connect(address).await.expect("PostgreSQL answers");
        let row = connection.fetch_optional(AssertSqlSafe(statement.to_owned())).await.expect("a row");
        row.and_then(|row| row.try_get::<Option<String>, _>(0).expect("text"))
    })
}

fn copy(scratch: &Scratch, name: &str, database: &str) -> Running {
    let store = format!("file://{}", scratch.path("store").display());
    let mut command = syclscope(scratch);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", name, "--store", &store]);
    Running::start(command.env("SYCLSCOPE_DATABASE", database))
}

fn send(server: &Running, method: &str, path: &str, body: &[u8]) -> String {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        server.address(),
        body.len()
    );
    server.talk(&[head.as_bytes(), body].concat())
}

fn body<T: serde::de::DeserializeOwned>(answer: &str) -> T {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {answer}"))
}

fn traces(server: &Running) -> Vec<TraceEntry> {
    body(&server.get("/api/v1/traces"))
}

#[test]
fn whichever_copy_answers_the_traces_are_the_same() {
    let Some(database) = database() else { return };
    let scratch = Scratch::new();
    let (one, two) = (copy(&scratch, "one", &database), copy(&scratch, "two", &database));
    let entry: TraceEntry =
        body(&send(&one, "POST", "/api/v1/traces?name=run.pftrace", &recording::as_perfetto()));
    assert_eq!(traces(&two), std::slice::from_ref(&entry));
    assert!(two.get(&format!("/api/v1/traces/{}", entry.id)).contains(recording::KERNEL));
    let again = send(&two, "POST", "/api/v1/traces?name=again.pftrace", &recording::as_perfetto());
    assert!(again.starts_with("HTTP/1.1 200"), "{again}");
    let deleted = send(&two, "DELETE", &format!("/api/v1/traces/{}", entry.id), b"");
    assert!(deleted.starts_with("HTTP/1.1 204"), "{deleted}");
    assert_eq!(traces(&one), []);
    assert!(one.get(&format!("/api/v1/traces/{}", entry.id)).starts_with("HTTP/1.1 404"));
    for copy in [one, two] {
        let (code, said) = copy.stop();
        assert_eq!(code, Some(0), "{said}");
        assert!(!said.contains("ERROR"), "{said}");
    }
}

/// Returns a trace that is long enough for several parts of an upload.
fn long() -> Vec<u8> {
    let mut text = String::from("[");
    for number in 0..250_000_u32 {
        let _ = write!(
            text,
            r#"{{"ph":"X","ts":{},"dur":1,"pid":1,"tid":{},"name":"step {}"}},"#,
            number * 2,
            number % 7,
            number % 1000
        );
    }
    text.pop();
    text.push(']');
    text.into_bytes()
}

#[test]
fn another_copy_finishes_the_import_of_one_that_died() {
    let Some(database) = database() else { return };
    let scratch = Scratch::new();
    let one = copy(&scratch, "one", &database);
    let bytes = long();
    let sha256: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let new = format!(r#"{{"name":"long.json","size_bytes":{},"sha256":"{sha256}"}}"#, bytes.len());
    let UploadAnswer::Open(info) = body(&send(&one, "POST", "/api/v1/uploads", new.as_bytes())) else {
        panic!("the bytes are new")
    };
    for (number, part) in bytes.chunks(usize::try_from(info.part_bytes).expect("a size")).enumerate() {
        let path = format!("/api/v1/uploads/{}/parts/{number}", info.id);
        let answer = send(&one, "PUT", &path, part);
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    }
    // The FIFO stops the import until it is a file again: the import can't end before its server is killed.
    let part = scratch.path("store/uploads").join(&info.id).join("0");
    let aside = scratch.path("part");
    std::fs::rename(&part, &aside).expect("the part is there");
    assert!(Command::new("mkfifo").arg(&part).status().expect("mkfifo runs").success());
    let path = format!("/api/v1/uploads/{}/complete", info.id);
    assert!(send(&one, "POST", &path, b"").starts_with("HTTP/1.1 202"));
    while on_database(&database, "SELECT claimed_by FROM jobs").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    one.kill();
    assert!(on_database(&database, "SELECT claimed_by FROM jobs").is_some(), "nobody has put it back");
    std::fs::rename(&aside, &part).expect("the part takes its place again");

    let two = copy(&scratch, "two", &database);
    assert_eq!(traces(&two), []);
    let path = format!("/api/v1/uploads/{}", info.id);
    let done = loop {
        let now: UploadEntry = body(&two.get(&path));
        if now.state != UploadState::Importing {
            break now;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(matches!(done.state, UploadState::Done { .. }), "{done:?}");
    assert_eq!(traces(&two).len(), 1);
    let stored = scratch.path("store/traces").join(&info.id).join("trace.bin");
    assert!(std::fs::read(stored).expect("the stored file") == bytes);
    assert_eq!(on_database(&database, "SELECT claimed_by FROM jobs"), None);
    // Unfinished files of the dead server stay for a day, and those of others are untouched.
    assert!(two.stop().0 == Some(0));
}

#[test]
fn copies_start_at_once_on_an_empty_database() {
    let Some(database) = database() else { return };
    let scratch = Scratch::new();
    let starting = ["one", "two", "three"].map(|name| {
        let store = format!("file://{}", scratch.path("store").display());
        let mut command: Command = syclscope(&scratch);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", name, "--store", &store]);
        command.args(["--database", &database]);
        std::thread::spawn(move || Running::start(&mut command))
    });
    for copy in starting {
        assert_eq!(traces(&copy.join().expect("no panic")), []);
    }
}

#[test]
fn a_database_or_store_that_is_not_there_is_named_without_its_password() {
    let scratch = Scratch::new();
    for (option, address, said) in [
        ("--database", "postgres://me:secret@127.0.0.1:9/x", "database"),
        ("--database", "mysql://me:secret@127.0.0.1:9/x", "postgres://"),
        ("--store", "ftp://here", "s3://"),
    ] {
        let output = syclscope(&scratch).args(["serve", "--data", "data", option, address]).output();
        let output = output.expect("syclscope runs");
        let text = crate::support::stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(said) && !text.contains("secret"), "{text}");
    }
}

#[test]
fn a_comment_made_through_one_copy_reaches_those_who_look_through_another() {
    let Some(database) = database() else { return };
    let scratch = Scratch::new();
    let (one, two) = (copy(&scratch, "one", &database), copy(&scratch, "two", &database));
    let entry: TraceEntry =
        body(&send(&one, "POST", "/api/v1/traces?name=run.pftrace", &recording::as_perfetto()));
    let path = format!("/api/v1/traces/{}/comments", entry.id);
    let mut stream = TcpStream::connect(two.address()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a socket");
    let head = format!("GET {path}/events HTTP/1.1\r\nhost: {}\r\n\r\n", two.address());
    stream.write_all(head.as_bytes()).expect("a request is taken");
    let mut heard = BufReader::new(stream).lines().map(|line| line.expect("it goes on"));
    assert!(heard.any(|line| line.starts_with("id: ")), "it listens");
    let made = send(&one, "POST", &path, br#"{"pin":"n1","text":"slow here"}"#);
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
    assert!(heard.any(|line| line.starts_with("data: ") && line.contains("slow here")));
    // An open connection does not delay the end.
    let begun = std::time::Instant::now();
    assert_eq!(two.stop().0, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(60), "as long as it would have listened");
    heard.for_each(drop);
    assert_eq!(one.stop().0, Some(0));
}
