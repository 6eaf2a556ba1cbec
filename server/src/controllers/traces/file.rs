//! `GET /api/v1/traces/{id}/file`: the stored bytes, as they came.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body::{Frame, SizeHint};
use tokio::fs::File;
use tokio::io::{AsyncRead as _, ReadBuf};

use crate::controllers::answer::{etag, matches};
use crate::error::AppError;
use crate::extract::TracePath;
use crate::storage::StorageError;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 256 << 10;

pub(crate) async fn download(TracePath(stored): TracePath, request: HeaderMap) -> Result<Response, AppError> {
    let etag = etag(&stored.version);
    if let Some(etag) = &etag
        && matches(&request, etag)
    {
        return Ok(StatusCode::NOT_MODIFIED.into_response());
    }
    let file = File::open(&stored.path).await.map_err(StorageError::Io)?;
    let size_bytes = file.metadata().await.map_err(StorageError::Io)?.len();
    let body = Body::new(FileBody { file, left_bytes: size_bytes, buffer: vec![0; CHUNK_BYTES] });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size_bytes));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(value) = disposition(&stored.entry.name).parse() {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    if let Some(value) = etag.and_then(|etag| etag.parse().ok()) {
        headers.insert(header::ETAG, value);
    }
    Ok(response)
}

/// `Content-Disposition` for a file name: plain for old clients, and exact in UTF-8.
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' })
        .collect();
    let exact: String = name
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

/// A file's bytes, read as the client takes them. A file that grows meanwhile is sent as long as it was; one
/// that shrinks breaks the answer off.
struct FileBody {
    file: File,
    left_bytes: u64,
    buffer: Vec<u8>,
}

impl http_body::Body for FileBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let Self { file, left_bytes, buffer } = &mut *self;
        if *left_bytes == 0 {
            return Poll::Ready(None);
        }
        let most = usize::try_from(*left_bytes).unwrap_or(usize::MAX).min(buffer.len());
        let mut target = ReadBuf::new(&mut buffer[..most]);
        if let Err(error) = ready!(Pin::new(file).poll_read(context, &mut target)) {
            return Poll::Ready(Some(Err(error)));
        }
        let read = target.filled();
        if read.is_empty() {
            return Poll::Ready(Some(Err(std::io::ErrorKind::UnexpectedEof.into())));
        }
        *left_bytes -= read.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(read)))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers_are_harmless() {
        assert_eq!(
            disposition("run.pftrace"),
            "attachment; filename=\"run.pftrace\"; filename*=UTF-8''run.pftrace"
        );
        assert_eq!(
            disposition("ä\"\r\n.json"),
            "attachment; filename=\"____.json\"; filename*=UTF-8''%C3%A4%22%0D%0A.json"
        );
    }
}
