//! Stored traces: listing, questions, download, deletion.

use axum::body::Body;
use syclscope_language::api::{
    CallSummary, CounterTile, DensityTile, MemoryTile, Report, Selected, SliceDetail, SourceText,
    TimelineTile, TraceEntry, TraceInfo,
};
use syclscope_language::event::TrackKind;

use super::TestServer;
use crate::recording;

#[tokio::test]
async fn a_trace_lives_from_upload_to_deletion() {
    let server = TestServer::new().await;
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>(), []);
    let entry = server.with_trace().await;
    assert_eq!(entry.name, "run.pftrace");
    assert_eq!(entry.size_bytes, recording::as_perfetto().len() as u64);
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>(), std::slice::from_ref(&entry));

    let path = format!("/api/v1/traces/{}", entry.id);
    let info: TraceInfo = server.get(&path).await.json();
    assert_eq!(info.kernels[0].name, recording::KERNEL);
    assert_eq!((info.kernels[0].count, info.kernels[0].total_ns), (3, 6_000));

    let gone = server.send("DELETE", &path, &[], Body::empty()).await;
    assert_eq!((gone.status.as_u16(), gone.body.len()), (204, 0));
    server.get(&path).await.is_error(404, "not_found");
    server.send("DELETE", &path, &[], Body::empty()).await.is_error(404, "not_found");
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>(), []);
}

#[tokio::test]
async fn tiles_and_slices_tell_what_was_recorded() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let base = format!("/api/v1/traces/{}", entry.id);
    let info: TraceInfo = server.get(&base).await.json();
    let track = |kind| info.tracks.iter().find(|track| track.kind == kind).expect("a track").id;

    let path = format!("{base}/tiles/timeline/{}/10/0", track(TrackKind::Queue));
    let answer = server.get(&path).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    let known = [("if-none-match", answer.header("etag"))];
    assert_eq!(server.send("GET", &path, &known, Body::empty()).await.status, 304);
    let tile: TimelineTile = answer.json();
    assert_eq!(tile.lanes[0].duration_ns, [1_000, 2_000, 3_000]);

    let detail = server.get(&format!("{base}/slices/{}", tile.lanes[0].slice[1])).await;
    let detail: SliceDetail = detail.json();
    assert_eq!((detail.name.as_str(), detail.at.duration_ns), (recording::KERNEL, 2_000));

    let path = format!("{base}/tiles/counter/{}/10/0", track(TrackKind::Counter));
    let tile: CounterTile = server.get(&path).await.json();
    assert_eq!(tile.max, [4096.0]);
    let path = format!("{base}/memory/{}/10/0/40/0", track(TrackKind::Counter));
    let memory: MemoryTile = server.get(&path).await.json();
    assert_eq!(memory.total_bytes.iter().sum::<u64>(), 4096);
    let path = format!("{base}/tiles/density/{}/10/0", track(TrackKind::Queue));
    let density: DensityTile = server.get(&path).await.json();
    assert_eq!(density.busy_ns.iter().sum::<u64>(), 6_000);

    assert_eq!(info.sources[0].path, "heat.cpp");
    let source: SourceText = server.get(&format!("{base}/sources/0")).await.json();
    assert_eq!((source.file.path.as_str(), source.text.as_str()), ("heat.cpp", recording::SOURCE));

    let calls: Vec<CallSummary> = server.get(&format!("{base}/calls")).await.json();
    assert_eq!(
        calls.iter().map(|call| call.count).sum::<u64>(),
        info.counts.calls + info.counts.native_calls
    );
    let report: Report = server.get(&format!("{base}/report")).await.json();
    assert_eq!((report.commands[0].count, report.commands[0].total_ns), (3, 6_000));

    let selected = server.get(&format!("{base}/select?from=0&where=category:kernel%20duration%3E1us")).await;
    assert!(
        selected.header("etag").contains(env!("CARGO_PKG_VERSION")),
        "another build may answer otherwise"
    );
    let selected: Selected = selected.json();
    assert_eq!((selected.total.count, selected.groups[0].stats.total_ns), (2, 5_000));

    for (path, status, code) in [
        (format!("{base}/search?where=(kernel"), 400, "bad_request"),
        (format!("{base}/select?tracks=999"), 404, "not_found"),
        (format!("{base}/sources/1"), 404, "not_found"),
        (format!("{base}/sources/heat.cpp"), 400, "bad_request"),
        (format!("{base}/tiles/timeline/9999/0/0"), 404, "not_found"),
        (format!("{base}/tiles/counter/{}/0/0", track(TrackKind::Queue)), 404, "not_found"),
        (format!("{base}/tiles/graph/0/0/0"), 400, "bad_request"),
        (format!("{base}/tiles/timeline/0/53/0"), 400, "bad_request"),
        (format!("{base}/tiles/timeline/-1/0/0"), 400, "bad_request"),
        (format!("{base}/tiles/timeline/0/0"), 400, "bad_request"),
        (format!("{base}/nothing"), 404, "not_found"),
        (format!("{base}/report?top=5"), 400, "bad_request"),
        (format!("{base}/findings?from=9&to=5"), 400, "bad_request"),
        (format!("{base}/findings?from=9&region=solve"), 400, "bad_request"),
        (format!("{base}/findings?region=solve"), 404, "not_found"),
        (format!("{base}/what_if?from=9&to=5"), 400, "bad_request"),
        (format!("{base}/memory/{}/0/0/0/0", track(TrackKind::Queue)), 404, "not_found"),
        (format!("{base}/memory/0/0/0/53/0"), 400, "bad_request"),
        (format!("{base}/memory/0/0/0"), 400, "bad_request"),
        (format!("{base}/slices/4000000000"), 404, "not_found"),
        (format!("{base}/slices/first"), 400, "bad_request"),
    ] {
        server.get(&path).await.is_error(status, code);
    }
}

