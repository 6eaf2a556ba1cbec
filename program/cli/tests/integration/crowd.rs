//! `syclscope serve` where strangers take every connection that they get.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use socket2::{Domain, Socket, Type};

use crate::recording;
use crate::support::{Scratch, in_no_environment, stdout, syclscope};

const DESCRIPTORS: u32 = 384;
/// A piece of an upload that earns a minute, the most that a server waits for the next one.
const PIECE_BYTES: usize = 512 << 10;

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(scratch: &Scratch, arguments: &[&str]) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {DESCRIPTORS} && exec \"$@\""), "sh"]);
        command.args([env!("CARGO_BIN_EXE_syclscope"), "serve", "--data", "data", "--listen", "127.0.0.1:0"]);
        in_no_environment(&mut command, scratch);
        command.args(["--log", "off"]).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("syclscope runs");
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut url).expect("an address");
        let address = url.trim_end().trim_start_matches("http://").trim_end_matches('/').parse();
        Self { child, address: address.expect("an address") }
    }

    fn connect(&self, from: [u8; 4]) -> TcpStream {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::from((from, 0)).into()).expect("an address of this computer");
        socket.connect(&self.address.into()).expect("a connection");
        TcpStream::from(socket)
    }

    fn head(&self, method: &str, path: &str, headers: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{headers}\r\n", self.address)
    }

    fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = self.connect([127, 0, 0, 1]);
        stream.write_all(self.head("GET", path, headers).as_bytes()).expect("a request is taken");
        answer(stream)
    }

    /// Opens connections of one stranger, in every stage that lasts.
    fn crowd(&self, from: [u8; 4], count: usize, forwarded: &str) -> Vec<TcpStream> {
        let trickle = self.head("POST", "/sign-in", &format!("content-length: 5000\r\n{forwarded}")) + "t";
        let chunked = self.head("POST", "/sign-in", &format!("transfer-encoding: chunked\r\n{forwarded}"));
        let begins = [trickle.as_str(), "", "GET / HT", &trickle, &chunked];
        let crowd = (0..count).map(|number| {
            let mut stream = self.connect(from);
            // The connection may already have been evicted.
            let _ = stream.write_all(begins[number % begins.len()].as_bytes());
            stream
        });
        crowd.collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn server_with_token(scratch: &Scratch, arguments: &[&str]) -> (Server, String) {
    std::fs::create_dir(scratch.path("data")).expect("a folder");
    let token = ["token", "create", "ada", "--data", "data", "--role", "admin"];
    let made = syclscope(scratch).args(token).output().expect("syclscope runs");
    let header = format!("authorization: Bearer {}\r\n", stdout(&made).trim());
    (Server::start(scratch, arguments), header)
}

#[track_caller]
fn check_open(server: &Server, token: &str) {
    for (path, headers, status) in
        [("/healthz", "", "200"), ("/api/v1/traces", token, "200"), ("/api/v1/traces", "", "401")]
    {
        let answer = server.get(path, headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
    }
}

#[test]
fn slow_strangers_keep_nobody_out_from_few_addresses_or_from_many() {
    let scratch = Scratch::new();
    let (server, token) = server_with_token(&scratch, &["--sign-in", "token"]);
    let mut upload = server.connect([127, 0, 0, 1]);
    let mut trace = recording::as_json();
    let end = trace.len() - 1;
    trace.splice(end..end, std::iter::repeat_n(b' ', 3 * PIECE_BYTES));
    let head = format!("content-length: {}\r\n{token}", trace.len());
    let head = server.head("POST", "/api/v1/traces?name=a.json", &head);
    upload.write_all(head.as_bytes()).expect("a request is taken");
    let mut pieces = trace.chunks(trace.len().div_ceil(3));
    let mut go_on = || upload.write_all(pieces.next().expect("a third")).expect("a piece is taken");
    go_on();
    let mut crowds = vec![server.crowd([127, 0, 0, 2], 150, "")];
    check_open(&server, &token);
    go_on();
    for number in 0..60 {
        crowds.push(server.crowd([127, 0, 1, number], 2, ""));
    }
    check_open(&server, &token);
    go_on();
    let stored = answer(upload);
    assert!(stored.starts_with("HTTP/1.1 201"), "{stored}");
}

#[test]
fn slow_strangers_behind_a_proxy_keep_nobody_out() {
    let scratch = Scratch::new();
    let (server, token) =
        server_with_token(&scratch, &["--sign-in", "token", "--trusted-proxy", "127.0.0.9"]);
    let mut crowds = Vec::new();
    for number in 0..40 {
        crowds.push(server.crowd([127, 0, 0, 9], 4, &format!("x-forwarded-for: 192.0.2.{number}\r\n")));
    }
    check_open(&server, &token);
}
