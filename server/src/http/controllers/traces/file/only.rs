//! A `ServeDir` backend of tower-http with a single file, whatever path is requested.
//!
//! HTTP can't represent some file times, such as those before 1970. The response then has no `Last-Modified`.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;

use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File, Metadata};

use syclscope_text::http_time;

type Future<'a, T> = Pin<Box<dyn std::future::Future<Output = io::Result<T>> + Send + 'a>>;

#[derive(Clone, Debug)]
pub(super) struct Only(pub(super) PathBuf);

#[derive(Debug)]
pub(super) struct Opened(tokio::fs::File);

pub(super) struct Facts(std::fs::Metadata);

impl Backend for Only {
    type File = Opened;
    type Metadata = Facts;
    type OpenFuture = Future<'static, Opened>;
    type MetadataFuture = Future<'static, Facts>;

    fn open(&self, _: PathBuf) -> Self::OpenFuture {
        let path = self.0.clone();
        Box::pin(async move { tokio::fs::File::open(path).await.map(Opened) })
    }

    fn metadata(&self, _: PathBuf) -> Self::MetadataFuture {
        let path = self.0.clone();
        Box::pin(async move { tokio::fs::metadata(path).await.map(Facts) })
    }
}

impl File for Opened {
    type Metadata = Facts;
    type MetadataFuture<'a> = Future<'a, Facts>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        Box::pin(async { self.0.metadata().await.map(Facts) })
    }
}

impl Metadata for Facts {
    fn is_dir(&self) -> bool {
        self.0.is_dir()
    }

    fn modified(&self) -> io::Result<SystemTime> {
        let time = self.0.modified()?;
        http_time(time).map(|_| time).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl AsyncRead for Opened {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncSeek for Opened {
    fn start_seek(mut self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.0).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.0).poll_complete(context)
    }
}
