//! Opens a recording on disk.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use syclscope_engine::budget::Budget;
use syclscope_engine::import::{ImportError, TraceImporter};
use syclscope_engine::store::Trace;

const PIECE_BYTES: usize = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("can't be read: {0}")]
    Read(#[from] io::Error),
    /// No importer accepts the file, or it exceeds the memory budget.
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// Imports a file, piece by piece.
///
/// # Errors
/// Returns an error if the file can't be read, is not a trace, or exceeds the budget.
pub fn open(path: &Path, budget: Budget) -> Result<Trace, OpenError> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut importer = TraceImporter::within(budget);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            drop(piece);
            return Ok(importer.finish()?);
        }
        importer.feed(&piece[..read])?;
    }
}
