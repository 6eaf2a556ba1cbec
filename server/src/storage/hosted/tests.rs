//! A server's data in a plain folder.

use std::fs;
use std::path::Path;
use std::time::Duration;

use syclscope_language::api::{ListedTrace, TraceEntry};

use super::*;
use crate::db::testing;
use crate::listing::ListQuery;
use crate::storage::Storage;

async fn open(root: &Path) -> (Hosted, Vec<String>) {
    let folder = DataFolder::open(root).unwrap();
    let db = Db::in_folder(root).await.unwrap();
    db.migrate().await.unwrap();
    Hosted::in_folder(folder, db, 100).await.unwrap()
}

async fn opened(root: &Path) -> Hosted {
    let (hosted, complaints) = open(root).await;
    assert_eq!(complaints, [] as [&str; 0]);
    hosted
}

async fn begun(hosted: &Hosted, name: &str, bytes: &[u8]) -> Upload {
    let mut upload = hosted.begin(TraceId::random().unwrap(), name).await.unwrap();
    upload.append(bytes).await.unwrap();
    upload.flush().await.unwrap();
    upload
}

#[tokio::test]
async fn a_start_waits_for_a_busy_database() {
    let attempts = &std::cell::Cell::new(0);
    let busy = |until: u32| {
        attempts.set(0);
        retry_if_busy(async move || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < until { Err(DbError::Busy.into()) } else { Ok(()) }
        })
    };
    busy(3).await.unwrap();
    assert_eq!(attempts.get(), 3);
    assert!(matches!(busy(u32::MAX).await, Err(StorageError::Database(DbError::Busy))));
    assert_eq!(attempts.get(), START_ATTEMPTS);
    let other = retry_if_busy(async || {
        attempts.set(0);
        Err::<(), _>(StorageError::NotFound)
    });
    assert!(matches!(other.await, Err(StorageError::NotFound)));
    assert_eq!(attempts.get(), 0);
}

async fn upload(hosted: &Hosted, name: &str, bytes: &[u8]) -> Stored {
    match hosted.keep(begun(hosted, name, bytes).await, &About::default(), None).await.unwrap() {
        UploadResult::New(stored) => stored,
        UploadResult::Existing(known) => panic!("{known:?} has these bytes"),
    }
}

async fn entries(hosted: &Hosted) -> Vec<TraceEntry> {
    let storage = Storage::Hosted(hosted.clone());
    let listed = storage.list(&ListQuery::default()).await.unwrap().into_iter();
    let entry = |listed: ListedTrace| TraceEntry {
        id: listed.id,
        name: listed.name,
        size_bytes: listed.size_bytes,
        stored_unix_ns: listed.stored_unix_ns,
    };
    listed.map(entry).collect()
}

fn count(root: &Path, folder: &str) -> usize {
    fs::read_dir(root.join(folder)).unwrap().count()
}

#[tokio::test]
async fn traces_survive_a_restart_and_leftovers_do_not() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let kept = upload(&hosted, "a/kept.pftrace", b"bytes").await;
    let deleted = upload(&hosted, "deleted", b"").await;
    hosted.delete(&deleted.id, &AuditEntry::default()).await.unwrap();
    assert!(matches!(hosted.delete(&deleted.id, &AuditEntry::default()).await, Err(StorageError::NotFound)));
    std::mem::forget(begun(&hosted, "broken", b"half").await); // like a crash
    drop(hosted);

    let hosted = opened(root.path()).await;
    assert_eq!(entries(&hosted).await, std::slice::from_ref(&kept.entry));
    assert_eq!(hosted.find(&kept.id).await.unwrap(), kept);
    let original = Storage::Hosted(hosted).original(&kept).await.unwrap();
    assert_eq!(fs::read(original).unwrap(), b"bytes");
    assert_eq!(kept.entry.name, "kept.pftrace");
    assert_eq!(["incoming", "trash", "traces"].map(|name| count(root.path(), name)), [0, 0, 1]);
}

