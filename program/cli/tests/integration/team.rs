//! `syclscope serve` for a team and `syclscope token`, as processes with a real socket.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use syclscope_language::api::{MadeLink, Me, TraceEntry};

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

pub(crate) struct Server<'s> {
    scratch: &'s Scratch,
    child: Child,
    address: SocketAddr,
}

pub(crate) struct Answer {
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    fn cookie(&self) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        line.and_then(|line| line.split(';').next()).expect("a cookie")
    }

    #[track_caller]
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.body))
    }
}

impl<'s> Server<'s> {
    pub(crate) fn start(scratch: &'s Scratch, arguments: &[&str]) -> Self {
        let log = File::create(scratch.path("log")).expect("a file for the log");
        let mut child = syclscope(scratch)
            .args(["serve", "--data", "data", "--listen", "127.0.0.1:0", "--log", "trace"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("syclscope runs");
        let mut url = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut url).expect("an address");
        let address = url.trim_end().trim_start_matches("http://").trim_end_matches('/').parse();
        Self { scratch, child, address: address.expect("an address") }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.scratch.path("log")).expect("the log")
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.ask_from("127.0.0.1", method, path, headers, body)
    }

    fn ask_from(
        &self,
        from: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let from: SocketAddr = format!("{from}:0").parse().expect("an address");
        socket.bind(&from.into()).expect("an address of this computer");
        socket.connect(&self.address.into()).expect("a connection");
        let mut stream = TcpStream::from(socket);
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).expect("a request is taken");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        Answer { head: head.to_owned(), body: body.to_owned() }
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub(crate) fn token(scratch: &Scratch, arguments: &[&str]) -> String {
    let (command, rest) = arguments.split_first().expect("a command");
    let output = syclscope(scratch).args(["token", command, "--data", "data"]).args(rest).output();
    let output = output.expect("syclscope runs");
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).trim().to_owned()
}

fn folder_of_a_server(scratch: &Scratch) {
    std::fs::create_dir(scratch.path("data")).expect("a folder");
}

#[test]
fn a_server_that_others_reach_wants_to_know_who_they_are() {
    let scratch = Scratch::new();
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let output = syclscope(&scratch).args(["serve", "--data", "data", "--listen", listen]).output();
        let output = output.expect("syclscope runs");
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(said.contains("--sign-in token") && said.contains("--anyone"), "{said}");
    }
    assert!(!scratch.path("data").exists(), "nothing is made before that");
}

#[test]
fn a_token_for_a_folder_that_is_not_there_is_refused_with_what_to_do() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).args(["token", "create", "ada", "--data", "date"]).output();
    let output = output.expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("no folder date") && said.contains("--data"), "{said}");
    assert!(!scratch.path("date").exists());
}

#[test]
fn tokens_of_replicas_are_in_the_database_of_the_environment() {
    let scratch = Scratch::new();
    for folder in ["shared", "data/copies"] {
        std::fs::create_dir_all(scratch.path(folder)).expect("a folder");
    }
    let run = |arguments: &[&str], database: Option<&str>| {
        let mut command = syclscope(&scratch);
        command.arg("token").args(arguments);
        command.envs(database.map(|database| ("SYCLSCOPE_DATABASE", database)));
        command.output().expect("syclscope runs")
    };
    assert!(run(&["create", "ada", "--data", "shared"], None).status.success());
    let database = format!("sqlite://{}", scratch.path("shared/syclscope.db").display());
    for arguments in [&["list"][..], &["list", "--data", "data"]] {
        let output = run(arguments, Some(&database));
        assert!(stdout(&output).contains("ada"), "{}", stderr(&output));
    }
    let output = run(&["create", "eve", "--data", "data"], None);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--database"), "{}", stderr(&output));
    assert!(!scratch.path("data/syclscope.db").exists(), "no server would read it");
}

