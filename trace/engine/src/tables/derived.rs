//! Derived files: what import has computed, kept beside the original so that nobody has to compute it again.
//!
//! The columns of a trace lie in an Apache Arrow IPC file as they lie in memory. Opened, they stay there: a file of
//! gigabytes answers its first question after a look at its end. Whatever does not fit – another version of the
//! program, another original, damage – is an error, and who gets it imports the original and writes the file anew.
//!
//! Opening checks what would make reading unsafe: every column's bounds and type, and what leads from one table to
//! another. Wrong numbers inside of a column make wrong answers, never a crash; [`verify`] finds them, at the cost of
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

/// Version of the columns' meaning; other columns than expected are found without it.
const VERSION: u32 = 7;

/// Which files this build reads: those of builds with the same text.
pub fn version() -> String {
    format!("{VERSION}-{}", env!("CARGO_PKG_VERSION"))
}

const BLOCKS: &str = "blocks";

/// Bytes that several parts of a trace share: a mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Why a derived file can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivedError {
    /// It is no derived file, or only a part of one.
    #[error("truncated cache file")]
    NotDerived,
    /// Another version of the program wrote it.
    #[error("written by another version of syclscope")]
    OtherVersion,
    /// It was made from another original.
    #[error("made from another trace")]
    OtherSource,
    /// Something in it can't be right.
    #[error("damaged: {0}")]
    Damaged(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct About {
    version: u32,
    program: String,
    source_bytes: u64,
    /// Of each column, in the order of the columns.
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

/// Writes what is known of a trace. `source_bytes` is the size of the original.
///
/// # Errors
/// Those of `out`.
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

/// The trace of a derived file, which stays where it is. `source_bytes` is the size of the original.
///
/// # Errors
/// When it can't be used: then the original has to be imported.
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
    trace.shelf.of().get_or_init(|| Kernels(head.kernels));
    trace.shelf.of().get_or_init(|| HandleFindings(head.findings));
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
            damage.get_or_insert_with(|| format!("no column {name} as it must be"));
        }
    };
    trace.columns_mut("", &mut map);
    blocks.columns_mut(BLOCKS, &mut map);
    trace.shelf.of().get_or_init(|| blocks);
    let damage = damage.or_else(|| found.next().map(|more| format!("an unknown column {}", more.name)));
    match damage.or_else(|| trace.misfit().map(str::to_owned)) {
        Some(damage) => Err(DerivedError::Damaged(damage)),
        None => Ok(trace),
    }
}

/// Reads all of a derived file and compares its checksums.
///
/// # Errors
/// When one is not as it was written.
pub fn verify(file: &[u8]) -> Result<(), DerivedError> {
    let (found, about) = read(file)?;
    for (column, expected) in found.iter().zip(&about.checksums) {
        if checksum(file.get(column.bytes.clone()).unwrap_or_default()) != *expected {
            return Err(DerivedError::Damaged(format!("the checksum of {}", column.name)));
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
        return Err(DerivedError::Damaged("its head".to_owned()));
    }
    Ok((found, about))
}

/// CRC-32, as in gzip.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Lets the bytes live as long as a column lies in them.
struct Owner(SharedBytes);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}
