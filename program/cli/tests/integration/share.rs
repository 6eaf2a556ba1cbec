//! `syclscope share` and `sync` against a real server, also through a connection that breaks.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, record, stderr, stdout, syclscope};

/// An address without a listener. A port that was free a moment ago may be another test's by now.
const CLOSED: &str = "127.0.0.1:1";
/// More than one part of an upload.
const LARGE_BYTES: usize = 20 << 20;

fn serve(scratch: &Scratch) -> Running {
    Running::start(syclscope(scratch).args(["serve", "--data", "data", "--listen", "127.0.0.1:0"]))
}

fn share(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = syclscope(scratch);
    command.env_remove("SYCLSCOPE_SERVER").env_remove("SYCLSCOPE_TOKEN").args(arguments);
    command
}

fn large() -> Vec<u8> {
    let mut bytes = recording::as_json();
    let end = bytes.len() - 1;
    bytes.splice(end..end, std::iter::repeat_n(b' ', LARGE_BYTES));
    bytes
}

#[test]
fn a_recording_is_shared_once_and_its_address_shows_it() {
    let scratch = Scratch::new();
    let server = serve(&scratch);
    scratch.file("run.pftrace", recording::as_perfetto());
    let arguments = ["share", "run.pftrace", "--to", &server.url, "--label", "branch:main"];
    let output = share(&scratch, &arguments).output().expect("syclscope runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let address = stdout(&output);
    let id = address.trim_end().strip_prefix(&format!("{}t/", server.url)).expect("an address of the server");
    assert!(server.get(&format!("/api/v1/traces/{id}")).contains(recording::KERNEL));
    for label in ["branch:main", "branch=main"] {
        assert!(server.get(&format!("/api/v1/traces?label={label}")).contains(id), "{label}");
    }
    let again =
        share(&scratch, &["share", "run.pftrace", "-q"]).env("SYCLSCOPE_SERVER", &server.url).output();
    let again = again.expect("syclscope runs");
    assert_eq!((stdout(&again), stderr(&again)), (address, String::new()));
    let labels = ["share", "run.pftrace", "--to", &server.url, "--label", "branch:other"];
    let output = share(&scratch, &labels).output().expect("syclscope runs");
    assert!(stderr(&output).contains("keeps its labels"), "{}", stderr(&output));
}

#[test]
fn a_trace_without_the_requested_link_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let there = r#"{"there":{"id":"abc","name":"a","size_bytes":3,"stored_unix_ns":1}}"#;
        let refused = r#"{"error":{"code":"not_allowed","message":"your role does not permit this"}}"#;
        let answers = [("200 OK", there), ("403 Forbidden", refused)];
        for (stream, (status, body)) in listener.incoming().zip(answers) {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            // Also reads the rest of the request, so that the answer is not lost with the connection.
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let scratch = Scratch::new();
    scratch.file("run.json", b"abc");
    let arguments = ["share", "run.json", "--link", "--to", &address];
    let output = share(&scratch, &arguments).output().expect("syclscope runs");
    assert!(!output.status.success(), "{}", stdout(&output));
    assert!(stderr(&output).contains(&format!("{address}/t/abc")), "{}", stderr(&output));
}

#[test]
fn a_file_that_cannot_be_shared_does_not_prevent_the_others() {
    let scratch = Scratch::new();
    let limited = ["serve", "--data", "data", "--listen", "127.0.0.1:0", "--max-upload-bytes", "1000000"];
    let server = Running::start(syclscope(&scratch).args(limited));
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("notes.txt", b"no trace");
    scratch.file("empty.json", b"");
    scratch.file("large.json", large());
    let mut files = vec!["share", "missing.pftrace", "notes.txt", "empty.json", "large.json", "run.pftrace"];
    files.extend(["--to", server.url.as_str()]);
    let output = share(&scratch, &files).output().expect("syclscope runs");
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(1), 1), "{}", stderr(&output));
    for file in ["missing.pftrace", "notes.txt", "empty.json", "large.json"] {
        assert_eq!(stderr(&output).matches(file).count(), 1, "{}", stderr(&output));
    }
    std::fs::create_dir(scratch.path("folder")).unwrap();
    let files = ["share", "missing.pftrace", "folder", "run.pftrace", "--spool", "spool"];
    let output = share(&scratch, &files).output();
    let output = output.expect("syclscope runs");
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(1), 1), "{}", stderr(&output));
}