#[tokio::test]
async fn files_that_were_there_before_are_kept() {
    let root = tempfile::tempdir().unwrap();
    let names = ["lock", "incoming/thesis.tex", "incoming/photos/1.png", "trash/letter", "traces/notes"];
    for name in names {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    let hosted = opened(root.path()).await;
    hosted.sweep_older(Duration::ZERO).await.unwrap();
    for name in names {
        assert_eq!(fs::read_to_string(root.path().join(name)).unwrap(), name);
    }
}

#[tokio::test]
async fn a_dropped_or_too_large_upload_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let mut upload = begun(&hosted, "x", &[0; 100]).await;
    assert!(matches!(upload.append(b"1").await, Err(StorageError::TooLarge { limit_bytes: 100 })));
    drop(upload);
    assert_eq!(count(root.path(), "incoming"), 0);
}

#[tokio::test]
async fn a_project_has_each_trace_once_and_a_finished_import_counts_once() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let first = upload(&hosted, "first", b"bytes").await;
    let again = hosted.keep(begun(&hosted, "again", b"bytes").await, &About::default(), None).await.unwrap();
    assert_eq!(again, UploadResult::Existing(first.clone()));
    assert_eq!((count(root.path(), "traces"), count(root.path(), "incoming")), (1, 0));

    // Two servers finish the same import.
    let same = || async {
        let mut upload = hosted.begin(TraceId::for_bytes(b"import"), "same").await.unwrap();
        upload.append(b"other").await.unwrap();
        upload.flush().await.unwrap();
        upload
    };
    let (one, two) = (same().await, same().await);
    let one = hosted.keep(one, &About::default(), None).await.unwrap();
    assert_eq!(hosted.keep(two, &About::default(), None).await.unwrap(), one);
    assert!(matches!(one, UploadResult::New(_)));
    assert_eq!((count(root.path(), "traces"), count(root.path(), "incoming")), (2, 0));
}

#[tokio::test]
async fn what_a_read_only_database_refuses_leaves_nothing_and_takes_nothing_along() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let again = begun(&hosted, "again", b"kept").await;
    let id = again.id().clone();
    let mut kept = hosted.begin(id.clone(), "kept").await.unwrap();
    kept.append(b"kept").await.unwrap();
    kept.flush().await.unwrap();
    hosted.keep(kept, &About::default(), None).await.unwrap();
    let refused = begun(&hosted, "refused", b"refused").await;
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut connection = hosted.db().reading().await.unwrap();
        sqlx::query("PRAGMA query_only = ON").execute(&mut *connection).await.unwrap();
        connections.push(connection);
    }
    drop(connections);
    // The second one is by a server that has lost its import to another one.
    for upload in [refused, again] {
        let failed = hosted.keep(upload, &About::default(), None).await;
        assert!(matches!(failed, Err(StorageError::Database(DbError::ReadOnly))), "{failed:?}");
        assert_eq!(count(root.path(), "traces"), 1);
    }
    assert_eq!(count(root.path(), "incoming"), 0);
    assert!(hosted.original(&id).await.is_ok());
}

#[tokio::test]
async fn a_folder_without_a_database_is_taken_over_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let (id, unnamed) = (TraceId::for_bytes(b"old"), TraceId::for_bytes(b"damaged"));
    let place = root.path().join("traces").join(id.as_str());
    fs::create_dir_all(&place).unwrap();
    let meta =
        format!(r#"{{"version":1,"id":"{id}","name":"run.pftrace","size_bytes":3,"stored_unix_ns":17}}"#);
    fs::write(place.join(META_FILE), meta).unwrap();
    fs::write(place.join("trace.bin"), "old").unwrap();
    let damaged = root.path().join("traces").join(unnamed.as_str());
    fs::create_dir_all(&damaged).unwrap();
    fs::write(damaged.join(META_FILE), "{").unwrap();
    fs::write(damaged.join("trace.bin"), "damaged").unwrap();
    for _ in 0..2 {
        let (hosted, complaints) = open(root.path()).await;
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains(unnamed.as_str()));
        let found = hosted.find(&id).await.unwrap();
        assert_eq!((found.entry.name.as_str(), found.entry.stored_unix_ns), ("run.pftrace", 17));
        assert_eq!(entries(&hosted).await.len(), 1);
        assert_eq!(fs::read(hosted.original(&id).await.unwrap()).unwrap(), b"old");
        hosted.sweep_older(Duration::ZERO).await.unwrap();
        assert!(damaged.exists(), "nobody knows what it is");
    }
    let hosted = open(root.path()).await.0;
    hosted.delete(&id, &AuditEntry::default()).await.unwrap();
    drop(hosted);
    assert_eq!(entries(&open(root.path()).await.0).await, [], "it does not come back");
}

