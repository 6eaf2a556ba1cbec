use std::path::Path;

use syclscope_language::api::{CommentEntry, LinkRange, ListedTrace};

use super::super::hosted::{About, Hosted, UploadResult};
use super::super::{DataFolder, Folder, Local, Remote, Storage, Stored};
use super::*;
use crate::db::comments;
use crate::db::figures::FIGURES;
use crate::db::links::{self, LinkRow};
use crate::listing::ListQuery;

async fn server(root: &Path) -> Hosted {
    let folder = DataFolder::open(root).unwrap();
    let db = Db::in_folder(root).await.unwrap();
    db.migrate().await.unwrap();
    Hosted::in_folder(folder, db, 100).await.unwrap().0
}

async fn upload(hosted: &Hosted, name: &str) -> Stored {
    let mut upload = hosted.begin(TraceId::random().unwrap(), name).await.unwrap();
    upload.append(name.as_bytes()).await.unwrap();
    upload.flush().await.unwrap();
    let about = About { labels: [("branch".into(), "main".into())].into(), ..About::default() };
    match hosted.keep(upload, &about, None).await.unwrap() {
        UploadResult::New(stored) => stored,
        UploadResult::Existing(known) => panic!("{known:?} has these bytes"),
    }
}

/// Adds an opened link, and a comment with a mention.
async fn share(hosted: &Hosted, trace: &TraceId) {
    let mut transaction = hosted.db().writing().await.unwrap();
    let link = LinkRow {
        id: TraceId::random().unwrap(),
        trace: trace.clone(),
        part: None,
        secret_sha256: format!("of {trace}"),
        name: None,
        made_by: None,
        made_unix_ns: 1,
        expires_unix_ns: None,
        openings: Some(3),
        opened: 0,
        withdrawn_unix_ns: None,
    };
    links::add(&mut transaction, &link).await.unwrap();
    assert!(links::open(&mut transaction, &link.id, "visit", now_unix_ns()).await.unwrap());
    let comment = CommentEntry {
        id: TraceId::random().unwrap().to_string(),
        text: "@bob".to_owned(),
        mentions: vec!["bob".to_owned()],
        change: comments::next_change(&mut transaction).await.unwrap(),
        ..CommentEntry::default()
    };
    comments::add(&mut transaction, trace, &comment, None).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn traces_that_are_left_out_take_all_their_rows_along() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, copy, to] = folders.each_ref().map(tempfile::TempDir::path);
    let hosted = server(from).await;
    let kept = upload(&hosted, "kept").await;
    let deleted = upload(&hosted, "deleted").await;
    let lost = upload(&hosted, "lost").await;
    for trace in [&kept, &deleted, &lost] {
        share(&hosted, &trace.id).await;
    }
    // Its bytes are not collected yet.
    assert!(traces::delete(&mut hosted.db().reading().await.unwrap(), &deleted.id, 1).await.unwrap());
    hosted.store().remove(&lost.id).await.unwrap();

    let backup = Store::Folder(super::super::Folder::open(copy, false).unwrap());
    let made = back_up(hosted.db(), hosted.store(), &backup).await.unwrap();
    assert_eq!((made.traces, made.faults.len()), (1, 1), "{:?}", made.faults);
    assert!(made.faults[0].contains(lost.id.as_str()), "{:?}", made.faults);

    let new = server(to).await;
    let restored = restore(&backup, new.db(), new.store()).await.unwrap();
    assert_eq!((restored.traces, restored.faults.as_slice()), (1, &[][..]));
    assert_eq!(new.find(&kept.id).await.unwrap(), kept);
    let rows = dump::read(&mut new.db().reading().await.unwrap()).await.unwrap();
    for (table, rows_of_kept) in [
        ("traces", 1),
        ("labels", 1),
        ("figures", 1),
        ("links", 1),
        ("link_uses", 1),
        ("comments", 1),
        ("mentions", 1),
    ] {
        let there = rows.iter().filter(|(of, _)| *of == table).count();
        assert_eq!(there, rows_of_kept, "{table}");
    }
    let listed: Vec<ListedTrace> = Storage::Hosted(new).list(&ListQuery::default()).await.unwrap();
    assert_eq!(listed.len(), 1);
}