#[test]
fn a_link_opens_the_trace_and_nothing_else() {
    let scratch = Scratch::new();
    let server = serve(&scratch);
    scratch.file("run.pftrace", recording::as_perfetto());
    let wanted = ["--link", "--expires", "7d", "--openings", "3", "--to", &server.url];
    let output = share(&scratch, &["share", "run.pftrace"]).args(wanted).output().expect("syclscope runs");
    let address = stdout(&output);
    let place = address.trim_end().strip_prefix(server.url.trim_end_matches('/')).expect("on the server");
    let (link, id) = place.split_once("/t/").expect("a link to a trace");
    assert!(link.starts_with("/s/"), "{address}");
    assert!(server.get(&format!("/api/v1/traces/{id}/links")).contains("\"openings\":3"));
    assert!(server.get(&format!("{link}/api/v1/traces")).starts_with("HTTP/1.1 404"));
    assert!(server.get(&format!("{link}/api/v1/health")).starts_with("HTTP/1.1 200"));
}

#[test]
fn what_a_broken_connection_has_sent_is_not_sent_again() {
    let scratch = Scratch::new();
    let server = serve(&scratch);
    let bytes = large();
    scratch.file("large.json", &bytes);
    let breaking = Breaking::before(server.address().parse().expect("an address"), LARGE_BYTES as u64 / 2);
    let address = format!("http://{}", breaking.address);
    let output =
        share(&scratch, &["share", "large.json", "--to", &address]).output().expect("syclscope runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let id = stdout(&output).trim_end().rsplit('/').next().expect("an id").to_owned();
    let stored = std::fs::read(scratch.path("data").join("traces").join(&id).join("trace.bin"));
    assert!(stored.expect("the stored trace") == bytes, "other bytes");
    let sent = breaking.sent.load(Ordering::SeqCst);
    assert!(breaking.broken.load(Ordering::SeqCst) > 0, "no connection broke");
    assert!(sent < bytes.len() as u64 * 17 / 10, "{sent} bytes were sent for {}", bytes.len());
}

#[test]
fn what_waits_in_a_folder_is_sent_once() {
    let scratch = Scratch::new();
    for number in 1..=5 {
        scratch.file(&format!("run-{number}.pftrace"), recording::of_process(number));
    }
    let files = ["run-1.pftrace", "run-2.pftrace", "run-3.pftrace", "run-4.pftrace", "run-5.pftrace"];
    let mut arguments = vec!["share", "--spool", "spool"];
    arguments.extend(files);
    let output = share(&scratch, &arguments).output().expect("syclscope runs");
    assert_eq!(stdout(&output).lines().count(), 5, "{}", stderr(&output));
    // Without a server the recordings stay.
    let nowhere = format!("http://{CLOSED}");
    let output = share(&scratch, &["sync", "spool", "--to", &nowhere, "--retry-for", "100ms"]).output();
    let output = output.expect("syclscope runs");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{}", stderr(&output));
    assert!(stderr(&output).contains("can't reach"), "{}", stderr(&output));

    // An unreadable note doesn't prevent other uploads.
    std::fs::write(scratch.path("spool/broken.pftrace.share.json"), "{").expect("a note");
    let server = serve(&scratch);
    // Two at once share the work.
    let start = || {
        let mut command = share(&scratch, &["sync", "spool", "--to", &server.url, "--at-once", "2"]);
        let command = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().expect("syclscope runs")
    };
    let both = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
    // Both may find the note at once, and one then leaves it to the other.
    let failed = |output: &std::process::Output| output.status.code() == Some(1);
    assert!(both.iter().any(|output| failed(output) && stderr(output).contains("broken.pftrace")));
    std::fs::remove_file(scratch.path("spool/broken.pftrace.share.json")).expect("the note");
    let addresses: usize = both.iter().map(|output| stdout(output).lines().count()).sum();
    assert_eq!(addresses, 5);
    assert_eq!(server.get("/api/v1/traces").matches("run-").count(), 5);
    let output = share(&scratch, &["sync", "spool", "--to", &server.url]).output().expect("syclscope runs");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    assert!(stderr(&output).contains("0 recordings"), "{}", stderr(&output));
    let left = std::fs::read_dir(scratch.path("spool")).expect("the folder").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(left.len() == 5 && left.iter().all(|name| name.ends_with(".shared.json")), "{left:?}");
    assert!(files.iter().all(|name| scratch.path(name).exists()), "the originals stay");
}

#[test]
fn a_folder_keeps_recordings_where_the_environment_names_a_server() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let mut command = share(&scratch, &["share", "run.pftrace", "--spool", "spool"]);
    let output = command.env("SYCLSCOPE_SERVER", "https://traces.example").output().expect("syclscope runs");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(scratch.path(stdout(&output).trim_end()).exists());
    let mut command = share(&scratch, &["sync", "spool"]);
    let output = command.env("SYCLSCOPE_SERVER", "traces.example").output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("SYCLSCOPE_SERVER: not a URL"), "{}", stderr(&output));
}

