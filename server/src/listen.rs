//! Binds the server's address and serves until a signal stops it.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::Service as _;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::access::Peer;

/// How long running answers may take after the signal.
const GRACE: Duration = Duration::from_secs(3);
/// How long nothing is accepted after that has failed.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// How much a client may keep the server waiting.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For the head of a request, or the next one on a connection that stays open.
    head: Duration,
    /// For the next piece of a body, either way.
    body: Duration,
    /// Connections at once.
    places: usize,
}

impl Default for Patience {
    fn default() -> Self {
        // Of the descriptors, some are for files.
        let places = raise_descriptors().saturating_sub(256).clamp(64, 16 << 10);
        Self { head: Duration::from_secs(30), body: Duration::from_secs(60), places }
    }
}

/// Lets this process open as many files and connections as it may, and says how many.
fn raise_descriptors() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, ..limit };
    if setrlimit(Resource::Nofile, wanted).is_ok() {
        limit = wanted;
    }
    limit.current.map_or(usize::MAX, |current| usize::try_from(current).unwrap_or(usize::MAX))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// This port only; 0 stands for any free one.
    Exactly(u16),
    /// This port, or a free one if another program uses it.
    Preferably(u16),
}

/// Binds a port of an address. A port in use is an error of kind `AddrInUse`.
///
/// # Errors
/// When the port can't be bound.
pub(crate) async fn bind(address: IpAddr, port: Port) -> io::Result<TcpListener> {
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

/// Serves until Ctrl-C or SIGTERM, then ends what would go on for ever, and waits a moment for running answers.
///
/// # Errors
/// When signals can't be awaited.
pub(crate) async fn serve(listener: TcpListener, router: Router, end: impl FnOnce()) -> io::Result<()> {
    let stopped = stop_signal()?;
    let stop = async {
        stopped.await;
        end();
    };
    serve_until(listener, router, Patience::default(), stop).await;
    Ok(())
}

/// Serves until `stop` resolves. No client can keep others out: a place that says nothing for a while is given to the next.
async fn serve_until(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(patience.places));
    let router = router.layer(RequestBodyTimeoutLayer::new(patience.body));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let connections = GracefulShutdown::new();
    let accept = async {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, or a client that has left already.
                    tracing::warn!("can't accept a connection: {error}");
                    tokio::time::sleep(AFTER_FAILURE).await;
                    continue;
                }
            };
            // Most answers are small and come in one piece; a failure only costs time.
            let _ = stream.set_nodelay(true);
            // A client that takes nothing of its answer for so long is gone.
            let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(patience.body));
            let peer = Peer::of(&stream);
            let router = router.clone();
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(peer.clone());
                router.clone().call(request)
            });
            let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!("a connection ended: {error}");
                }
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accept => {}
        () = stop => {}
    }
    drop(listener);
    // What still runs after that is cut off.
    let _ = tokio::time::timeout(GRACE, connections.shutdown()).await;
}

/// Resolves at the first signal to stop.
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

    use super::*;

    /// Patience that tests can wait for.
    const LITTLE: Patience =
        Patience { head: Duration::from_millis(200), body: Duration::from_millis(200), places: 2 };

    async fn started() -> (SocketAddr, oneshot::Sender<()>) {
        let listener = bind(IpAddr::from([127, 0, 0, 1]), Port::Exactly(0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/", post(|body: Bytes| async move { body.len().to_string() }));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(serve_until(listener, router, LITTLE, async {
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
    async fn clients_that_say_nothing_keep_nobody_out() {
        let (address, _stop) = started().await;
        let mut silent = Vec::new();
        for begin in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: a\r\n\r\n", ""] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(begin.as_bytes()).await.unwrap();
            silent.push(stream);
        }
        // All places are taken, and there are twice as many who say nothing: each has to leave for this to be answered.
        assert!(talk(address, WHOLE).await.ends_with("here"));
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_dropped() {
        let (address, _stop) = started().await;
        let stalled = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf";
        let answer = talk(address, stalled).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        let whole = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhalf";
        assert!(talk(address, whole).await.ends_with("\r\n4"));
    }

    #[tokio::test]
    async fn it_ends_when_told_whatever_is_open() {
        let (address, stop) = started().await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        assert!(talk(address, WHOLE).await.ends_with("here"));
        stop.send(()).unwrap();
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }

    #[test]
    fn descriptors_are_as_many_as_there_may_be() {
        let count = raise_descriptors();
        assert_eq!(getrlimit(Resource::Nofile).current, getrlimit(Resource::Nofile).maximum);
        assert!(count >= 64, "{count}");
    }
}