#[tokio::test]
async fn a_restored_expired_trace_has_a_whole_grace_period() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, copy, to] = folders.each_ref().map(tempfile::TempDir::path);
    let hosted = server(from).await;
    let expired = upload(&hosted, "expired").await;
    let connection = &mut *hosted.db().reading().await.unwrap();
    for text in
        ["UPDATE projects SET retention_days = 1", "UPDATE traces SET stored_unix_ns = 1, leaves_unix_ns = 2"]
    {
        sqlx::query(text).execute(&mut *connection).await.unwrap();
    }
    let backup = Store::Folder(super::super::Folder::open(copy, false).unwrap());
    back_up(hosted.db(), hosted.store(), &backup).await.unwrap();
    let new = server(to).await;
    restore(&backup, new.db(), new.store()).await.unwrap();
    new.sweep().await.unwrap();
    assert!(new.find(&expired.id).await.is_ok());
}

#[tokio::test]
async fn the_copy_of_a_part_is_no_run_where_the_whole_is_left_out() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, copy, to] = folders.each_ref().map(tempfile::TempDir::path);
    let hosted = server(from).await;
    let (whole, part) = (upload(&hosted, "whole").await, upload(&hosted, "part").await);
    let link = LinkRow {
        id: TraceId::random().unwrap(),
        trace: whole.id.clone(),
        part: Some((part.id.clone(), LinkRange { start_ns: 1, end_ns: 2 })),
        secret_sha256: "secret".to_owned(),
        name: None,
        made_by: None,
        made_unix_ns: 1,
        expires_unix_ns: None,
        openings: None,
        opened: 0,
        withdrawn_unix_ns: None,
    };
    links::add(&mut hosted.db().reading().await.unwrap(), &link).await.unwrap();
    hosted.store().remove(&whole.id).await.unwrap();
    let backup = Store::Folder(super::super::Folder::open(copy, false).unwrap());
    assert_eq!(back_up(hosted.db(), hosted.store(), &backup).await.unwrap().faults.len(), 1);
    let new = server(to).await;
    assert_eq!(restore(&backup, new.db(), new.store()).await.unwrap().traces, 1);
    let restored = Storage::Hosted(new);
    for (only_whole, traces) in [(false, 1), (true, 0)] {
        let query = ListQuery { only_whole, ..ListQuery::default() };
        assert_eq!(restored.list(&query).await.unwrap().len(), traces);
    }
}

#[tokio::test]
async fn a_second_backup_fetches_nothing_of_the_first() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, first, second] = folders.each_ref().map(tempfile::TempDir::path);
    let hosted = server(from).await;
    let kept = upload(&hosted, "kept").await;
    let objects = std::sync::Arc::new(object_store::memory::InMemory::new());
    let place = |own: &Path| {
        let local = Local::open(&own.join("copies"), 100).unwrap();
        Store::Remote(Remote::over(objects.clone(), Folder::open(own, false).unwrap(), local))
    };
    for (own, copied) in [(first, 1), (second, 0)] {
        let made = back_up(hosted.db(), hosted.store(), &place(own)).await.unwrap();
        assert_eq!((made.traces, made.copied, made.faults.len()), (1, copied, 0));
    }
    let fetched = std::fs::read_dir(second.join("copies")).unwrap().count();
    assert_eq!(fetched, 0);
    assert!(place(second).original(&kept.id).await.is_ok());
}

#[tokio::test]
async fn metrics_that_were_missing_are_computed_after_a_restore() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, copy, to] = folders.each_ref().map(tempfile::TempDir::path);
    let hosted = server(from).await;
    let kept = upload(&hosted, "kept").await;
    let backup = Store::Folder(super::super::Folder::open(copy, false).unwrap());
    back_up(hosted.db(), hosted.store(), &backup).await.unwrap();
    let new = server(to).await;
    restore(&backup, new.db(), new.store()).await.unwrap();
    let own = TraceId::for_bytes(b"own");
    let job = jobs::take(new.db(), FIGURES, &own, now_unix_ns()).await.unwrap();
    assert_eq!(job.map(|job| job.subject), Some(kept.id));
    assert_eq!(jobs::take(new.db(), FIGURES, &own, now_unix_ns()).await.unwrap(), None);
}
