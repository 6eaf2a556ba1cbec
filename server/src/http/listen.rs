//! Binds the server's address and serves until a signal stops it.

mod pace;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::Service as _;

use self::pace::{Answer, Pace, Paced};
use crate::auth::{Connections, Peer, Proxies, Room};
use syclscope_system::raise_open_files;
use syclscope_text::http_time;

/// Time for running responses after the signal.
const GRACE: Duration = Duration::from_secs(3);
const RETRY_DELAY: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Time limit for a request's header, or for the next request on a persistent connection.
    head: Duration,
    pace: Pace,
    /// Time limit for a client that doesn't read its response.
    answer: Duration,
    /// Maximum number of connections.
    places: usize,
}

/// Returns the number of descriptors for evicted connections, which take a moment to close.
fn leaving(places: usize) -> usize {
    places / 16 + 1
}

impl Default for Patience {
    fn default() -> Self {
        // Reserves some of the descriptors for files.
        let places = raise_open_files().saturating_sub(256).clamp(64, 16 << 10);
        let pace =
            Pace { start: Duration::from_secs(30), max: Duration::from_secs(60), bytes_per_second: 8 << 10 };
        Self { head: Duration::from_secs(30), pace, answer: Duration::from_secs(60), places }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// This port; 0 for any free one.
    Exactly(u16),
    /// This port, or a free one if another program uses it.
    Preferably(u16),
}

/// Binds a port of an address. If the port is in use, the error is of kind `AddrInUse`.
///
/// # Errors
/// Returns an error if the port can't be bound.
pub async fn bind(address: IpAddr, port: Port) -> io::Result<TcpListener> {
    match port {
        Port::Exactly(port) => TcpListener::bind(SocketAddr::new(address, port)).await,
        Port::Preferably(port) => match TcpListener::bind(SocketAddr::new(address, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                TcpListener::bind(SocketAddr::new(address, 0)).await
            }
            bound => bound,
        },
    }
}

/// Checks the clock: every response contains the time, and hyper panics if it can't be formatted.
pub fn check_own_clock() -> Result<(), WrongClock> {
    check_clock(SystemTime::now())
}

fn check_clock(now: SystemTime) -> Result<(), WrongClock> {
    http_time(now).map(drop).ok_or(WrongClock)
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "this computer's clock is before 1970 or after 9999, which HTTP can't represent: set the clock, and start the server again"
)]
pub struct WrongClock;

/// Serves until Ctrl-C or SIGTERM, then ends endless responses, and waits a moment for the others.
///
/// # Errors
/// Returns an error if signals can't be awaited.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    proxies: Proxies,
    end: impl FnOnce(),
) -> io::Result<()> {
    let stopped = stop_signal()?;
    let stop = async {
        stopped.await;
        end();
    };
    serve_until(listener, router, proxies, Patience::default(), stop).await;
    Ok(())
}

/// Serves until `stop` resolves. No client can lock others out: if all connections are in use, an idle or
/// slow one is closed.
async fn serve_until(
    listener: TcpListener,
    router: Router,
    proxies: Proxies,
    patience: Patience,
    stop: impl Future<Output = ()>,
) {
    let sockets = Arc::new(Semaphore::new(patience.places));
    let open = Connections::new(Room::new(patience.places - leaving(patience.places)), proxies);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let connections = GracefulShutdown::new();
    let accept = async {
        loop {
            // The semaphore is never closed.
            let Ok(socket) = Arc::clone(&sockets).acquire_owned().await else { return };
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, or the client has already left.
                    tracing::warn!("can't accept a connection: {error}");
                    tokio::time::sleep(RETRY_DELAY).await;
                    continue;
                }
            };
            let peer = Peer::new(&stream);
            let Some(mut open) = open.enter(peer.address()) else { continue };
            // Most responses are small and written at once. A failure only costs time.
            let _ = stream.set_nodelay(true);
            // A client that hasn't read any of its response for this long is gone.
            let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(patience.answer));
            let router = router.clone();
            let own = open.connection().clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let open_request = own.begin();
                let mut request = request.map(|body| {
                    if hyper::body::Body::is_end_stream(&body) {
                        Body::empty()
                    } else {
                        Body::new(Paced::new(body, patience.pace, own.clone()))
                    }
                });
                request.extensions_mut().insert(peer.clone());
                request.extensions_mut().insert(own.clone());
                let answer = router.clone().call(request);
                async move { answer.await.map(|answer| answer.map(|body| Answer::new(body, open_request))) }
            });
            let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
            tokio::spawn(async move {
                tokio::select! {
                    ended = connection => if let Err(error) = ended {
                        tracing::debug!("a connection ended: {error}");
                    },
                    () = open.closed() => tracing::debug!("a connection made room for another one"),
                }
                drop(socket);
            });
        }
    };
    tokio::select! {
        () = accept => {}
        () = stop => {}
    }
    drop(listener);
    // Connections that are open after the grace period are closed.
    let _ = tokio::time::timeout(GRACE, connections.shutdown()).await;
}

fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;

    use rustix::process::{Resource, getrlimit};

    use super::*;

    const LITTLE: Patience = Patience {
        head: Duration::from_secs(3600),
        pace: Pace {
            start: Duration::from_millis(200),
            max: Duration::from_millis(200),
            bytes_per_second: 1,
        },
        answer: Duration::from_secs(60),
        places: 20,
    };

    async fn started(patience: Patience) -> (SocketAddr, oneshot::Sender<()>) {
        let listener = bind(IpAddr::from([127, 0, 0, 1]), Port::Exactly(0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/", post(|body: Bytes| async move { body.len().to_string() }));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(serve_until(listener, router, Proxies::default(), patience, async {
            let _ = stopped.await;
        }));
        (address, stop)
    }

    async fn talk(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    const WHOLE: &str = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

    #[tokio::test]
    async fn clients_that_say_nothing_or_little_keep_nobody_out() {
        let pace = Pace { start: Duration::from_secs(3600), ..LITTLE.pace };
        let (address, _stop) = started(Patience { pace, ..LITTLE }).await;
        let mut silent = Vec::new();
        let trickle = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10000\r\n\r\n1";
        for round in 0..20_u8 {
            for begin in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: a\r\n\r\n", trickle] {
                // Each has a separate address, so that together they can take all connections despite the limit per
                // address.
                let socket = tokio::net::TcpSocket::new_v4().unwrap();
                let from = SocketAddr::from(([127, 0, 1, silent.len() as u8], 0));
                if socket.bind(from).is_err() {
                    return;
                }
                let mut stream = socket.connect(address).await.unwrap();
                let _ = stream.write_all(begin.as_bytes()).await;
                silent.push(stream);
            }
            assert!(talk(address, WHOLE).await.ends_with("here"), "round {round}");
        }
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_dropped() {
        let (address, _stop) = started(LITTLE).await;
        let stalled = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf";
        let answer = talk(address, stalled).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        let whole = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhalf";
        assert!(talk(address, whole).await.ends_with("\r\n4"));
    }

    #[tokio::test]
    async fn it_ends_when_told_whatever_is_open() {
        let (address, stop) = started(LITTLE).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        assert!(talk(address, WHOLE).await.ends_with("here"));
        stop.send(()).unwrap();
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }

    #[test]
    fn a_clock_that_http_cant_say_is_refused_with_what_to_do() {
        let (epoch, year) = (SystemTime::UNIX_EPOCH, Duration::from_secs(365 * 24 * 3600));
        for now in [epoch, epoch + year, epoch + 500 * year] {
            check_clock(now).unwrap();
        }
        for now in [epoch - Duration::from_nanos(1), epoch - 30 * year, epoch + 9000 * year] {
            assert!(check_clock(now).unwrap_err().to_string().contains("set the clock"), "{now:?}");
        }
    }

    #[test]
    fn descriptors_are_as_many_as_there_may_be() {
        let count = raise_open_files();
        assert_eq!(getrlimit(Resource::Nofile).current, getrlimit(Resource::Nofile).maximum);
        assert!(count >= 64, "{count}");
    }
}
