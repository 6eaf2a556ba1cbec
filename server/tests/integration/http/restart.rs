//! Derived files after a restart: they answer at once, and an import writes them again where they are damaged or
//! missing.

use std::fs;
use std::path::PathBuf;

use axum::http::StatusCode;
use syclscope_language::api::{TraceEntry, TraceInfo};
use syclscope_server::storage::derived_file;

use super::TestServer;
use crate::recording;

/// Returns a server with a trace after a restart. `harm` may change the trace's folder before.
async fn restarted(harm: impl FnOnce(PathBuf)) -> (TestServer, TraceEntry, TraceInfo) {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let info = server.get(&format!("/api/v1/traces/{}", entry.id)).await.json();
    let TestServer { router, scratch } = server;
    drop(router);
    harm(scratch.path("data/traces").join(&entry.id));
    (TestServer::over(scratch).await, entry, info)
}

#[tokio::test]
async fn the_first_answer_after_a_restart_needs_no_import() {
    // Makes the original impossible to import, so the answers show that it is not read.
    let spoil = |folder: PathBuf| {
        let original = folder.join("trace.bin");
        let size = fs::metadata(&original).unwrap().len();
        fs::write(&original, vec![b'?'; size as usize]).unwrap();
    };
    let (server, entry, info) = restarted(spoil).await;
    let answer = server.get(&format!("/api/v1/traces/{}", entry.id)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.json::<TraceInfo>(), info);
}

#[tokio::test]
async fn a_derived_file_that_does_not_fit_is_written_again() {
    let truncate = |folder: PathBuf| {
        let path = folder.join(derived_file());
        let bytes = fs::read(&path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let remove = |folder: PathBuf| fs::remove_file(folder.join(derived_file())).unwrap();
    let replace = |folder: PathBuf| fs::write(folder.join(derived_file()), "not one of ours").unwrap();
    let empty = |folder: PathBuf| fs::write(folder.join(derived_file()), "").unwrap();
    let harms: [fn(PathBuf); 4] = [truncate, remove, replace, empty];
    for harm in harms {
        let (server, entry, info) = restarted(harm).await;
        let address = format!("/api/v1/traces/{}", entry.id);
        assert_eq!(server.get(&address).await.json::<TraceInfo>(), info);
        let derived = server.scratch.path("data/traces").join(&entry.id).join(derived_file());
        assert!(fs::metadata(derived).unwrap().len() > 1_000);
    }
}

#[tokio::test]
async fn a_damaged_number_is_found_while_it_already_answers() {
    // The names of the recording lie in the text column: damage that a check of the file's end can't find.
    let damage = |folder: PathBuf| {
        let path = folder.join(derived_file());
        let mut bytes = fs::read(&path).unwrap();
        let name = recording::KERNEL.as_bytes();
        let place = bytes.windows(name.len()).position(|text| text == name).unwrap();
        bytes[place] = b'X';
        fs::remove_file(&path).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let (server, entry, info) = restarted(damage).await;
    let address = format!("/api/v1/traces/{}", entry.id);
    let derived = server.scratch.path("data/traces").join(&entry.id).join(derived_file());
    // Answers from an unchecked file must not be cached. (The check removes the damaged file.)
    let early = server.get(&address).await;
    assert_eq!((early.status, early.header("etag")), (StatusCode::OK, ""));
    assert_eq!(early.header("cache-control"), "no-store");
    while derived.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    // The next request gets the result of an import, which leaves a sound file.
    while !derived.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        assert_eq!(server.get(&address).await.json::<TraceInfo>(), info);
    }
}

#[tokio::test]
async fn half_written_files_go_and_the_users_own_stay_alone() {
    let leave = |folder: PathBuf| fs::write(folder.join("derived.arrow.abc"), "half").unwrap();
    let (server, entry, _) = restarted(leave).await;
    let folder = server.scratch.path("data/traces").join(&entry.id);
    assert!(!folder.join("derived.arrow.abc").exists());
    let own = crate::scratch::Scratch::new();
    own.file("run.pftrace", recording::as_perfetto());
    let router = super::service_of_files(&own, "run.pftrace");
    let traces = super::send(&router, "GET", "/api/v1/traces", &[], axum::body::Body::empty()).await;
    let traces: Vec<TraceEntry> = traces.json();
    let address = format!("/api/v1/traces/{}", traces[0].id);
    super::send(&router, "GET", &address, &[], axum::body::Body::empty()).await;
    assert_eq!(own.names(), ["run.pftrace"]);
}