#[tokio::test]
async fn the_stored_bytes_come_back() {
    let server = TestServer::new().await;
    let bytes = recording::as_json();
    let entry: TraceEntry = server.upload("na%22me%0A.json", bytes.clone()).await.json();
    assert_eq!(entry.name, "na\"me.json");
    let answer = server.get(&format!("/api/v1/traces/{}/file", entry.id)).await;
    assert_eq!(answer.body, bytes);
    assert_eq!(answer.header("content-length"), bytes.len().to_string());
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"na_me.json\"; filename*=UTF-8''na%22me.json"
    );
}

#[tokio::test]
async fn a_download_goes_on_where_it_broke_off() {
    let server = TestServer::new().await;
    let bytes = recording::as_json();
    let size = bytes.len();
    let entry: TraceEntry = server.upload("run.json", bytes.clone()).await.json();
    let path = format!("/api/v1/traces/{}/file", entry.id);
    let get = async |headers: &[(&str, &str)]| server.send("GET", &path, headers, Body::empty()).await;
    let etag = get(&[]).await.header("etag").to_owned();
    assert_eq!(get(&[]).await.header("accept-ranges"), "bytes");

    for headers in [&[("range", "bytes=10-")][..], &[("range", "bytes=10-"), ("if-range", &etag)]] {
        let rest = get(headers).await;
        assert_eq!((rest.status.as_u16(), &rest.body[..]), (206, &bytes[10..]), "{headers:?}");
        assert_eq!(rest.header("content-range"), format!("bytes 10-{}/{size}", size - 1));
        assert_eq!(rest.header("cache-control"), "private, no-cache");
    }
    let changed = get(&[("range", "bytes=10-"), ("if-range", "\"another\"")]).await;
    assert_eq!((changed.status.as_u16(), changed.body.len()), (200, size));
    let several = get(&[("range", "bytes=0-1,4-5")]).await;
    assert_eq!((several.status.as_u16(), several.body.len()), (200, size));
    let beyond = get(&[("range", &format!("bytes={size}-"))]).await;
    assert_eq!((beyond.status.as_u16(), beyond.header("content-range")), (416, &*format!("bytes */{size}")));

    let known = get(&[("if-none-match", &etag)]).await;
    assert_eq!((known.status.as_u16(), known.body.len(), known.header("etag")), (304, 0, &*etag));
    // Another replica has its copy since another time.
    let copy = server.scratch.path(&format!("data/traces/{}/trace.bin", entry.id));
    let copy = std::fs::File::options().write(true).open(copy).expect("the stored file");
    copy.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1)).expect("a time");
    let rest = get(&[("range", "bytes=10-"), ("if-range", &etag)]).await;
    assert_eq!((rest.status.as_u16(), rest.header("etag")), (206, &*etag));
    let head = server.send("HEAD", &path, &[], Body::empty()).await;
    assert_eq!((head.body.len(), head.header("content-length")), (0, &*size.to_string()));
}

#[tokio::test]
async fn traces_survive_a_restart() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let TestServer { router, scratch } = server;
    drop(router);
    let server = TestServer::over(scratch).await;
    let info: TraceInfo = server.get(&format!("/api/v1/traces/{}", entry.id)).await.json();
    assert_eq!(info.kernels.len(), 1);
}

#[tokio::test]
async fn a_file_that_vanished_is_an_error_and_not_a_panic() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let TestServer { router, scratch } = server;
    drop(router);
    std::fs::remove_file(scratch.path(&format!("data/traces/{}/trace.bin", entry.id)))
        .expect("the stored file");
    let server = TestServer::over(scratch).await;
    for place in ["", "/file"] {
        let answer = server.get(&format!("/api/v1/traces/{}{place}", entry.id)).await;
        answer.is_error(404, "not_found");
    }
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_errors() {
    let server = TestServer::new().await;
    for path in ["/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v2/traces", "/api", "/api/v1/traces/"] {
        server.get(path).await.is_error(404, "not_found");
    }
    server.send("PUT", "/api/v1/traces", &[], Body::empty()).await.is_error(405, "wrong_method");
    let health = server.get("/api/v1/health").await;
    let health: serde_json::Value = health.json();
    assert_eq!((&health["status"], &health["max_upload_bytes"]), (&"ok".into(), &super::LIMIT_BYTES.into()));
}

#[tokio::test]
async fn ids_that_are_paths_find_nothing() {
    let server = TestServer::new().await;
    server.with_trace().await;
    for id in
        ["..%2F..%2Fetc%2Fpasswd", "..", "%00", "lock", "..%2Ftraces", "AAAAAAAAAAAAAAAAAAAAAAAAAA", "%FF"]
    {
        for (method, place) in [("GET", ""), ("GET", "/file"), ("DELETE", "")] {
            let path = format!("/api/v1/traces/{id}{place}");
            let answer = server.send(method, &path, &[], Body::empty()).await;
            assert!(matches!(answer.status.as_u16(), 400 | 404 | 405), "{method} {path}: {}", answer.status);
        }
    }
    assert!(server.scratch.path("data/lock").exists());
}
