//! Answers to queries about a trace, computed on blocking threads and cached while they are valid.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::Question;

use crate::app::App;
use crate::auth::Client;
use crate::http::error::AppError;
use crate::http::extract::acts::ReadTrace;
use crate::http::extract::{Asker, CompareQuery, MoreRuns, OnOther, OnTrace, ParsedQuery};
use crate::http::unsent;
use crate::ingest::trace_cache::SharedTrace;
use crate::limits::query_executor::{Answer, Loaded, NamedTrace};
use crate::storage::{Stored, Version};

/// `GET /api/v1/traces/{id}`: information that a page needs before it draws.
pub(crate) async fn info(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    work_out(&app, client, &stored, &request, "application/json", |trace| {
        syclscope_sql::answer(trace, &Question::Info)
    })
    .await
}

/// `GET /api/v1/traces/{id}/{question}`: every other query of a trace (`docs/QUERIES.md`).
pub(crate) async fn question(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    ParsedQuery(question): ParsedQuery,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    work_out(&app, client, &stored, &request, "application/json", move |trace| {
        syclscope_sql::answer(trace, &trace.question(&question)?)
    })
    .await
}

/// `GET /api/v1/traces/{id}/compare/{other}/{question}`: compares two traces (`docs/COMPARE.md`); the first
/// is the baseline. `more_a=ID.ID` and `more_b=ID.ID` name further runs of either side; `part_from`,
/// `part_to`, `iterations` and `region` select a part of every run.
pub(crate) async fn compare(
    OnTrace { stored: before, .. }: OnTrace<ReadTrace>,
    OnOther { stored: now, .. }: OnOther<ReadTrace>,
    MoreRuns { sides: [more_before, more_now], .. }: MoreRuns<ReadTrace>,
    State(app): State<Arc<App>>,
    CompareQuery { question, part }: CompareQuery,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let sides = [Side::new(before, more_before), Side::new(now, more_now)];
    let runs = || sides.iter().flat_map(Side::runs);
    let etags = etags(&runs().map(|run| &run.version).collect::<Vec<_>>());
    if let Some(response) = not_modified(&request, &etags) {
        return Ok(response);
    }
    let loaded = [sides[0].load(&app).await?, sides[1].load(&app).await?];
    let is_checked = runs().all(|run| app.cache.is_checked(&run.id, &run.version));
    let traces: Vec<SharedTrace> = loaded.iter().flat_map(Loaded::traces).cloned().collect();
    let first = loaded[0].main.1.clone();
    let last = app.questions.last_compared();
    let result =
        app.questions.ask(client.clone(), first, move |_| last.answer(loaded, &part, &question)).await;
    if !traces.iter().all(SharedTrace::is_whole) {
        return Err(AppError::CutShort);
    }
    deliver(&app, client, result?, &request, "application/json", is_checked.then_some(etags)).await
}

/// Responds with the result of `work` on a trace. A browser may cache the answer but must revalidate it:
/// another build of this program may answer differently, a user's own file may change, and a trace may be
/// deleted. An answer from a file that is still being checked is not cached.
pub(crate) async fn work_out(
    app: &Arc<App>,
    client: Client,
    stored: &Stored,
    request: &HeaderMap,
    content_type: &'static str,
    work: impl FnOnce(&Trace) -> Result<String, QueryError> + Send + 'static,
) -> Result<Response, AppError> {
    let etags = etags(&[&stored.version]);
    if let Some(response) = not_modified(request, &etags) {
        return Ok(response);
    }
    let trace = app.load(stored).await?;
    // Read before the answer, because the trace could be found damaged meanwhile, and be replaced by a valid one.
    let is_checked = app.cache.is_checked(&stored.id, &stored.version);
    let result = app.questions.ask(client.clone(), trace.clone(), work).await;
    // Missing bytes were read as zeros.
    if !trace.is_whole() {
        return Err(AppError::CutShort);
    }
    deliver(app, client, result?, request, content_type, is_checked.then_some(etags)).await
}

#[derive(Debug)]
struct Side {
    main: Stored,
    more: Vec<Stored>,
}

impl Side {
    /// Creates a side from the displayed run and further runs, which may include it.
    fn new(main: Stored, mut more: Vec<Stored>) -> Self {
        more.retain(|run| run.id != main.id);
        Self { main, more }
    }

    fn runs(&self) -> impl Iterator<Item = &Stored> {
        std::iter::once(&self.main).chain(&self.more)
    }

    async fn load(&self, app: &Arc<App>) -> Result<Loaded, AppError> {
        let main = load(app, &self.main).await?;
        let mut more = Vec::new();
        for run in &self.more {
            more.push(load(app, run).await?);
        }
        Ok(Loaded { main, more })
    }
}

