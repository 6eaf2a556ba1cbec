//! Expensive queries, and clients that leave or send too many: other clients get answers meanwhile.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use crate::host::Running;
use crate::support::{Scratch, syclscope};

/// Time that a test waits for an answer: far longer than one takes, and far shorter than the expensive queries
/// together.
const PATIENCE: Duration = Duration::from_secs(100);

fn server(scratch: &Scratch, options: &[&str]) -> (Running, String) {
    let events: Vec<String> = (0..200_000)
        .map(|at| format!(r#"{{"ph":"X","ts":{},"dur":1,"tid":1,"name":"f{}"}}"#, at * 2, at % 7))
        .collect();
    scratch.file("run.json", format!("[{}]", events.join(",")));
    let server = Running::start(syclscope(scratch).args(["open", "run.json", "--no-browser"]).args(options));
    let trace = server.get("/api/v1/traces");
    let id = trace.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
    (server, format!("/api/v1/traces/{id}"))
}

/// Returns an expensive query: its filter tries a hundred conditions for each slice, since none of them is met.
/// `number` distinguishes the queries.
fn dear(trace: &str, number: usize) -> String {
    let condition = format!("duration%3E{}ms", number + 1);
    format!("{trace}/select?where={}", vec![condition; 100].join("%20or%20"))
}

fn asking(server: &Running, from: u8, path: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((Ipv4Addr::new(127, 0, 0, from), 0)).into()).expect("an address");
    let address: SocketAddr = server.address().parse().expect("an address");
    socket.connect(&address.into()).expect("a connection");
    let mut stream = TcpStream::from(socket);
    let host = server.address();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

fn answered(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer in time");
    answer
}

#[test]
fn clients_that_leave_hold_nobody_up_and_neither_do_those_who_ask_much() {
    let scratch = Scratch::new();
    let (server, trace) = server(&scratch, &[]);
    let questions: Vec<TcpStream> =
        (0..250).map(|number| asking(&server, 2, &dear(&trace, number))).collect();
    let cheap = format!("{trace}/report");
    assert!(
        answered(asking(&server, 3, &cheap)).starts_with("HTTP/1.1 200 "),
        "others are answered meanwhile"
    );
    drop(questions);
    // The same client gets a turn as soon as its abandoned query has ended.
    assert!(answered(asking(&server, 2, &cheap)).starts_with("HTTP/1.1 200 "));
}

#[test]
fn what_costs_too_much_is_refused_with_the_reason() {
    let scratch = Scratch::new();
    let (server, trace) = server(&scratch, &["--question-steps", "5000000"]);
    let answer = answered(asking(&server, 1, &dear(&trace, 0)));
    assert!(answer.starts_with("HTTP/1.1 422 ") && answer.contains("too_dear"), "{answer}");
    assert!(answer.contains("fewer conditions"), "{answer}");
    assert!(answered(asking(&server, 1, &format!("{trace}/select?where=f1"))).starts_with("HTTP/1.1 200 "));
}