#[test]
fn words_of_a_server_do_not_steer_the_terminal() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let kept = share(&scratch, &["share", "run.pftrace", "--spool", "spool"]).output();
    assert!(kept.expect("syclscope runs").status.success());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("its address"));
    thread::spawn(move || {
        let body = r#"{"error":{"code":"refused","message":"no\u001b[2Jroom"}}"#;
        let length = body.len();
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let head = "HTTP/1.1 400 Bad Request\r\nconnection: close";
            let _ = client.write_all(format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes());
        }
    });
    let output = share(&scratch, &["sync", "spool", "--to", &address]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("no\u{fffd}[2Jroom") && !told.contains('\u{1b}'), "{told:?}");
}

#[test]
fn refusals_say_what_to_do() {
    let scratch = Scratch::new();
    let server = serve(&scratch);
    scratch.file("notes.json", "not a trace");
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("token", "syt_abc\n");
    let url = server.url.as_str();
    for (arguments, message) in [
        (vec!["share", "run.pftrace"], "--to"),
        (vec!["share", "gone", "--to", url], "gone can't be read"),
        (vec!["share", "notes.json", "--to", url], "notes.json: "),
        (vec!["share", "run.pftrace", "notes.json", "--name", "x", "--to", url], "--name"),
        (vec!["share", "run.pftrace", "--to", "http://traces.example", "--token-file", "token"], "https"),
        (vec!["share", "run.pftrace", "--to", url, "--token-file", "gone"], "can't read gone"),
        (vec!["sync", "gone", "--to", url], "gone"),
    ] {
        let output = share(&scratch, &arguments).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("syt_abc"), "{}", stderr(&output));
    }
    let other = Running::start(syclscope(&scratch).args(["open", "run.pftrace"]));
    let url = format!("http://{}", other.address());
    let output = share(&scratch, &["share", "run.pftrace", "--to", &url]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("serve"), "{}", stderr(&output));
}

#[test]
fn what_waits_in_a_folder_has_no_link() {
    let scratch = Scratch::new();
    for words in [vec!["share", "run.pftrace"], vec!["record"]] {
        let options = ["--spool", "spool", "--link", "--", "true"];
        let arguments = [&words[..], &options].concat();
        let output = share(&scratch, &arguments).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stdout(&output));
        assert!(stderr(&output).contains("--link"), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn a_run_ends_as_the_program_does_whatever_sharing_does() {
    let scratch = Scratch::new();
    let address = format!("http://{CLOSED}");
    let mut command = record(&scratch);
    command.args(["--share", &address, "--retry-for", "100ms", "--", "sh", "-c", "exit 7"]);
    let output = command.output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
}

/// A proxy that breaks one connection after a number of bytes, which all connections together have sent.
struct Breaking {
    address: SocketAddr,
    sent: Arc<AtomicU64>,
    broken: Arc<AtomicU64>,
}

impl Breaking {
    fn before(server: SocketAddr, after_bytes: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let (sent, broken) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let counts = (Arc::clone(&sent), Arc::clone(&broken));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (sent, broken) = (Arc::clone(&counts.0), Arc::clone(&counts.1));
                thread::spawn(move || pass(client, server, after_bytes, &sent, &broken));
            }
        });
        Self { address, sent, broken }
    }
}

/// Passes bytes both ways until the connection is to break. Servers check names of hosts without ports, so any port
/// will do.
fn pass(mut client: TcpStream, server: SocketAddr, after_bytes: u64, sent: &AtomicU64, broken: &AtomicU64) {
    let Ok(mut upstream) = TcpStream::connect(server) else { return };
    let (mut back_from, mut back_to) =
        (upstream.try_clone().expect("a clone"), client.try_clone().expect("a clone"));
    thread::spawn(move || std::io::copy(&mut back_from, &mut back_to));
    let mut piece = [0; 16 << 10];
    while let Ok(count @ 1..) = client.read(&mut piece) {
        if upstream.write_all(&piece[..count]).is_err() {
            break;
        }
        let all = sent.fetch_add(count as u64, Ordering::SeqCst) + count as u64;
        if all > after_bytes && broken.load(Ordering::SeqCst) == 0 {
            broken.fetch_add(1, Ordering::SeqCst);
            break;
        }
    }
    let _ = (client.shutdown(Shutdown::Both), upstream.shutdown(Shutdown::Both));
}