async fn load(app: &Arc<App>, stored: &Stored) -> Result<NamedTrace, AppError> {
    Ok((stored.entry.name.clone(), app.load(stored).await?))
}

/// Returns a "not modified" response, if the client already has the answer.
fn not_modified(request: &HeaderMap, etags: &[String; 2]) -> Option<Response> {
    let etag = etags.iter().find(|etag| matches(request, etag))?;
    let headers = [(header::CACHE_CONTROL, CACHING), (header::ETAG, etag.as_str()), VARY];
    Some((StatusCode::NOT_MODIFIED, headers).into_response())
}

/// Sends an answer, compressed if it is long. Without validators it is not cached.
async fn deliver(
    app: &Arc<App>,
    client: Client,
    Answer { answer: body, share }: Answer<String>,
    request: &HeaderMap,
    content_type: &'static str,
    etags: Option<[String; 2]>,
) -> Result<Response, AppError> {
    let is_long = body.len() >= MIN_PACKED_BYTES && accepts(request, "gzip");
    let gzip = match is_long {
        true => tokio::task::spawn_blocking(move || gzip(&body).ok_or(body)).await,
        false => Ok(Err(body)),
    };
    let (body, is_packed) = match gzip.map_err(|_| AppError::Internal("compression failed"))? {
        Ok(gzip) => (gzip, true),
        Err(body) => (body.into_bytes(), false),
    };
    let mut answer = unsent::answer(app.questions.account(), client, Bytes::from(body), share).await?;
    let headers = answer.headers_mut();
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(VARY.0, HeaderValue::from_static(VARY.1));
    let caching = if etags.is_some() { CACHING } else { "no-store" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    let etag = etags.map(|[plain, packed]| if is_packed { packed } else { plain });
    if let Some(Ok(etag)) = etag.map(|etag| etag.parse()) {
        headers.insert(header::ETAG, etag);
    }
    Ok(answer)
}

/// Compressed and plain answers are cached separately.
const VARY: (HeaderName, &str) = (header::VARY, "accept-encoding");

/// Shared caches must not store content with restricted access.
pub(crate) const CACHING: &str = "private, no-cache";

/// Returns validators of this build's answers about versions of traces, one for plain and one for compressed
/// answers, because their bytes differ.
fn etags(versions: &[&Version]) -> [String; 2] {
    let mut tag = build().to_owned();
    for version in versions {
        if let Version::Of { size_bytes, changed_unix_ns } = version {
            tag += &format!("-{size_bytes:x}-{changed_unix_ns:x}");
        }
    }
    [format!("\"{tag}\""), format!("\"{tag}-gzip\"")]
}

/// Returns the identity of this build: its version, and the size and modification time of its file.
fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let file = std::env::current_exe().and_then(std::fs::metadata);
        let size = file.as_ref().map_or(0, std::fs::Metadata::len);
        let written = file.as_ref().map_or(0, crate::storage::changed_unix_ns);
        format!("{}-{size:x}-{written:x}", env!("CARGO_PKG_VERSION"))
    })
}

/// True if the client already has the content with this validator (`If-None-Match`).
pub(crate) fn matches(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Minimum size of a compressed answer, since a shorter one fits into a packet. JSON of columns shrinks to a
/// tenth.
const MIN_PACKED_BYTES: usize = 1 << 10;

/// True if the client accepts a compression (`Accept-Encoding`; a quality of 0 is a refusal).
pub(super) fn accepts(request: &HeaderMap, coding: &str) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(',')).map(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.trim().parse::<f32>().ok());
        (name, weight.unwrap_or(1.0) > 0.0)
    });
    codings.any(|(name, is_accepted)| name.eq_ignore_ascii_case(coding) && is_accepted)
}

/// Compresses an answer; `None` on failure. At the fastest level, because each answer is compressed once per
/// request.
fn gzip(answer: &str) -> Option<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::with_capacity(answer.len() / 4), Compression::fast());
    out.write_all(answer.as_bytes()).ok()?;
    out.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_take_gzip_get_it() {
        let accepts = |text: &str| {
            let headers = [(header::ACCEPT_ENCODING, text.parse().unwrap())].into_iter().collect();
            accepts(&headers, "gzip")
        };
        for yes in ["gzip", "br, gzip;q=0.5", "deflate,GZIP", "gzip;q=1.0"] {
            assert!(accepts(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzip", "identity"] {
            assert!(!accepts(no), "{no}");
        }
        assert!(!super::accepts(&HeaderMap::new(), "gzip"));
    }
}