#[tokio::test]
async fn what_cannot_be_read_stays_and_what_has_no_bytes_is_no_trace() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let (unreadable, empty) =
        (upload(&hosted, "unreadable", b"unreadable").await, upload(&hosted, "empty", b"empty").await);
    let connection = &mut *hosted.db().reading().await.unwrap();
    for id in [&unreadable.id, &empty.id] {
        assert!(traces::delete(connection, id, 1).await.unwrap());
        traces::forget(connection, id).await.unwrap();
    }
    let place = |id: &TraceId| root.path().join("traces").join(id.as_str());
    let meta = place(&unreadable.id).join(META_FILE);
    fs::remove_file(&meta).unwrap();
    // Not even root can read a folder as a file.
    fs::create_dir(&meta).unwrap();
    fs::remove_file(place(&empty.id).join("trace.bin")).unwrap();
    let complaints = hosted.take_over().await.unwrap();
    assert_eq!(complaints.len(), 2);
    assert!(complaints[0].contains("meta.json") && complaints[0].contains(unreadable.id.as_str()));
    assert!(complaints[1].contains("trace.bin") && complaints[1].contains(empty.id.as_str()));
    assert_eq!(entries(&hosted).await, []);
    let swept = hosted.sweep_older(Duration::ZERO).await.unwrap();
    assert_eq!(swept, SweepReport { abandoned: 1, ..SweepReport::default() });
    assert!(place(&unreadable.id).join("trace.bin").exists() && !place(&empty.id).exists());
}

/// Uploads a trace, and opens the folder again without its database.
async fn with_lost_database(root: &Path, hosted: Hosted, about: &About) -> (Hosted, Stored) {
    let kept = match hosted.keep(begun(&hosted, "kept", b"bytes").await, about, None).await.unwrap() {
        UploadResult::New(kept) => kept,
        UploadResult::Existing(_) => panic!("it is the first"),
    };
    hosted.db().close().await;
    drop(hosted);
    for file in [crate::db::FILE.to_owned(), format!("{}-wal", crate::db::FILE)] {
        let _ = fs::remove_file(root.join(file));
    }
    (opened(root).await, kept)
}

#[tokio::test]
async fn a_lost_database_is_made_again_from_what_lies_beside_the_traces() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let about = About { labels: [("branch".into(), "main".into())].into(), ..About::default() };
    let (hosted, kept) = with_lost_database(root.path(), hosted, &about).await;
    assert_eq!(hosted.find(&kept.id).await.unwrap(), kept);
    let labels = labels::on_trace(&mut hosted.db().reading().await.unwrap(), &kept.id).await.unwrap();
    assert_eq!(labels, about.labels);
}

#[tokio::test]
async fn a_lost_project_comes_back_with_its_traces() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let project: ProjectId = "solver".parse().unwrap();
    projects::add(&mut hosted.db().reading().await.unwrap(), &project, "Solver").await.unwrap();
    let about = About { project: project.clone(), ..About::default() };
    let (hosted, kept) = with_lost_database(root.path(), hosted, &about).await;
    assert_eq!(hosted.find(&kept.id).await.unwrap(), kept);
    // An older dump lacks a project that was added after it; the sweep finds the project's trace.
    let connection = &mut *hosted.db().reading().await.unwrap();
    assert!(traces::delete(connection, &kept.id, 1).await.unwrap());
    traces::forget(connection, &kept.id).await.unwrap();
    sqlx::query("DELETE FROM projects WHERE id = 'solver'").execute(&mut *connection).await.unwrap();
    assert_eq!(hosted.sweep_older(Duration::ZERO).await.unwrap().found, 1);
    assert_eq!(hosted.find(&kept.id).await.unwrap(), kept);
}

