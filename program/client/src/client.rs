//! Requests with retries, for unreliable networks and restarts of the server.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderValue, IF_RANGE, RANGE, RETRY_AFTER,
};
use reqwest::{Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use syclscope_language::api::ErrorBody;
use tokio::time::{Instant, sleep, timeout};

use super::{ServerAddress, ShareError};
use syclscope_system::private_files;

/// Downloaded files get the permissions that the user's umask allows.
const MODE: u32 = 0o666;

/// Time limit for establishing a connection.
const CONNECTING: Duration = Duration::from_secs(20);
/// Time limit for a connection on which the server sends nothing, apart from the time for the request's body.
const READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Lowest rate at which servers accept a body. The system notices a dead connection much sooner.
const MIN_BYTES_PER_SECOND: u64 = 8 << 10;
const SILENT: &str = "it does not respond";
/// Further bytes of a download after which a server counts as responding.
const MIN_PROGRESS: u64 = 1 << 20;
/// Pauses between attempts: the first and the longest.
const PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);

const MAX_ID_BYTES: usize = 128;
/// Maximum size of a response that is read into memory.
const MAX_ANSWER_BYTES: usize = 64 << 20;

#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    server: ServerAddress,
    authorization: Option<HeaderValue>,
    /// Maximum time of retries without a response.
    patience: Duration,
    read_timeout: Duration,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    body: Bytes,
    server: ServerAddress,
}

impl Client {
    /// Creates a client that retries for `patience` while the server does not respond. It refuses to send the token
    /// unencrypted over a network, unless `allows_http`.
    ///
    /// # Errors
    /// Returns an error if the token can't be sent, or the HTTP client can't be set up.
    pub fn new(
        server: ServerAddress,
        token: Option<&str>,
        allows_http: bool,
        patience: Duration,
    ) -> Result<Self, ShareError> {
        if token.is_some() && !server.is_private() && !allows_http {
            return Err(ShareError::TokenInTheClear(server));
        }
        let authorization = token.map(|token| {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.trim()));
            value.map(|mut value| {
                value.set_sensitive(true);
                value
            })
        });
        let authorization = authorization.transpose().map_err(|_| ShareError::NotAToken)?;
        // Fails if a crypto provider is already installed; any one will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECTING)
            // The token must not reach other servers through a redirect.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("syclscope/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ShareError::Setup(words(&error)))?;
        Ok(Self { http, server, authorization, patience, read_timeout: READ_TIMEOUT })
    }

    pub fn server(&self) -> &ServerAddress {
        &self.server
    }

    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        kind: &'static str,
        body: Bytes,
    ) -> Result<Answer, ShareError> {
        self.patiently(method, path, kind, body, None).await
    }

    /// Writes the response to a file. If the connection breaks, it requests the rest, or starts over if the server sent
    /// no validator. Error responses are not written.
    pub(super) async fn save(&self, path: &str, file: &Path) -> Result<Answer, ShareError> {
        self.patiently(Method::GET, path, "", Bytes::new(), Some(file)).await
    }

    async fn patiently(
        &self,
        method: Method,
        path: &str,
        kind: &'static str,
        body: Bytes,
        file: Option<&Path>,
    ) -> Result<Answer, ShareError> {
        let mut download = file.map(Download::new);
        // Time since the first failure, without transfer times.
        let mut silence: Option<Duration> = None;
        let mut pause = PAUSE;
        // Size of the download when the server last counted as responding. It never shrinks, so that the retries end
        // if the server always breaks off at the same place.
        let mut most_bytes = 0;
        // `ClientBuilder::read_timeout` would also limit the time of sending.
        let sending = Duration::from_secs(body.len() as u64 / MIN_BYTES_PER_SECOND);
        let limits = Limits { response: self.read_timeout + sending, piece: self.read_timeout };
        loop {
            let mut begun = Instant::now();
            let mut request = self.http.request(method.clone(), self.server.api(path));
            if let Some(authorization) = &self.authorization {
                request = request.header(AUTHORIZATION, authorization.clone());
            }
            if !body.is_empty() {
                request = request.header(CONTENT_TYPE, kind).body(body.clone());
            }
            let before = download.as_ref().map_or(0, |download| download.bytes);
            let etag = download.as_ref().and_then(|download| download.etag.clone());
            if let Some(etag) = etag.filter(|_| before > 0) {
                request = request.header(RANGE, format!("bytes={before}-")).header(IF_RANGE, etag);
            }
            let sent = attempt(request, download.as_mut(), limits).await;
            let (reason, retry_after) = match sent {
                Ok((StatusCode::RANGE_NOT_SATISFIABLE, ..)) if before > 0 => {
                    download = file.map(Download::new);
                    ("its file is shorter than before".to_owned(), None)
                }
                Ok((status, body, _)) if !is_passing(status) => {
                    return Ok(Answer { status, body, server: self.server.clone() });
                }
                Ok((status, body, retry_after)) => (refusal(status, &body), retry_after),
                Err(Broken::Connection(reason)) => (reason, None),
                Err(Broken::Transfer(reason)) => {
                    // A long transfer is no outage.
                    begun = Instant::now();
                    let bytes = download.as_ref().map_or(0, |download| download.bytes);
                    if bytes >= most_bytes + MIN_PROGRESS {
                        (silence, pause, most_bytes) = (None, PAUSE, bytes);
                    }
                    (reason, None)
                }
                Err(Broken::File(error)) => {
                    let path = file.map(Path::to_owned).unwrap_or_default();
                    return Err(ShareError::Unwritable { path, error });
                }
                Err(Broken::TooLarge) => {
                    let why = format!("its response is larger than {} MiB", MAX_ANSWER_BYTES >> 20);
                    return Err(ShareError::NotOurs(self.server.clone(), why));
                }
            };
            // Some proxies send `Retry-After: 0`.
            let wait = retry_after.unwrap_or(pause).clamp(PAUSE, MAX_PAUSE);
            // The time for a body is no outage either.
            let silent = begun.elapsed().min(self.read_timeout);
            let so_far = silence.map_or(Duration::ZERO, |silence| silence + silent);
            if so_far + wait > self.patience {
                let is_upload = path.starts_with("uploads");
                return Err(ShareError::Unreachable { server: self.server.clone(), reason, is_upload });
            }
            sleep(wait).await;
            silence = Some(so_far + wait);
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Returns an id from the server, if it is safe in a URL and on a terminal.
    ///
    /// # Errors
    /// Returns an error if the id is unsafe. Ids of syclscope servers never are.
    pub(super) fn check_id<'a>(&self, id: &'a str) -> Result<&'a str, ShareError> {
        let is_id = (1..=MAX_ID_BYTES).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let not_ours = || ShareError::NotOurs(self.server.clone(), "it sent a malformed id".to_owned());
        is_id.then_some(id).ok_or_else(not_ours)
    }

    pub(super) async fn ask_json<T: serde::Serialize>(
        &self,
        method: Method,
        path: &str,
        value: &T,
    ) -> Result<Answer, ShareError> {
        let body = serde_json::to_vec(value).map_err(|error| ShareError::Setup(error.to_string()))?;
        self.ask(method, path, "application/json", body.into()).await
    }
}

