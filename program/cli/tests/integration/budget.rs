//! Files that take far more memory than they have bytes: the program refuses them, and stays below a limit that would
//! end it.

use std::io::Write as _;
use std::process::Command;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, in_no_environment, stderr, syclscope};

/// Limit of the tested program's address space, in KiB.
const LIMIT_KIB: u64 = 3 << 17;

/// Returns the program's command under a limit of address space, as `ulimit -v` sets it.
fn limited(scratch: &Scratch) -> Command {
    let program = syclscope(scratch);
    let mut command = Command::new("sh");
    in_no_environment(&mut command, scratch);
    command.args(["-c", &format!("ulimit -v {LIMIT_KIB} && exec \"$0\" \"$@\"")]);
    command.arg(program.get_program()).args(program.get_args());
    command
}

fn gzip(write: impl FnOnce(&mut dyn std::io::Write)) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    write(&mut out);
    out.finish().expect("packed")
}

fn alike() -> Vec<u8> {
    let event = br#"{"ph":"i","ts":1,"name":"a"},"#.repeat(1000);
    gzip(|out| {
        out.write_all(b"[").expect("packed");
        (0..4_000).for_each(|_| out.write_all(&event).expect("packed"));
    })
}

fn packet(body: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x0a];
    varint(&mut packet, body.len() as u64);
    packet.extend_from_slice(body);
    packet
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn tracks(numbers: std::ops::Range<u64>) -> Vec<u8> {
    let mut packets = Vec::new();
    for number in numbers {
        let mut descriptor = vec![0x08];
        varint(&mut descriptor, number);
        let mut body = vec![0xe2, 0x03, descriptor.len() as u8];
        body.extend(descriptor);
        packets.extend(packet(&body));
    }
    packets
}

fn packed_tracks() -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&tracks(0..1_500_000)).expect("packed");
    let packed = packed.finish().expect("packed");
    let mut body = vec![0x92, 0x03];
    varint(&mut body, packed.len() as u64);
    body.extend(packed);
    // The file begins with a track, so that its format is recognised.
    [tracks(1..2), packet(&body)].concat()
}