#[tokio::test]
async fn a_sweep_collects_what_nobody_needs_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let kept = upload(&hosted, "kept", b"kept").await;
    // A server died between marking and collecting.
    let deleted = upload(&hosted, "deleted", b"deleted").await;
    let connection = &mut *hosted.db().reading().await.unwrap();
    assert!(traces::delete(connection, &deleted.id, 1).await.unwrap());
    // One died before the row of an upload, whose client got no response.
    let lost = upload(&hosted, "lost", b"lost").await;
    // Another one died before the description was written.
    let half = upload(&hosted, "half", b"half").await;
    for id in [&lost.id, &half.id] {
        assert!(traces::delete(connection, id, 1).await.unwrap());
        traces::forget(connection, id).await.unwrap();
    }
    fs::remove_file(root.path().join("traces").join(half.id.as_str()).join(META_FILE)).unwrap();

    let first = hosted.sweep().await.unwrap();
    assert_eq!(first, SweepReport { collected: 1, ..SweepReport::default() }, "the others may be under way");
    assert_eq!(count(root.path(), "traces"), 3);
    let second = hosted.sweep_older(Duration::ZERO).await.unwrap();
    assert_eq!(second, SweepReport { abandoned: 1, found: 1, ..SweepReport::default() });
    assert_eq!(hosted.sweep_older(Duration::ZERO).await.unwrap(), SweepReport::default());
    let mut names: Vec<_> = entries(&hosted).await.into_iter().map(|entry| entry.name).collect();
    names.sort();
    assert_eq!(names, ["kept", "lost"]);
    let lines = audit::list(connection, &ProjectId::default(), false, u64::MAX, 1).await.unwrap();
    let newest = (lines[0].action.as_str(), lines[0].subject.as_str(), lines[0].detail.as_deref());
    assert_eq!(newest, ("upload", lost.id.as_str(), Some("lost: recovered from its files")));
    assert!(hosted.original(&kept.id).await.is_ok());
    assert_eq!(count(root.path(), "traces"), 2);
}

#[tokio::test]
async fn a_trace_that_cannot_be_removed_stops_no_retention() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let (deleted, _) = (upload(&hosted, "deleted", b"deleted").await, upload(&hosted, "old", b"old").await);
    let connection = &mut *hosted.db().reading().await.unwrap();
    assert!(traces::delete(connection, &deleted.id, 1).await.unwrap());
    for text in ["UPDATE projects SET retention_days = 1", "UPDATE traces SET stored_unix_ns = 1"] {
        sqlx::query(text).execute(&mut *connection).await.unwrap();
    }
    let trash = root.path().join("trash");
    fs::remove_dir(&trash).unwrap();
    fs::write(&trash, "").unwrap();
    let swept = hosted.sweep().await.unwrap();
    assert_eq!(swept, SweepReport { marked: 1, ..SweepReport::default() });
    fs::remove_file(&trash).unwrap();
    fs::create_dir(&trash).unwrap();
    let swept = hosted.sweep().await.unwrap();
    assert_eq!(swept, SweepReport { collected: 1, ..SweepReport::default() });
}

#[tokio::test]
async fn expired_traces_go_while_the_disk_has_no_room_for_marks() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let (expired, old) = (upload(&hosted, "expired", b"expired").await, upload(&hosted, "old", b"old").await);
    let mut connections = Vec::new();
    for _ in 0..4 {
        connections.push(hosted.db().reading().await.unwrap());
    }
    // A mark of the old one needs more space than there is.
    for text in [
        "UPDATE projects SET retention_days = 1",
        "UPDATE traces SET stored_unix_ns = 1",
        "UPDATE traces SET leaves_unix_ns = 2 WHERE name = 'expired'",
        "CREATE TRIGGER no_room BEFORE UPDATE OF leaves_unix_ns ON traces WHEN NEW.leaves_unix_ns IS NOT NULL \
         BEGIN INSERT INTO projects (id, name) VALUES ('full', hex(zeroblob(1000000))); END",
    ] {
        sqlx::query(text).execute(&mut *connections[0]).await.unwrap();
    }
    for connection in &mut connections {
        // The file has its present size at least, and some pages for the deletion.
        let pages = "PRAGMA page_count";
        let pages: i64 = sqlx::query_scalar(pages).fetch_one(&mut **connection).await.unwrap();
        let limit = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {}", pages + 20));
        sqlx::query(limit).fetch_all(&mut **connection).await.unwrap();
    }
    drop(connections);
    let failed = hosted.sweep().await;
    assert!(matches!(failed, Err(StorageError::Database(DbError::Full))), "{failed:?}");
    assert_eq!(entries(&hosted).await.len(), 1);
    assert!(matches!(hosted.find(&expired.id).await, Err(StorageError::NotFound)));
    let names: Vec<_> =
        fs::read_dir(root.path().join("traces")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, [old.id.as_str()], "the bytes of the other are collected");
}