impl Answer {
    pub(super) fn value<T: DeserializeOwned>(self) -> Result<T, ShareError> {
        let answer = self.success()?;
        serde_json::from_slice(&answer.body)
            .map_err(|error| ShareError::NotOurs(answer.server, error.to_string()))
    }

    pub(super) fn success(self) -> Result<Self, ShareError> {
        if self.status.is_success() {
            return Ok(self);
        }
        let Ok(ErrorBody { error }) = serde_json::from_slice(&self.body) else {
            return Err(ShareError::NotOurs(self.server, self.status.to_string()));
        };
        Err(match error.code.as_str() {
            "sign_in" | "wrong_token" | "not_allowed" => ShareError::NotAllowed(self.server, error.message),
            _ => ShareError::Refused { server: self.server, code: error.code, message: error.message },
        })
    }
}

/// Time limits of an attempt.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Until the response begins.
    response: Duration,
    /// Until the next piece of the response.
    piece: Duration,
}

/// A response that is written to a file.
struct Download<'p> {
    path: &'p Path,
    file: Option<File>,
    /// Number of bytes in the file.
    bytes: u64,
    /// The strong validator with which the rest can be requested.
    etag: Option<HeaderValue>,
}

impl<'p> Download<'p> {
    fn new(path: &'p Path) -> Self {
        Self { path, file: None, bytes: 0, etag: None }
    }