/// Returns a file with an event that has more arguments than fit into memory.
fn one_event() -> Vec<u8> {
    let argument = br#""a":1,"#.repeat(1000);
    gzip(|out| {
        out.write_all(br#"[{"ph":"i","ts":1,"name":"a","args":{"#).expect("packed");
        (0..2_000).for_each(|_| out.write_all(&argument).expect("packed"));
        out.write_all(br#""b":1}}]"#).expect("packed");
    })
}

fn post(server: &Running, name: &str, body: &[u8]) -> String {
    let head = format!(
        "POST /api/v1/traces?name={name} HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        server.address(),
        body.len()
    );
    server.talk(&[head.as_bytes(), body].concat())
}

#[test]
fn a_small_file_that_becomes_large_is_refused_and_the_server_lives_on() {
    let scratch = Scratch::new();
    let budget = ["--import-memory-bytes", "40000000"];
    let serve = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];
    let server = Running::start(limited(&scratch).args(serve).args(budget));
    let bombs = [("alike", alike()), ("tracks", packed_tracks()), ("event", one_event())];
    for (name, bomb) in &bombs {
        assert!(bomb.len() < 40 << 20, "{name} has {} bytes", bomb.len());
        let answer = post(&server, name, bomb);
        if answer.is_empty() {
            panic!("{name}: the server has ended: {:?}", server.stop());
        }
        assert!(answer.starts_with("HTTP/1.1 422 "), "{name}: {answer}");
        assert!(answer.contains("too_much_memory") && answer.contains("--import-memory-bytes"), "{answer}");
        assert!(answer.contains("38 MiB"), "{answer}");
    }
    assert!(post(&server, "run", &recording::as_perfetto()).starts_with("HTTP/1.1 201 "));
    let list = server.get("/api/v1/traces");
    assert_eq!(list.matches("\"id\"").count(), 1, "{list}");
}

#[test]
fn the_machine_says_how_much_there_is() {
    let scratch = Scratch::new();
    scratch.file("bomb.pftrace", packed_tracks());
    // Half of the address space counts as memory, and a command that runs alone may use three quarters of that.
    let commands: [&[&str]; 4] = [
        &["summary", "bomb.pftrace"],
        &["convert", "bomb.pftrace", "-o", "out.json"],
        &["ask", "bomb.pftrace", "report"],
        &["open", "bomb.pftrace", "--no-browser"],
    ];
    for command in commands {
        let output = limited(&scratch).args(command).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(1), "{command:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("it needs more memory than the limit of 144 MiB"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(scratch.names(), ["bomb.pftrace"]);
}

/// A control group with a limit lower than the machine has: files of the test in place of the system's.
#[test]
fn a_control_group_says_how_much_there_is() {
    let scratch = Scratch::new();
    scratch.file("bomb.pftrace", packed_tracks());
    let own = std::fs::read_to_string("/proc/self/cgroup").expect("groups");
    let is_first =
        own.lines().any(|line| line.split(':').nth(1).is_some_and(|names| names.contains("memory")));
    let (folder, name) =
        if is_first { ("groups/memory", "memory.limit_in_bytes") } else { ("groups", "memory.max") };
    std::fs::create_dir_all(scratch.path(folder)).expect("a folder");
    scratch.file(&format!("{folder}/{name}"), "201326592\n");
    let within = |script: &str, command: &[&str]| {
        let program = syclscope(&scratch);
        let mut unshare = Command::new("unshare");
        in_no_environment(&mut unshare, &scratch);
        unshare.args(["--mount", "--map-root-user", "sh", "-c", script]);
        unshare.arg(program.get_program()).args(program.get_args()).args(command);
        unshare.output().expect("unshare runs")
    };
    if !within("mount --bind groups /sys/fs/cgroup", &[]).status.success() {
        eprintln!("skipped: nothing can be mounted here");
        return;
    }
    let output =
        within("mount --bind groups /sys/fs/cgroup && exec \"$0\" \"$@\"", &["summary", "bomb.pftrace"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("it needs more memory than the limit of 144 MiB"),
        "{}",
        stderr(&output)
    );
}

fn named(names: impl Iterator<Item = String>) -> Vec<u8> {
    let events = names.enumerate().map(|(number, name)| {
        format!(r#"{{"ph":"X","ts":{number},"dur":1,"pid":1,"tid":1,"name":"{name}","cat":"kernel"}}"#)
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",")).into_bytes()
}

/// Names for which an automaton would take gigabytes: many, long, alike, in many forms, with many folders.
#[test]
fn cleaning_takes_memory_in_proportion_or_is_refused() {
    let scratch = Scratch::new();
    let shapes = [
        ("many", named((0..8_000).map(|number| format!("{number:0>150}")))),
        ("alike", named((0..2_000).map(|number| format!("{}{number}", "a name of a kernel ".repeat(20))))),
        ("forms", named((0..2_000).map(|number| format!("{number}{}", "/ü %".repeat(30))))),
        ("long", named(std::iter::once("x".repeat(1 << 20)))),
        ("folders", named(std::iter::once("/f".repeat(20_000) + ".cpp"))),
    ];
    let mut cleaned = Vec::new();
    for (name, file) in &shapes {
        scratch.file(&format!("{name}.json"), file);
        let (from, to) = (format!("{name}.json"), format!("{name}.clean.json"));
        let output = limited(&scratch).args(["clean", &from, "-o", &to]).output().expect("syclscope runs");
        match output.status.code() {
            Some(0) => cleaned.push(*name),
            code => {
                assert_eq!(code, Some(1), "{name}: {}", stderr(&output));
                assert!(
                    stderr(&output).contains("it needs more memory than the limit of 144 MiB"),
                    "{}",
                    stderr(&output)
                );
            }
        }
    }
    assert_eq!(cleaned, ["many", "alike", "forms", "long"]);
    let server =
        Running::start(limited(&scratch).args(["serve", "--data", "data", "--listen", "127.0.0.1:0"]));
    for (name, file) in &shapes {
        let answer = post(&server, name, file);
        assert!(answer.starts_with("HTTP/1.1 201 "), "{name}: {answer}");
        let id = answer.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
        let wanted = r#"{"kinds":["kernels","paths"]}"#;
        let request = format!(
            "POST /api/v1/traces/{id}/cleaned HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{wanted}",
            server.address(),
            wanted.len()
        );
        let answer = server.talk(request.as_bytes());
        let is_refused = answer.starts_with("HTTP/1.1 413 ") && answer.contains("too_much_memory");
        assert!(is_refused || answer.starts_with("HTTP/1.1 201 "), "{name}: {answer}");
    }
}

#[test]
fn an_upload_that_is_announced_as_too_large_is_refused_before_it_is_sent() {
    let scratch = Scratch::new();
    let serve = ["serve", "--data", "data", "--listen", "127.0.0.1:0", "--max-upload-bytes", "1000"];
    let server = Running::start(syclscope(&scratch).args(serve));
    let head = format!(
        "POST /api/v1/traces?name=a HTTP/1.1\r\nhost: {}\r\ncontent-length: 9000000000\r\nexpect: 100-continue\r\n\r\n",
        server.address()
    );
    let answer = server.talk(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("--max-upload-bytes"), "{answer}");
}
