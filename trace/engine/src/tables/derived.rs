//! Derived files: the result of an import, cached next to the original.
//!
//! The columns of a trace are stored in an Apache Arrow IPC file with their memory layout. An opened file is mapped,
//! not copied: a file of gigabytes answers its first query after reading its end. Any mismatch – another version of the
//! program, another original, damage – is an error, after which the caller imports the original and rewrites the file.
//!
//! Opening checks everything that could make reading unsafe: every column's bounds and type, and references between
//! tables. Wrong numbers inside of a column give wrong answers, never a crash; [`verify`] finds them, at the cost of
//! reading the whole file.

use std::io;
use std::sync::Arc;

use arrow_buffer::Buffer;
use serde::{Deserialize, Serialize};
use syclscope_language::api::{DiagnosticInfo, Finding, KernelSummary, ProcessInfo};

use super::arrow::{self, Written};
use crate::query::findings::HandleFindings;
use crate::query::select::blocks::Blocks;
use crate::query::summary::Kernels;
use crate::store::Trace;
use crate::store::column::AnyColumn;
use crate::store::table::Columns as _;

/// Version of the columns' meaning; a change of the set of columns is detected without it.
const VERSION: u32 = 10;

/// Returns the version of the files that this build can read: those written by builds with the same text.
pub fn version() -> String {
    format!("{VERSION}-{}", env!("CARGO_PKG_VERSION"))
}

const BLOCKS: &str = "blocks";

/// Bytes shared by several parts of a trace: a mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Error while opening a derived file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivedError {
    /// The file is not a derived file, or is incomplete.
    #[error("truncated cache file")]
    NotDerived,
    /// Another version of the program wrote the file.
    #[error("written by another version of syclscope")]
    OtherVersion,
    /// The file was derived from another original.
    #[error("made from another trace")]
    OtherSource,
    /// The file's contents are invalid.
    #[error("damaged: {0}")]
    Damaged(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct About {
    version: u32,
    program: String,
    source_bytes: u64,
    /// One per column, in the order of the columns.
    checksums: Vec<u32>,
    head_checksum: u32,
    /// [`Head`] as JSON.
    head: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    kernels: Vec<KernelSummary>,
    processes: Vec<ProcessInfo>,
    diagnostics: Vec<DiagnosticInfo>,
    findings: Vec<Finding>,
    duration_ns: u64,
    calls: u64,
    native_calls: u64,
    regions: u64,
    dropped: u64,
    complete: bool,
}

/// Writes a trace to a derived file. `source_bytes` is the size of the original.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(trace: &Trace, source_bytes: u64, out: &mut impl io::Write) -> io::Result<()> {
    let mut columns = Vec::new();
    trace.columns("", &mut |name, column| columns.push(written(name, column)));
    trace.blocks().columns(BLOCKS, &mut |name, column| columns.push(written(name, column)));
    let head = Head {
        kernels: trace.kernels().to_vec(),
        processes: trace.processes.clone(),
        diagnostics: trace.diagnostics.clone(),
        findings: trace.handle_findings().to_vec(),
        duration_ns: trace.duration_ns,
        calls: trace.calls,
        native_calls: trace.native_calls,
        regions: trace.regions,
        dropped: trace.dropped,
        complete: trace.complete,
    };
    let head = serde_json::to_string(&head)?;
    let about = About {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        source_bytes,
        checksums: columns.iter().map(|column| checksum(column.bytes)).collect(),
        head_checksum: checksum(head.as_bytes()),
        head,
    };
    arrow::write(&columns, &serde_json::to_string(&about)?, out)
}

fn written<'a>(name: &str, column: &'a dyn AnyColumn) -> Written<'a> {
    Written { name: name.to_owned(), data_type: column.data_type(), bytes: column.bytes() }
}

/// Returns the trace of a derived file, without copying it. `source_bytes` is the size of the original.
///
/// # Errors
/// Returns an error if the file can't be used. The original must then be imported.
pub fn open(file: &SharedBytes, source_bytes: u64) -> Result<Trace, DerivedError> {
    let bytes = file.as_ref().as_ref();
    let (found, about) = read(bytes)?;
    if about.source_bytes != source_bytes {
        return Err(DerivedError::OtherSource);
    }
    let head: Head =
        serde_json::from_str(&about.head).map_err(|error| DerivedError::Damaged(error.to_string()))?;
    let mut trace = Trace {
        processes: head.processes,
        diagnostics: head.diagnostics,
        duration_ns: head.duration_ns,
        calls: head.calls,
        native_calls: head.native_calls,
        regions: head.regions,
        dropped: head.dropped,
        complete: head.complete,
        ..Trace::default()
    };
    trace.shelf.slot().get_or_init(|| Kernels(head.kernels));
    trace.shelf.slot().get_or_init(|| HandleFindings(head.findings));
    let shared = Buffer::from(bytes::Bytes::from_owner(Owner(Arc::clone(file))));
    let mut found = found.into_iter();
    let mut damage = None;
    let mut blocks = Blocks::default();
    let mut map = |name: &str, column: &mut dyn AnyColumn| {
        let fits = found.next().is_some_and(|found| {
            found.name == name
                && found.data_type == column.data_type()
                && column.map(shared.slice_with_length(found.bytes.start, found.bytes.len()))
        });
        if !fits {
            damage.get_or_insert_with(|| format!("column {name} is missing or has the wrong type"));
        }
    };
    trace.columns_mut("", &mut map);
    blocks.columns_mut(BLOCKS, &mut map);
    trace.shelf.slot().get_or_init(|| blocks);
    let damage = damage.or_else(|| found.next().map(|more| format!("an unknown column {}", more.name)));
    match damage.or_else(|| trace.misfit().map(str::to_owned)) {
        Some(damage) => Err(DerivedError::Damaged(damage)),
        None => Ok(trace),
    }
}

/// Reads a whole derived file and compares its checksums.
///
/// # Errors
/// Returns an error if a checksum differs.
pub fn verify(file: &[u8]) -> Result<(), DerivedError> {
    let (found, about) = read(file)?;
    for (column, expected) in found.iter().zip(&about.checksums) {
        if checksum(file.get(column.bytes.clone()).unwrap_or_default()) != *expected {
            return Err(DerivedError::Damaged(format!("column {} has the wrong checksum", column.name)));
        }
    }
    Ok(())
}

fn read(file: &[u8]) -> Result<(Vec<arrow::ArrowColumn>, About), DerivedError> {
    if cfg!(target_endian = "big") {
        return Err(DerivedError::OtherVersion);
    }
    let (found, about) = arrow::read(file).ok_or(DerivedError::NotDerived)?;
    let about: About = serde_json::from_str(&about).map_err(|_| DerivedError::OtherVersion)?;
    if about.version != VERSION || about.program != env!("CARGO_PKG_VERSION") {
        return Err(DerivedError::OtherVersion);
    }
    if checksum(about.head.as_bytes()) != about.head_checksum || about.checksums.len() != found.len() {
        return Err(DerivedError::Damaged(
            "the head has the wrong checksum, or a column has none".to_owned(),
        ));
    }
    Ok((found, about))
}

/// Returns the CRC-32, as in gzip.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Keeps the bytes alive as long as a column uses them.
struct Owner(SharedBytes);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}