    /// Prepares the file for a response: its end for the rest, otherwise a new one.
    fn begin(&mut self, response: &Response) -> Result<(), Broken> {
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        if response.status() == StatusCode::PARTIAL_CONTENT {
            let etag = response.headers().get(ETAG);
            let is_same = etag.is_none() || etag == self.etag.as_ref();
            if self.file.is_some() && is_same && range.is_some_and(|range| is_rest(range, self.bytes)) {
                return Ok(());
            }
            self.etag = None;
            return Err(Broken::Connection("it sent another part than requested".to_owned()));
        }
        self.file = Some(private_files::create_afresh(self.path, MODE).map_err(Broken::File)?);
        self.bytes = 0;
        self.etag = response.headers().get(ETAG).filter(|etag| etag.as_bytes().starts_with(b"\"")).cloned();
        Ok(())
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(piece)?;
        }
        self.bytes += piece.len() as u64;
        Ok(())
    }
}

/// True if a `Content-Range` goes from a byte to the end of the file. Servers may send less than a client asks for.
fn is_rest(range: &str, begin: u64) -> bool {
    let numbers = range.strip_prefix(&format!("bytes {begin}-")).and_then(|rest| rest.split_once('/'));
    let Some((last, size)) = numbers else { return false };
    let last = last.parse::<u64>().ok();
    // `*` is an unknown size.
    size == "*" || last.is_some_and(|last| size.parse::<u64>().ok() == last.checked_add(1))
}

enum Broken {
    /// There was no response, with the reason; a retry may succeed.
    Connection(String),
    /// The connection broke within the response; a retry may succeed.
    Transfer(String),
    File(io::Error),
    TooLarge,
}