#[tokio::test]
async fn an_expired_trace_that_is_uploaded_again_has_its_whole_grace() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let kept = upload(&hosted, "kept", b"kept").await;
    let connection = &mut *hosted.db().reading().await.unwrap();
    let sha256 = traces::find(connection, &kept.id).await.unwrap().unwrap().sha256;
    for in_parts in [true, false] {
        // Its grace period is over, and the next sweep would delete it.
        for text in [
            "UPDATE projects SET retention_days = 1",
            "UPDATE traces SET stored_unix_ns = 1, leaves_unix_ns = 2",
        ] {
            sqlx::query(text).execute(&mut *connection).await.unwrap();
        }
        if in_parts {
            let (name, sha256) = ("again".to_owned(), sha256.clone());
            let announced = Announced { name, size_bytes: 4, sha256, about: About::default() };
            assert!(matches!(hosted.announce(announced).await.unwrap(), UploadStart::Existing(_)));
        } else {
            let again = begun(&hosted, "again", b"kept").await;
            let again = hosted.keep(again, &About::default(), None).await.unwrap();
            assert!(matches!(again, UploadResult::Existing(_)));
        }
        let swept = hosted.sweep().await.unwrap();
        assert_eq!(swept, SweepReport { marked: 1, ..SweepReport::default() });
        assert!(hosted.find(&kept.id).await.is_ok());
    }
}

#[tokio::test]
async fn metrics_that_cannot_be_computed_again_stay() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let metrics = StoredMetrics::default();
    let known = begun(&hosted, "known", b"known").await;
    let known = match hosted.keep(known, &About::default(), Some(&metrics)).await.unwrap() {
        UploadResult::New(stored) => stored,
        UploadResult::Existing(_) => panic!("it is the first"),
    };
    let unknown = upload(&hosted, "unknown", b"unknown").await;
    for id in [&known.id, &unknown.id] {
        hosted.end_figures(id, id, None).await.unwrap();
    }
    let listed = Storage::Hosted(hosted).list(&ListQuery::default()).await.unwrap();
    let have: Vec<_> = listed.iter().map(|trace| (trace.name.as_str(), trace.figures.is_some())).collect();
    assert_eq!(have, [("unknown", false), ("known", true)]);
}

#[tokio::test]
async fn a_trace_that_is_gone_has_no_state() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let unknown = TraceId::for_bytes(b"unknown");
    assert!(matches!(hosted.store().state(&unknown).await, Err(StorageError::NotFound)));
    // A starting server has listed the trace before another one removed it.
    assert!(hosted.store().plain_folder().unwrap().modernise(&unknown).await.is_ok());
    let kept = upload(&hosted, "kept", b"kept").await;
    assert!(hosted.store().state(&kept.id).await.unwrap().meta.is_some());
}

#[tokio::test]
async fn bytes_that_arrive_after_the_deletion_of_their_trace_do_not_stay() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let deleted = upload(&hosted, "deleted", b"deleted").await;
    assert!(traces::delete(&mut hosted.db().reading().await.unwrap(), &deleted.id, 1).await.unwrap());
    hosted.store().remove(&deleted.id).await.unwrap();
    // A server that lost its lease ends the same import.
    let mut late = hosted.begin(deleted.id.clone(), "deleted").await.unwrap();
    late.append(b"deleted").await.unwrap();
    late.flush().await.unwrap();
    assert!(matches!(hosted.keep(late, &About::default(), None).await, Err(StorageError::NotFound)));
    assert_eq!(count(root.path(), "traces"), 0);
}

