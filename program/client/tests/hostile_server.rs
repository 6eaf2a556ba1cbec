//! A hostile server: no response makes the client use unbounded memory or send endless requests, or inserts a part
//! of itself into URLs.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use syclscope_client::{Client, Recording, Remote, ShareError, fetch, runs_at, send};

/// Answers every request with `times` copies of `body`. Returns its address and its count of requests.
fn server(body: Vec<u8>, times: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let seen = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            seen.fetch_add(1, Ordering::Relaxed);
            let length = body.len() * times;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            for _ in 0..times {
                if stream.write_all(&body).is_err() {
                    break;
                }
            }
        }
    });
    (address, requests)
}

fn client(address: &str) -> Client {
    Client::new(address.parse().unwrap(), None, true, Duration::ZERO).unwrap()
}

#[track_caller]
fn is_not_ours<T: std::fmt::Debug>(result: Result<T, ShareError>, words: &str) {
    match result {
        Err(ShareError::NotOurs(_, why)) if why.contains(words) => {}
        other => panic!("{other:?}, not {words}"),
    }
}

#[tokio::test]
async fn uploads_that_no_server_of_ours_opens_are_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
    let recording = Recording { path, name: "a".into(), project: None, labels: Default::default() };
    let open = |id: &str, size: u64, part: u64| {
        format!(
            r#"{{"open":{{"id":"{id}","size_bytes":{size},"part_bytes":{part},"parts":[],"state":{{"is":"open"}}}}}}"#
        )
    };
    let there =
        |id: &str| format!(r#"{{"there":{{"id":"{id}","name":"a","size_bytes":1,"stored_unix_ns":1}}}}"#);
    let mut hostile = vec![
        (open("abc", 100_000, 0), "in parts of 0"),
        (open("abc", 100_000, 1), "in parts of 1"),
        (open("abc", 100_000, u64::MAX), "in parts of"),
        (open("abc", u64::MAX, 16 << 20), "it asked for 18446744073709551615 bytes"),
        (open("abc", 99_999, 16 << 20), "it asked for 99999 bytes"),
    ];
    let long = "a".repeat(1000);
    for id in ["", "a/b", "../x", "a?b", "a#b", "a b", "\\u001b[2J", "\\u202ea", long.as_str()] {
        hostile.push((open(id, 100_000, 16 << 20), "malformed id"));
        hostile.push((there(id), "malformed id"));
    }
    for (answer, words) in hostile {
        let (address, requests) = server(answer.into_bytes(), 1);
        is_not_ours(send(&client(&address), &recording, |_| ()).await, words);
        assert_eq!(requests.load(Ordering::Relaxed), 1, "{words}");
    }
}

#[tokio::test]
async fn an_answer_larger_than_any_of_ours_is_not_read_to_its_end() {
    let (address, _) = server(vec![b' '; 1 << 20], 1 << 20);
    let place = format!("{address}/latest/heat").parse().unwrap();
    let result = runs_at(&client(&address), &place).await;
    is_not_ours(result, "larger than 64 MiB");
}

#[tokio::test]
async fn only_an_upload_has_parts_that_are_kept() {
    // A port that was free a moment ago may be another test's by now.
    let address = "http://127.0.0.1:1";
    let place = format!("{address}/latest/heat").parse().unwrap();
    let error = runs_at(&client(address), &place).await.unwrap_err().to_string();
    assert!(error.starts_with("can't reach") && !error.contains("Parts"), "{error}");
}

#[tokio::test]
async fn long_transfers_that_break_are_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nab");
            if number > 1 {
                let _ = stream.write_all(b"cd");
            } else {
                // With the pauses, the transfer takes longer than the client retries without a response. Then
                // the connection breaks.
                std::thread::sleep(Duration::from_secs(1));
            }
        }
    });
    // The pauses are half a second and one second.
    let client = Client::new(address.parse().unwrap(), None, true, Duration::from_secs(2)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run");
    fetch(&client, &Remote { name: "run".into(), id: "run".into() }, &file).await.unwrap();
    assert_eq!(std::fs::read(file).unwrap(), b"abcd");
}

#[tokio::test]
async fn a_server_that_asks_for_the_next_request_at_once_gets_it_after_a_pause() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let seen = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            seen.fetch_add(1, Ordering::Relaxed);
            let busy =
                b"HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(busy);
        }
    });
    let client = Client::new(address.parse().unwrap(), None, true, Duration::from_secs(1)).unwrap();
    let place = format!("{address}/latest/heat").parse().unwrap();
    let error = runs_at(&client, &place).await.unwrap_err().to_string();
    assert!(error.contains("503"), "{error}");
    let requests = requests.load(Ordering::Relaxed);
    assert!((2..=3).contains(&requests), "{requests}");
}

#[tokio::test]
async fn a_recording_that_another_process_completes_meanwhile_is_shared() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let open =
        r#"{"open":{"id":"abc","size_bytes":3,"part_bytes":16777216,"parts":[],"state":{"is":"open"}}}"#;
    let over = r#"{"error":{"code":"upload_over","message":"the upload is closed"}}"#;
    let there = r#"{"there":{"id":"abc","name":"a","size_bytes":3,"stored_unix_ns":1}}"#;
    std::thread::spawn(move || {
        let answers = [("200 OK", open), ("409 Conflict", over), ("200 OK", there)];
        for (stream, (status, body)) in listener.incoming().zip(answers) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            // Also reads the rest of the request, so that the answer is not lost with the connection.
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, "abc").unwrap();
    let recording = Recording { path, name: "a".into(), project: None, labels: Default::default() };
    let shared = send(&client(&address), &recording, |_| ()).await.unwrap();
    assert!(shared.was_there && shared.id == "abc", "{shared:?}");
}
