//! `syclscope open` and `syclscope serve` as processes with a real socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::recording;
use crate::support::{Scratch, stderr, syclscope};

pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("syclscope runs");
        let mut url = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut url).expect("an address");
        Self { child, url: url.trim_end().to_owned() }
    }

    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap_or_default()
    }

    pub(crate) fn talk(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).expect("a connection");
        stream.write_all(request).expect("a request is taken");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        let host = self.address();
        self.talk(format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes())
    }

    /// Stops it like Ctrl-C; returns its exit code and its standard error.
    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        signal("INT", self.child.id());
        let status = self.child.wait().expect("syclscope ends");
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        (status.code(), said)
    }
}

impl Running {
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The test may have stopped it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().expect("sh runs");
    assert!(sent.success());
}

#[test]
fn a_file_is_opened_and_ctrl_c_ends_it() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let server = Running::start(syclscope(&scratch).args(["open", "run.pftrace"]));
    let id = server.url.rsplit("/t/").next().expect("an id").to_owned();
    assert!(server.get(&format!("/api/v1/traces/{id}")).contains(recording::KERNEL));
    let (code, said) = server.stop();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("run.pftrace: ") && said.contains("read in"), "{said}");
}

#[test]
fn a_health_check_asks_a_server_and_fails_without_one() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    // Not the usual port, which another test's server may take once this server has ended.
    let open = ["open", "run.pftrace", "--port", "0"];
    let running = Running::start(syclscope(&scratch).args(open));
    let address = running.address().to_owned();
    let health = |address: &str| syclscope(&scratch).args(["health", address]).output().expect("it runs");
    // A server that takes five seconds counts as unhealthy, so a busy machine may need several attempts.
    let patience = Instant::now() + Duration::from_secs(300);
    let output = loop {
        let output = health(&address);
        if output.status.success() || Instant::now() > patience {
            break output;
        }
    };
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    assert_eq!(running.stop().0, Some(0));
    let output = health(&address);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&format!("no healthy server at {address}")), "{}", stderr(&output));

    // Something else listens there. It may take five seconds, too.
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in other.incoming().flatten() {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\n");
        }
    });
    let patience = Instant::now() + Duration::from_secs(300);
    let output = loop {
        let output = health(&address);
        assert_eq!(output.status.code(), Some(1));
        if stderr(&output).contains("its response was") || Instant::now() > patience {
            break output;
        }
    };
    assert!(stderr(&output).contains("its response was HTTP/1.1 404 Not Found"), "{}", stderr(&output));
}

#[test]
fn a_taken_port_is_evaded_or_reported() {
    let scratch = Scratch::new();
    let folder = scratch.folder().to_str().expect("text").to_owned();
    // Another program may have the usual port, and may release it at any time.
    let usual = TcpListener::bind("127.0.0.1:4717");
    let server = Running::start(syclscope(&scratch).args(["open", &folder]));
    assert!(server.get("/api/v1/traces").ends_with("[]"));
    let is_usual = server.address().ends_with(":4717");
    assert!(!(is_usual && usual.is_ok()));
    assert_eq!(server.stop().1.contains("another program uses port 4717"), !is_usual);

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address");
    let port = address.port().to_string();
    let output =
        syclscope(&scratch).args(["open", &folder, "--port", &port]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("another program uses port") && stderr(&output).contains("--port"),
        "{}",
        stderr(&output)
    );
    let listen = address.to_string();
    let output = syclscope(&scratch).args(["serve", "--data", "data", "--listen", &listen]).output();
    let output = output.expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--listen"), "{}", stderr(&output));
}

#[test]
fn bad_files_are_reported_before_anything_is_served() {
    let scratch = Scratch::new();
    scratch.file("notes.txt", "not a trace");
    scratch.file("empty.pftrace", "");
    for (file, message) in
        [("missing", "can't read missing"), ("notes.txt", "notes.txt"), ("empty.pftrace", "empty")]
    {
        for command in ["open", "summary"] {
            let output = syclscope(&scratch).args([command, file]).output().expect("syclscope runs");
            assert_eq!(output.status.code(), Some(1), "{command} {file}");
            assert!(stderr(&output).contains(message), "{command} {file}: {}", stderr(&output));
        }
    }
}