#[tokio::test]
async fn uploads_that_are_announced_at_once_share_a_quota_and_equal_ones_are_one() {
    for base in testing::databases().await {
        let root = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(root.path()).unwrap();
        let hosted = Hosted::in_folder(folder, base.db.clone(), 100).await.unwrap().0;
        let connection = &mut *base.db.reading().await.unwrap();
        sqlx::query("UPDATE projects SET quota_bytes = 10").execute(&mut *connection).await.unwrap();
        let announce = async |digit: &str, size_bytes: u64| {
            let (name, sha256) = ("a".to_owned(), Some(digit.repeat(64)));
            hosted.announce(Announced { name, size_bytes, sha256, about: About::default() }).await
        };
        let (one, same) = tokio::join!(announce("a", 4), announce("a", 4));
        assert_eq!(one.unwrap(), same.unwrap());
        let (one, other) = tokio::join!(announce("b", 6), announce("c", 6));
        let refused = [one, other].into_iter().filter(Result::is_err).count();
        assert_eq!(refused, 1, "there is room for one");
        assert!(hosted.check_room(&ProjectId::default(), 0).await.is_ok());
    }
}

#[tokio::test]
async fn an_upload_whose_import_has_begun_keeps_its_parts() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let begin = async |bytes: &[u8]| {
        let (name, size_bytes) = ("run.pftrace".to_owned(), bytes.len() as u64);
        let announced = Announced { name, size_bytes, sha256: None, about: About::default() };
        let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else {
            panic!("nobody has uploaded this before")
        };
        let id: TraceId = info.id.parse().unwrap();
        let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
        part.append(bytes).await.unwrap();
        part.flush().await.unwrap();
        hosted.keep_part(&id, 0, part).await.unwrap();
        id
    };
    let (open, importing) = (begin(b"open").await, begin(b"importing").await);
    hosted.complete(&importing).await.unwrap();
    // They were listed before the import began.
    assert_eq!(hosted.drop_begun_before(u64::MAX, &[open.clone(), importing.clone()]).await.unwrap(), 1);
    assert!(matches!(hosted.upload(&open).await, Err(StorageError::NotFound)));
    let names: Vec<_> =
        fs::read_dir(root.path().join("uploads")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, [importing.as_str()]);
    assert!(hosted.assemble(&importing).await.unwrap().is_some());
}

#[tokio::test]
async fn an_import_that_waits_for_an_attempt_can_be_dropped() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
    part.append(b"bytes").await.unwrap();
    part.flush().await.unwrap();
    hosted.keep_part(&id, 0, part).await.unwrap();
    hosted.complete(&id).await.unwrap();
    let own = TraceId::for_bytes(b"own");
    let take = async || jobs::take(hosted.db(), IMPORT, &own, now_unix_ns()).await.unwrap();
    let job = take().await.unwrap();
    assert!(matches!(hosted.drop_upload(&id).await, Err(StorageError::UploadOver)), "it is being imported");
    // The attempt fails for now.
    jobs::give_up(&mut hosted.db().reading().await.unwrap(), &job.id, &own, 0, false).await.unwrap();
    hosted.drop_upload(&id).await.unwrap();
    assert_eq!(take().await, None);
    assert_eq!(count(root.path(), "uploads"), 0);
    assert!(matches!(hosted.upload(&id).await, Err(StorageError::NotFound)));
}

#[tokio::test]
async fn an_upload_that_takes_longer_than_a_week_keeps_its_parts() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announce = async || {
        let sha256 = Some("a".repeat(64));
        let announced = Announced { name: "a".into(), size_bytes: 5, sha256, about: About::default() };
        match hosted.announce(announced).await.unwrap() {
            UploadStart::Upload(info) => info.id.parse::<TraceId>().unwrap(),
            UploadStart::Existing(known) => panic!("{known:?} has these bytes"),
        }
    };
    let age = async || {
        let connection = &mut *hosted.db().reading().await.unwrap();
        sqlx::query("UPDATE uploads SET begun_unix_ns = 1").execute(&mut *connection).await.unwrap();
    };
    let id = announce().await;
    age().await;
    // The client resumes it.
    assert_eq!(announce().await, id);
    assert_eq!(hosted.drop_old_uploads().await.unwrap(), 0);
    // A sweep has listed it before.
    assert_eq!(hosted.drop_begun_before(2, std::slice::from_ref(&id)).await.unwrap(), 0);
    age().await;
    let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
    part.append(b"bytes").await.unwrap();
    part.flush().await.unwrap();
    hosted.keep_part(&id, 0, part).await.unwrap();
    assert_eq!(hosted.drop_old_uploads().await.unwrap(), 0);
    age().await;
    assert_eq!(hosted.drop_old_uploads().await.unwrap(), 1);
}

