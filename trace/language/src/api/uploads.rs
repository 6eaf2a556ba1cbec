//! Uploads in parts, so that a lost connection costs at most one part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TraceEntry;

/// A new upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUpload {
    /// Display name of the file.
    pub name: String,
    /// Total size of all parts, in bytes.
    pub size_bytes: u64,
    /// SHA-256 of the whole file, in lower-case hexadecimal digits. With it the server finds an existing trace or
    /// upload with the same bytes, and rejects other bytes; `None` if it would have to be computed first, as in a
    /// browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The destination project; `None` for the server's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Labels of the trace.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// Answer of a server to a new upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UploadAnswer {
    /// The project already has a trace with these bytes.
    There(TraceEntry),
    /// Parts may be sent, or resumed.
    Open(UploadEntry),
}

/// An upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadEntry {
    /// Its id.
    pub id: String,
    /// Total size of all parts, in bytes.
    pub size_bytes: u64,
    /// Size of each part but the last one, in bytes.
    pub part_bytes: u64,
    /// Numbers of the received parts, from 0, in order.
    pub parts: Vec<u64>,
    /// State of the upload.
    pub state: UploadState,
}

/// State of an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum UploadState {
    /// Parts may be sent.
    Open,
    /// It is complete, and a server is importing it.
    Importing,
    /// It has been imported.
    Done {
        /// The trace.
        trace: TraceEntry,
    },
    /// The import failed.
    Failed {
        /// The reason.
        message: String,
    },
}