#[test]
fn an_upload_whose_connection_breaks_leaves_nothing() {
    let scratch = Scratch::new();
    let arguments = ["serve", "--data", "data", "--listen", "127.0.1.1:0"];
    let server = Running::start(syclscope(&scratch).args(arguments));
    let host = server.address().to_owned();
    let mut stream = TcpStream::connect(&host).expect("a connection");
    let head = format!("POST /api/v1/traces HTTP/1.1\r\nhost: {host}\r\ncontent-length: 1000\r\n\r\nhalf");
    stream.write_all(head.as_bytes()).expect("half a request is taken");
    stream.shutdown(Shutdown::Write).expect("the connection is closed");
    // An answer or the end of the connection: either shows that the server has seen the end.
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);

    let bytes = recording::as_perfetto();
    let head = format!(
        "POST /api/v1/traces?name=run.pftrace HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        bytes.len()
    );
    let answer = server.talk(&[head.as_bytes(), &bytes].concat());
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let (code, said) = server.stop();
    assert_eq!(code, Some(0), "{said}");

    // A later server on the same folder has the one trace, and nothing of the broken upload.
    let server = Running::start(syclscope(&scratch).args(arguments));
    assert_eq!(server.get("/api/v1/traces").matches("\"id\"").count(), 1);
    let incoming = std::fs::read_dir(scratch.path("data/incoming")).expect("the folder for uploads");
    assert_eq!(incoming.count(), 0);
    let output = syclscope(&scratch).args(["serve", "--data", "data", "--listen", "127.0.0.1:0"]).output();
    let output = output.expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("in use by another"), "{}", stderr(&output));
}

#[test]
fn requests_are_logged_where_someone_asks_for_it_and_without_their_queries() {
    let scratch = Scratch::new();
    let folder = scratch.folder().to_str().expect("text").to_owned();
    let open = ["open", &folder, "--port", "0"];
    let logged = |command: &mut Command| {
        let server = Running::start(command);
        server.get("/api/v1/health?name=private");
        server.stop().1
    };
    let by_option = logged(syclscope(&scratch).args(open).args(["--log", "debug"]));
    let by_variable = logged(syclscope(&scratch).args(open).env("RUST_LOG", "warn,syclscope_server=debug"));
    for said in [by_option, by_variable] {
        let line = said.lines().find(|line| line.contains("route=\"/api/v1/health\"")).unwrap_or_default();
        for part in ["DEBUG", "method=GET", "status=200", "duration="] {
            assert!(line.contains(part), "{part} is missing: {said}");
        }
        assert!(!said.contains("private") && !said.contains('\x1b'), "{said}");
    }
    assert!(!logged(syclscope(&scratch).args(open)).contains("health"));
    let wrong = logged(syclscope(&scratch).args(open).env("RUST_LOG", "loud"));
    assert!(wrong.contains("WARN") && wrong.contains("RUST_LOG"), "{wrong}");
}

/// Sends a request as another account of this computer, which only root can do. Returns the answer's first
/// line.
fn ask_as_nobody(address: &str, method: &str, path: &str) -> String {
    let script = "import os, socket, sys\n\
        host, method, path = sys.argv[1:]\n\
        name, port = host.split(':')\n\
        os.setgid(65534); os.setuid(65534)\n\
        stream = socket.socket(); stream.connect((name, int(port)))\n\
        stream.sendall(f'{method} {path} HTTP/1.1\\r\\nhost: {host}\\r\\ncontent-length: 0\\r\\n\\r\\n'.encode())\n\
        print(stream.recv(4096).decode().splitlines()[0])";
    let asked =
        Command::new("python3").args(["-c", script, address, method, path]).output().expect("python3 runs");
    assert!(asked.status.success(), "{}", stderr(&asked));
    String::from_utf8_lossy(&asked.stdout).into_owned()
}

#[test]
fn other_accounts_of_this_computer_are_kept_out() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let is_root = std::fs::metadata("/proc/self").expect("the own process").uid() == 0;
    let open = ["open", "run.pftrace", "--port", "0"];
    let serve = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];
    for arguments in [&open[..], &serve] {
        let mut server = Running::start(syclscope(&scratch).args(arguments));
        let path = server.url.trim_start_matches("http://").trim_start_matches(server.address()).to_owned();
        assert!(server.get(&path).starts_with("HTTP/1.1 "));
        assert!(server.get("/api/v1/traces").starts_with("HTTP/1.1 200"));
        let mut lines = BufReader::new(server.child.stderr.take().expect("a pipe")).lines();
        let key = lines.find_map(|line| line.ok()?.split_once("?key=").map(|(_, key)| key.to_owned()));
        let key = key.expect("the key is printed");
        if is_root {
            for (method, path) in [("GET", &*path), ("GET", "/api/v1/traces"), ("POST", "/api/v1/traces")] {
                let answer = ask_as_nobody(server.address(), method, path);
                assert!(answer.starts_with("HTTP/1.1 403"), "{method} {path}: {answer}");
            }
            let answer = ask_as_nobody(server.address(), "GET", &format!("{path}?key={key}"));
            assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        }
    }
    let server = Running::start(syclscope(&scratch).args(serve).arg("--any-account"));
    if is_root {
        assert!(ask_as_nobody(server.address(), "GET", "/api/v1/traces").starts_with("HTTP/1.1 200"));
    }
    assert!(!server.stop().1.contains("key="));
}
