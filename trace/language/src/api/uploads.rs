//! Uploads in parts, which a broken connection costs one part at most.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TraceEntry;

/// A new upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUpload {
    /// File name to show to people.
    pub name: String,
    /// Size of all parts together, in bytes.
    pub size_bytes: u64,
    /// SHA-256 of all parts together, in lower-case hexadecimal digits. With it the server finds the trace or the upload of
    /// these bytes, and takes no others; none where it would have to be worked out first, as in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The project that it goes to; none for the server's default.
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
    /// The project has a trace of these bytes.
    There(TraceEntry),
    /// Parts may come, or go on coming.
    Open(UploadEntry),
}

/// An upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadEntry {
    /// Its id.
    pub id: String,
    /// Size of all parts together, in bytes.
    pub size_bytes: u64,
    /// Size of each part but the last one, in bytes.
    pub part_bytes: u64,
    /// Parts that are there, from 0, in order.
    pub parts: Vec<u64>,
    /// State of the upload.
    pub state: UploadState,
}

/// State of an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum UploadState {
    /// Parts may come.
    Open,
    /// It is complete, and a server makes a trace of it.
    Importing,
    /// It is a trace.
    Done {
        /// The trace.
        trace: TraceEntry,
    },
    /// No trace can be made of it.
    Failed {
        /// Why.
        message: String,
    },
}