/// Sends a request once. Returns the status, the body (empty if it was written to a file), and the server's
/// `Retry-After`.
async fn attempt(
    request: reqwest::RequestBuilder,
    download: Option<&mut Download<'_>>,
    limits: Limits,
) -> Result<(StatusCode, Bytes, Option<Duration>), Broken> {
    let sent = timeout(limits.response, request.send()).await;
    let sent = sent.map_err(|_| Broken::Connection(SILENT.to_owned()))?;
    let mut response = sent.map_err(|error| Broken::Connection(words(&error)))?;
    let (status, pause) = (response.status(), retry_after(&response));
    let Some(download) = download.filter(|_| status.is_success()) else {
        let mut body = Vec::new();
        while let Some(chunk) = next_piece(&mut response, limits).await? {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(Broken::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        return Ok((status, body.into(), pause));
    };
    download.begin(&response)?;
    while let Some(chunk) = next_piece(&mut response, limits).await? {
        download.write(&chunk).map_err(Broken::File)?;
    }
    Ok((status, Bytes::new(), pause))
}

/// Returns the next piece of a response; `None` at its end.
async fn next_piece(response: &mut Response, limits: Limits) -> Result<Option<Bytes>, Broken> {
    let piece = timeout(limits.piece, response.chunk()).await;
    let piece = piece.map_err(|_| Broken::Transfer(SILENT.to_owned()))?;
    piece.map_err(|error| Broken::Transfer(words(&error)))
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// True if a retry may succeed soon: a server or proxy is busy or restarting.
fn is_passing(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::REQUEST_TIMEOUT
            | StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// Describes a temporary failure, with the server's own message if it sent one.
fn refusal(status: StatusCode, body: &[u8]) -> String {
    let message = serde_json::from_slice::<ErrorBody>(body).map(|body| format!(": {}", body.error.message));
    format!("it responded with {status}{}", message.unwrap_or_default())
}

/// Returns the innermost cause of an error, without the URL, which the message already contains.
fn words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;

    use super::*;

    /// Starts a server that answers its only request after some time, or never. Returns a client that waits less for a
    /// response.
    fn slow(time: Option<Duration>) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            if let Some(time) = time {
                std::thread::sleep(time);
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
            }
            // Also reads the request, so that the answer is not lost with the connection.
            let mut bytes = [0; 4096];
            while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
        });
        let client = Client::new(server, None, true, Duration::ZERO).unwrap();
        Client { read_timeout: Duration::from_millis(200), ..client }
    }

    #[tokio::test]
    async fn a_part_has_time_to_arrive_on_a_slow_network() {
        let client = slow(Some(Duration::from_millis(800)));
        // So large that its time is minutes: a busy machine delays the answer, too.
        let part = Bytes::from(vec![0; 2 << 20]);
        let sent = client.ask(Method::PUT, "uploads/a/parts/0", "application/octet-stream", part).await;
        assert_eq!(sent.unwrap().status, StatusCode::NO_CONTENT);
    }

    #[tokio::test]
    async fn a_server_that_has_the_whole_request_and_is_silent_is_unreachable() {
        let silent = slow(None).ask(Method::GET, "me", "", Bytes::new()).await.unwrap_err().to_string();
        assert!(silent.contains("it does not respond"), "{silent}");
    }

    #[tokio::test]
    async fn a_download_goes_on_where_it_broke_off() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let requests = std::thread::spawn(move || {
            let answers = [
                "200 OK\r\ncontent-length: 4\r\netag: \"x\"\r\n\r\nab",
                "206 Partial Content\r\ncontent-length: 2\r\ncontent-range: bytes 2-3/4\r\n\r\ncd",
            ];
            answers.map(|answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).unwrap();
                stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).unwrap();
                String::from_utf8_lossy(&bytes[..count]).to_lowercase()
            })
        });
        let client = Client::new(server, None, true, Duration::from_secs(2)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run");
        client.save("traces/a/file", &file).await.unwrap().success().unwrap();
        assert_eq!(std::fs::read(file).unwrap(), b"abcd");
        let [first, second] = requests.join().unwrap();
        assert!(!first.contains("range:"), "{first}");
        assert!(
            second.contains("\r\nrange: bytes=2-\r\n") && second.contains("\r\nif-range: \"x\"\r\n"),
            "{second}"
        );
    }

    #[tokio::test]
    async fn only_the_rest_of_the_same_file_is_added_to_a_download() {
        let others = [
            "206 Partial Content\r\ncontent-length: 1\r\ncontent-range: bytes 2-2/4\r\n\r\nc",
            "206 Partial Content\r\ncontent-length: 2\r\ncontent-range: bytes 2-3/4\r\netag: \"y\"\r\n\r\nzz",
        ];
        for other in others {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let server = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
            std::thread::spawn(move || {
                let begin = "200 OK\r\ncontent-length: 4\r\netag: \"x\"\r\n\r\nab";
                for answer in [begin, other, "200 OK\r\ncontent-length: 4\r\n\r\nabcd"] {
                    let (mut stream, _) = listener.accept().unwrap();
                    let _ = stream.read(&mut [0; 4096]);
                    stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).unwrap();
                }
            });
            let client = Client::new(server, None, true, Duration::from_secs(60)).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("run");
            client.save("traces/a/file", &file).await.unwrap().success().unwrap();
            assert_eq!(std::fs::read(file).unwrap(), b"abcd", "{other}");
        }
    }

    #[test]
    fn the_rest_of_a_file_goes_to_its_end() {
        for rest in ["bytes 2-3/4", "bytes 2-3/*"] {
            assert!(is_rest(rest, 2), "{rest}");
        }
        for other in
            ["bytes 2-2/4", "bytes 1-3/4", "bytes 20-3/4", "bytes 2-x/4", "bytes 2-3", "bytes */4", ""]
        {
            assert!(!is_rest(other, 2), "{other}");
        }
    }

    #[test]
    fn a_temporary_failure_has_the_reason_of_the_server() {
        let body = br#"{"error":{"code":"read_only","message":"the server's disk is read-only"}}"#;
        let busy = StatusCode::SERVICE_UNAVAILABLE;
        assert_eq!(
            refusal(busy, body),
            "it responded with 503 Service Unavailable: the server's disk is read-only"
        );
        assert_eq!(refusal(busy, b"<h1>restarting</h1>"), "it responded with 503 Service Unavailable");
    }

    #[test]
    fn a_token_is_named_as_the_remedy_where_it_is_one() {
        let refused = |status, code: &str| {
            let body = format!(r#"{{"error":{{"code":"{code}","message":"why"}}}}"#).into();
            let server = "http://127.0.0.1:4717".parse().unwrap();
            Answer { status, body, server }.success().map(drop)
        };
        for (status, code) in [
            (StatusCode::UNAUTHORIZED, "sign_in"),
            (StatusCode::UNAUTHORIZED, "wrong_token"),
            (StatusCode::FORBIDDEN, "not_allowed"),
        ] {
            assert!(matches!(refused(status, code), Err(ShareError::NotAllowed(..))), "{code}");
        }
        // A server of the user's own files accepts no uploads.
        for code in ["look_only", "other_account"] {
            let refused = refused(StatusCode::FORBIDDEN, code);
            assert!(matches!(refused, Err(ShareError::Refused { .. })), "{code}");
        }
    }
}
