//! Binds the server's address and serves until a signal stops it.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

/// How long running answers may take after the signal.
const GRACE: Duration = Duration::from_secs(3);

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

/// Serves until Ctrl-C or SIGTERM, then waits a moment for running answers.
///
/// # Errors
/// When signals can't be awaited or the socket fails.
pub(crate) async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    let stop = stop_signal()?;
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let listener = listener.tap_io(|stream| {
        // Most answers are small and come in one piece; a failure only costs time.
        let _ = stream.set_nodelay(true);
    });
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        stop.await;
        // The receiver is gone only when the server has ended.
        let _ = stopping.send(());
    });
    let deadline = async {
        if stopped.await.is_ok() {
            tokio::time::sleep(GRACE).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        ended = server => ended,
        () = deadline => Ok(()),
    }
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
