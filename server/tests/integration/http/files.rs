//! The user's own files: read, never changed.

use std::os::unix::fs::PermissionsExt as _;

use axum::body::Body;
use syclscope_language::api::{TraceEntry, TraceInfo};

use super::{send, service_of_files};
use crate::recording;
use crate::scratch::Scratch;

#[tokio::test]
async fn a_folder_is_listed_and_its_files_opened() {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::as_perfetto());
    scratch.file("b.json", recording::as_json());
    scratch.file("c.json", "{\"no\": \"trace\"}");
    let router = service_of_files(&scratch, ".");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let entries: Vec<TraceEntry> = list.json();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        let answer = send(&router, "GET", &format!("/api/v1/traces/{}", entry.id), &[], Body::empty()).await;
        if entry.name == "c.json" {
            answer.is_error(422, "not_a_trace");
            assert!(answer.text().contains("c.json"), "{}", answer.text());
        } else {
            assert_eq!(answer.json::<TraceInfo>().kernels[0].name, recording::KERNEL, "{}", entry.name);
        }
    }
}

#[tokio::test]
async fn answers_about_a_file_change_with_it() {
    let scratch = Scratch::new();
    let path = scratch.file("run.pftrace", recording::as_perfetto());
    let router = service_of_files(&scratch, "run.pftrace");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    for place in [format!("/api/v1/traces/{id}"), format!("/api/v1/traces/{id}/tiles/timeline/0/0/0")] {
        let first = send(&router, "GET", &place, &[], Body::empty()).await;
        let etag = first.header("etag").to_owned();
        if first.status != 200 {
            continue; // a track group has no tiles
        }
        assert_eq!(first.header("cache-control"), "private, no-cache");
        let again = send(&router, "GET", &place, &[("if-none-match", &etag)], Body::empty()).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    }
    std::fs::write(&path, recording::as_json()).expect("the file");
    let place = format!("/api/v1/traces/{id}");
    let changed = send(&router, "GET", &place, &[("if-none-match", "\"x\"")], Body::empty()).await;
    assert_eq!(changed.json::<TraceInfo>().kernels[0].count, 3);
    std::fs::remove_file(&path).expect("the file");
    send(&router, "GET", &place, &[], Body::empty()).await.is_error(404, "not_found");
}

#[tokio::test]
async fn nothing_is_uploaded_to_or_deleted_from_the_users_files() {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::as_perfetto());
    let router = service_of_files(&scratch, ".");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    let upload = send(&router, "POST", "/api/v1/traces?name=b.json", &[], recording::as_json().into()).await;
    upload.is_error(403, "look_only");
    let delete = send(&router, "DELETE", &format!("/api/v1/traces/{id}"), &[], Body::empty()).await;
    delete.is_error(403, "look_only");
    assert!(delete.text().contains("syclscope serve"), "{}", delete.text());
    assert_eq!(scratch.names(), ["a.pftrace"]);
}

#[tokio::test]
async fn unreadable_files_and_folders_are_named() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("runs")).expect("a folder");
    let path = scratch.file("runs/run.json", recording::as_json());
    let service = service_of_files(&scratch, "runs");
    let list = send(&service, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("the file");
    // Root may read everything.
    if std::fs::File::open(&path).is_err() {
        let answer = send(&service, "GET", &format!("/api/v1/traces/{id}/file"), &[], Body::empty()).await;
        answer.is_error(500, "io");
        assert!(answer.text().contains("run.json"), "{}", answer.text());
    }
    std::fs::remove_dir_all(scratch.path("runs")).expect("the folder");
    let list = send(&service, "GET", "/api/v1/traces", &[], Body::empty()).await;
    list.is_error(404, "not_found");
    assert!(list.text().contains("runs"), "{}", list.text());
}

#[tokio::test]
async fn a_file_is_sent_whatever_its_time_is() {
    let epoch = std::time::UNIX_EPOCH;
    let year = std::time::Duration::from_secs(365 * 24 * 3600);
    for time in [epoch, epoch - year, epoch - 60 * year, epoch + year, epoch + 400 * year] {
        let scratch = Scratch::new();
        let path = scratch.file("run.json", recording::as_json());
        let file = std::fs::File::options().write(true).open(&path).expect("the file");
        if file.set_modified(time).is_err() {
            continue;
        }
        let service = service_of_files(&scratch, ".");
        let list = send(&service, "GET", "/api/v1/traces", &[], Body::empty()).await;
        let traces: Vec<TraceEntry> = list.json();
        let address = format!("/api/v1/traces/{}/file", traces[0].id);
        for range in [None, Some(("range", "bytes=0-9"))] {
            let answer = send(&service, "GET", &address, range.as_slice(), Body::empty()).await;
            assert!(answer.status.is_success(), "{time:?}: {}", answer.text());
            assert_eq!(answer.body.len(), range.map_or(recording::as_json().len(), |_| 10));
        }
    }
}
