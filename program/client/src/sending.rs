//! Sends one recording.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use syclscope_language::api::{NewUpload, TraceEntry, UploadAnswer, UploadEntry, UploadState};
use tokio::time::sleep;

use super::{Client, ShareError, digest};

/// Pauses while the server imports: the first and the longest.
const PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Maximum number of starts of an upload that the server loses.
const MAX_STARTS: u32 = 3;
/// Sizes of parts accepted from a server: each part is in memory, and each is a request.
const PART_BYTES: RangeInclusive<u64> = 4 << 10..=256 << 20;

#[derive(Clone, Debug)]
pub struct Recording {
    pub path: PathBuf,
    pub name: String,
    /// `None` for the server's default.
    pub project: Option<String>,
    pub labels: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes read for the digest since the last step.
    Read(u64),
    /// Bytes sent since the last step, or found on the server.
    Sent(u64),
    Importing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    pub id: String,
    pub address: String,
    /// True if the server already had this recording.
    pub was_there: bool,
}

/// Sends a recording, without the parts that the server already has.
///
/// # Errors
/// Returns an error if the recording can't be read, or the server can't be reached or refuses.
pub async fn send(
    client: &Client,
    recording: &Recording,
    mut step: impl FnMut(Step) + Send,
) -> Result<Shared, ShareError> {
    let unreadable = |error| ShareError::Unreadable { path: recording.path.clone(), error };
    let digest = digest::of_file(&recording.path, |bytes| step(Step::Read(bytes)));
    let (sha256, size_bytes) = digest.await.map_err(unreadable)?;
    let new = NewUpload {
        name: recording.name.clone(),
        size_bytes,
        sha256: Some(sha256),
        project: recording.project.clone(),
        labels: recording.labels.clone(),
    };
    let file = Arc::new(File::open(&recording.path).map_err(unreadable)?);
    for _ in 0..MAX_STARTS {
        let answer = client.ask_json(Method::POST, "uploads", &new).await?;
        let answer = answer.value::<UploadAnswer>().map_err(|error| error.about(&recording.path))?;
        let upload = match answer {
            UploadAnswer::There(trace) => return shared(client, trace, true),
            UploadAnswer::Open(upload) => upload,
        };
        check(client, &upload, size_bytes)?;
        if !send_parts(client, &file, &recording.path, &upload, &mut step).await? {
            continue;
        }
        step(Step::Importing);
        if let Some(trace) = complete(client, recording, &upload).await? {
            return shared(client, trace, false);
        }
    }
    Err(ShareError::Lost { server: client.server().clone(), attempts: MAX_STARTS })
}

/// Rejects an upload with sizes that no syclscope server uses, before anything is sent.
fn check(client: &Client, upload: &UploadEntry, size_bytes: u64) -> Result<(), ShareError> {
    client.check_id(&upload.id)?;
    if upload.size_bytes != size_bytes || !PART_BYTES.contains(&upload.part_bytes) {
        let why = format!("it asked for {} bytes in parts of {}", upload.size_bytes, upload.part_bytes);
        return Err(ShareError::NotOurs(client.server().clone(), why));
    }
    Ok(())
}

/// Sends the missing parts. Returns false if the server has lost the upload, or it is complete.
async fn send_parts(
    client: &Client,
    file: &Arc<File>,
    path: &Path,
    upload: &UploadEntry,
    step: &mut (impl FnMut(Step) + Send),
) -> Result<bool, ShareError> {
    let part_bytes = upload.part_bytes;
    for number in 0..upload.size_bytes.div_ceil(part_bytes) {
        let begin = number * part_bytes;
        let size_bytes = part_bytes.min(upload.size_bytes - begin);
        if !upload.parts.contains(&number) {
            let part = read_part(file, path, begin, size_bytes)?;
            let place = format!("uploads/{}/parts/{number}", upload.id);
            let answer = client.ask(Method::PUT, &place, "application/octet-stream", part.into()).await?;
            // Conflict: another process sends the same recording, and has completed it meanwhile.
            if [StatusCode::NOT_FOUND, StatusCode::CONFLICT].contains(&answer.status) {
                return Ok(false);
            }
            answer.success()?;
        }
        step(Step::Sent(size_bytes));
    }
    Ok(true)
}

fn read_part(file: &File, path: &Path, begin: u64, size_bytes: u64) -> Result<Vec<u8>, ShareError> {
    let mut part = vec![0; size_bytes as usize];
    file.read_exact_at(&mut part, begin).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ShareError::Changed(path.to_owned()),
        _ => ShareError::Unreadable { path: path.to_owned(), error },
    })?;
    Ok(part)
}

/// Completes an upload, and waits until the server has imported the trace. Returns `None` if the server has
/// lost the upload.
async fn complete(
    client: &Client,
    recording: &Recording,
    upload: &UploadEntry,
) -> Result<Option<TraceEntry>, ShareError> {
    let place = format!("uploads/{}", upload.id);
    let answer = client.ask(Method::POST, &format!("{place}/complete"), "", bytes::Bytes::new()).await?;
    // Conflict: parts that had arrived are missing.
    if [StatusCode::NOT_FOUND, StatusCode::CONFLICT].contains(&answer.status) {
        return Ok(None);
    }
    answer.success()?;
    let mut pause = PAUSE;
    loop {
        let answer = client.ask(Method::GET, &place, "", bytes::Bytes::new()).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        match answer.value::<UploadEntry>()?.state {
            UploadState::Done { trace } => return Ok(Some(trace)),
            UploadState::Failed { message } => {
                // Servers name the trace. The error names the file.
                let name = format!("{}: ", recording.name);
                let message = message.strip_prefix(&name).unwrap_or(&message).to_owned();
                return Err(ShareError::NotATrace { path: recording.path.clone(), message });
            }
            UploadState::Open => return Ok(None),
            UploadState::Importing => sleep(pause).await,
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

fn shared(client: &Client, trace: TraceEntry, was_there: bool) -> Result<Shared, ShareError> {
    let address = client.server().page(client.check_id(&trace.id)?);
    Ok(Shared { address, id: trace.id, was_there })
}