#[tokio::test]
async fn a_part_that_comes_during_the_import_replaces_none() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let mut parts = Vec::new();
    for bytes in [b"first", b"other"] {
        let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
        part.append(bytes).await.unwrap();
        part.flush().await.unwrap();
        parts.push(part);
    }
    let [first, other] = <[Upload; 2]>::try_from(parts).unwrap();
    hosted.keep_part(&id, 0, first).await.unwrap();
    hosted.complete(&id).await.unwrap();
    assert!(matches!(hosted.keep_part(&id, 0, other).await, Err(StorageError::UploadOver)));
    let (whole, _) = hosted.assemble(&id).await.unwrap().unwrap();
    assert_eq!(fs::read(whole.path()).unwrap(), b"first");
}

#[tokio::test]
async fn a_part_that_comes_after_the_deletion_leaves_no_file() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
    part.append(b"bytes").await.unwrap();
    part.flush().await.unwrap();
    hosted.drop_upload(&id).await.unwrap();
    assert!(matches!(hosted.keep_part(&id, 0, part).await, Err(StorageError::UploadOver)));
    assert_eq!(["incoming", "trash", "uploads"].map(|name| count(root.path(), name)), [0; 3]);
}

#[tokio::test]
async fn a_part_that_a_killed_server_left_of_a_dropped_upload_is_removed() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let begin = async || {
        let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
        part.append(b"bytes").await.unwrap();
        part.flush().await.unwrap();
        part
    };
    let late = begin().await;
    hosted.keep_part(&id, 0, begin().await).await.unwrap();
    assert_eq!(hosted.sweep().await.unwrap().unfinished, 0);
    hosted.drop_upload(&id).await.unwrap();
    // The server stores the part, and dies before it sees that the upload was dropped.
    hosted.store().put_part(&id, 0, &late.path()).await.unwrap();
    assert_eq!(hosted.sweep().await.unwrap().unfinished, 1);
    assert_eq!(count(root.path(), "uploads"), 0);
}

#[tokio::test]
async fn a_trace_that_was_deleted_before_its_import_ended_stays_deleted() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
    part.append(b"bytes").await.unwrap();
    part.flush().await.unwrap();
    hosted.keep_part(&id, 0, part).await.unwrap();
    hosted.complete(&id).await.unwrap();
    let (whole, about) = hosted.assemble(&id).await.unwrap().unwrap();
    hosted.keep(whole, &about, None).await.unwrap();
    // The server dies before it ends the upload, and another one takes over.
    hosted.delete(&id, &AuditEntry::default()).await.unwrap();
    assert!(hosted.assemble(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn a_dropped_upload_whose_parts_could_not_be_removed_can_be_dropped_again() {
    let root = tempfile::tempdir().unwrap();
    let hosted = opened(root.path()).await;
    let announced = Announced { name: "a".into(), size_bytes: 5, sha256: None, about: About::default() };
    let UploadStart::Upload(info) = hosted.announce(announced).await.unwrap() else { panic!("it is new") };
    let id: TraceId = info.id.parse().unwrap();
    let (mut part, _) = hosted.begin_part(&id, 0).await.unwrap();
    part.append(b"bytes").await.unwrap();
    part.flush().await.unwrap();
    hosted.keep_part(&id, 0, part).await.unwrap();
    // The store fails.
    let trash = root.path().join("trash");
    fs::remove_dir(&trash).unwrap();
    fs::write(&trash, "").unwrap();
    assert!(hosted.drop_upload(&id).await.is_err());
    fs::remove_file(&trash).unwrap();
    fs::create_dir(&trash).unwrap();
    assert_eq!(count(root.path(), "uploads"), 1);
    assert!(matches!(hosted.begin_part(&id, 0).await, Err(StorageError::UploadOver)));
    hosted.drop_upload(&id).await.unwrap();
    assert_eq!(count(root.path(), "uploads"), 0);
    assert!(matches!(hosted.upload(&id).await, Err(StorageError::NotFound)));
}