#[test]
fn tokens_are_made_listed_and_taken_back_beside_a_running_server() {
    let scratch = Scratch::new();
    folder_of_a_server(&scratch);
    let admin = token(&scratch, &["create", "ada", "--role", "admin"]);
    assert!(admin.starts_with("syt_") && admin.len() == 36, "{admin}");
    let server = Server::start(&scratch, &["--sign-in", "token"]);
    let status = |token: &str| {
        let bearer = format!("Bearer {token}");
        server.ask("GET", "/api/v1/traces", &[("authorization", &bearer)], b"").status()
    };
    assert_eq!(server.ask("GET", "/api/v1/traces", &[], b"").status(), 401);
    assert_eq!(status(&admin), 200);
    let ci =
        token(&scratch, &["create", "ci", "--project", "default", "--role", "viewer", "--expires", "1h"]);
    assert_eq!(status(&ci), 200);
    let list = token(&scratch, &["list"]);
    let line = list.lines().find(|line| line.ends_with("ci")).expect("its line").to_owned();
    assert!(line.contains("valid") && line.contains("viewer") && line.contains("default"), "{list}");
    assert!(!list.contains(&ci) && !list.contains(&ci[4..]), "{list}");
    let id = line.split(' ').next().expect("its id");
    token(&scratch, &["revoke", id]);
    // A running server notices it within a second.
    let patience = Instant::now() + Duration::from_secs(300);
    while status(&ci) != 401 {
        assert!(Instant::now() < patience, "a revoked token is still valid");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(status(&admin), 200);
    assert!(token(&scratch, &["list"]).contains("revoked"));

    let wrong = [
        &["create", "*"][..],
        &["create", "x", "--project", "nowhere"],
        &["create", "x", "--role", "king"],
        &["create", "x", "--expires", "soon"],
        &["revoke", "aaaaaaaaaaaaaaaaaaaaaaaaaa"],
    ];
    for arguments in wrong {
        let output = syclscope(&scratch).arg("token").args(arguments).args(["--data", "data"]).output();
        let output = output.expect("syclscope runs");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

/// Uses every secret in every way, and searches log and disk for it.
#[test]
fn no_secret_is_written_down() {
    let scratch = Scratch::new();
    folder_of_a_server(&scratch);
    let admin = token(&scratch, &["create", "ada", "--role", "admin"]);
    let server = Server::start(&scratch, &["--sign-in", "token"]);
    let bearer = format!("Bearer {admin}");
    let own = [("authorization", bearer.as_str())];
    let stored = server.ask("POST", "/api/v1/traces?name=run.pftrace", &own, &recording::as_perfetto());
    assert_eq!(stored.status(), 201, "{}", stored.body);
    let trace: TraceEntry = stored.json();
    let json = [own[0], ("content-type", "application/json")];
    let made = server.ask("POST", &format!("/api/v1/traces/{}/links", trace.id), &json, b"{\"openings\":2}");
    assert_eq!(made.status(), 201, "{}", made.body);
    let made: MadeLink = made.json();
    let link = made.address.split('/').nth(1).expect("its secret").to_owned();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let signed_in = server.ask("POST", "/sign-in", &form, format!("token={admin}&to=").as_bytes());
    assert_eq!(signed_in.status(), 303, "{}", signed_in.head);
    let cookie = signed_in.cookie().to_owned();
    let session = cookie.split_once('=').expect("a value").1.to_owned();
    assert_eq!(server.ask("GET", "/api/v1/traces", &[("cookie", &cookie)], b"").status(), 200);
    for path in
        [String::new(), format!("t/{}", trace.id), format!("api/v1/traces/{}", trace.id), "x.js".into()]
    {
        server.ask("GET", &format!("/s/{link}/{path}"), &[], b"");
        server.ask("POST", &format!("/s/{link}/{path}"), &[], b"");
    }
    // A mistyped secret reveals most of the real one.
    let (near_link, near_token) = (&link[1..], &admin[..35]);
    server.ask("GET", &format!("/s/{near_link}/api/v1/health"), &[], b"");
    server.ask("GET", &format!("//s/{link}/t/x"), &[], b"");
    server.ask("GET", &format!("/s/{link}"), &[], b"");
    // So does a URL with any other character in place of one around the secret.
    let (before, behind) = ("/api/s/", "/t/x");
    for at in 0..before.len() + behind.len() {
        for other in ["", "/", "//", ".", "S", "%2F", "%73", "?", "#", "@"] {
            let mut letters: Vec<String> = format!("{before}{behind}").chars().map(String::from).collect();
            letters[at] = other.to_owned();
            let (before, behind) = letters.split_at(before.len());
            for start in [0, "/api".len()] {
                let path = format!("/{}{link}{}", before[start..].concat(), behind.concat());
                server.ask("GET", &path, &[], b"");
            }
        }
    }
    server.ask("GET", "/api/v1/traces", &[("authorization", &format!("Bearer {near_token}"))], b"");
    server.ask("POST", "/sign-in", &form, format!("token={near_token}").as_bytes());
    server.ask("POST", "/sign-in", &form, admin.as_bytes());
    let log = server.log();
    assert!(
        log.contains("route=\"/s/{secret}/") && log.contains("/api/v1/traces"),
        "requests are logged: {log}"
    );
    for (what, secret) in
        [("token", near_token.trim_start_matches("syt_")), ("link", near_link), ("session", &session)]
    {
        let line = log.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "the {what} is in the log: {line:?}");
        for file in std::fs::read_dir(scratch.path("data")).expect("the data folder").flatten() {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            let is_there = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "the {what} is in {}", file.path().display());
        }
    }
}

#[test]
fn a_proxy_is_believed_by_its_address() {
    let scratch = Scratch::new();
    let arguments = ["--sign-in", "proxy", "--trusted-proxy", "127.0.0.2", "--proxy-header", "Remote-User"];
    let server = Server::start(&scratch, &arguments);
    let me = |from: &str, headers: &[(&str, &str)]| -> (String, Option<String>) {
        let answer = server.ask_from(from, "GET", "/api/v1/me", headers, b"");
        let me: Me = answer.json();
        (me.kind, me.name)
    };
    let ada = [("remote-user", "ada")];
    let nobody = ("nobody".to_owned(), None);
    assert_eq!(me("127.0.0.2", &ada), ("person".to_owned(), Some("ada".to_owned())));
    assert_eq!(me("127.0.0.1", &ada), nobody, "not the proxy");
    assert_eq!(me("127.0.0.2", &[]), nobody);
    assert_eq!(
        me("127.0.0.2", &[ada[0], ("remote-user", "root")]),
        nobody,
        "one of two could be the client's"
    );
    for name in ["*", "", " "] {
        assert_eq!(me("127.0.0.2", &[("remote-user", name)]), nobody, "{name:?}");
    }
    assert_eq!(me("127.0.0.2", &[("x-forwarded-user", "ada")]), nobody, "another header");

    // A person without a role sees nothing; an admin's token gives them one.
    let admin = token(&scratch, &["create", "root", "--role", "admin"]);
    let list = |headers: &[(&str, &str)]| {
        server.ask_from("127.0.0.2", "GET", "/api/v1/projects/default/members", headers, b"").status()
    };
    assert_eq!(list(&ada), 404);
    let bearer = format!("Bearer {admin}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let set = server.ask("PUT", "/api/v1/projects/default/members/ada", &headers, b"{\"role\":\"viewer\"}");
    assert_eq!(set.status(), 204, "{}", set.body);
    assert_eq!((list(&ada), list(&[("remote-user", "bob")])), (200, 404));
}

fn member(scratch: &Scratch, arguments: &[&str]) -> Result<String, String> {
    let (command, rest) = arguments.split_first().expect("a command");
    let output = syclscope(scratch).args(["member", command, "--data", "data"]).args(rest).output();
    let output = output.expect("syclscope runs");
    if output.status.success() { Ok(stdout(&output).trim().to_owned()) } else { Err(stderr(&output)) }
}

#[test]
fn members_are_added_listed_and_removed_beside_a_running_server() {
    let scratch = Scratch::new();
    let arguments = ["--sign-in", "proxy", "--trusted-proxy", "127.0.0.2"];
    let server = Server::start(&scratch, &arguments);
    let ask = |path: &str| server.ask_from("127.0.0.2", "GET", path, &[("x-forwarded-user", "ada")], b"");
    let outside = ask("/");
    assert_eq!(outside.status(), 403, "{}", outside.body);
    assert!(
        outside.body.contains("<strong>ada</strong>") && !outside.body.contains("sign-out"),
        "{}",
        outside.body
    );
    let patience = Instant::now() + Duration::from_secs(300);
    let members_until = |status: u16| {
        // A running server notices it within a second.
        while ask("/api/v1/projects/default/members").status() != status {
            assert!(Instant::now() < patience, "it is never answered {status}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    assert_eq!(
        member(&scratch, &["add", "ada", "--role", "admin"]).as_deref(),
        Ok("ada is admin of project default")
    );
    members_until(200);
    assert_ne!(ask("/").status(), 403);
    member(&scratch, &["add", "*", "--role", "viewer"]).expect("a member");
    let list = member(&scratch, &["list", "--project", "default"]).expect("a list");
    let lines: Vec<Vec<&str>> = list.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [["default", "viewer", "*"], ["default", "admin", "ada"]]);
    for name in ["ada", "*"] {
        member(&scratch, &["remove", name]).expect("a member less");
    }
    members_until(404);
    for wrong in [
        &["add", "", "--role", "viewer"][..],
        &["add", "x", "--role", "viewer", "--project", "nowhere"],
        &["add", "x", "--role", "king"],
        &["add", "x"],
        &["remove", "ada"],
        &["list", "--project", "nowhere"],
    ] {
        assert!(member(&scratch, wrong).is_err(), "{wrong:?}");
    }
    let admin = token(&scratch, &["create", "root", "--role", "admin"]);
    let bearer = format!("Bearer {admin}");
    let audit = server.ask("GET", "/api/v1/projects/default/audit", &[("authorization", &bearer)], b"");
    for detail in ["\"admin\"", "\"viewer\"", "\"removed\""] {
        assert!(audit.body.contains(detail), "{detail} in {}", audit.body);
    }
}
