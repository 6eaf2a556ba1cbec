//! Parquet tables: a folder with a file for each table.

use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;

use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::{Table, tables};

use crate::mode::Mode;
use syclscope_text as text;

/// Writes the named tables, or all, to a folder, which is created if needed. Returns a description of the
/// output.
pub(super) fn write(trace: &Trace, names: &[String], folder: &Path, mode: Mode) -> io::Result<String> {
    mode.create_folder(folder)?;
    let (mut files, mut rows, mut bytes) = (0, 0, 0);
    let is_wanted = |table: &Table<'_>| names.is_empty() || names.iter().any(|name| name == table.name());
    for table in tables(trace).into_iter().filter(is_wanted) {
        bytes += write_table(&table, folder, mode)?;
        files += 1;
        rows += table.rows() as u64;
    }
    Ok(format!("{}, {}, {}", text::counted(files, "table"), text::counted(rows, "row"), text::bytes(bytes)))
}

/// Writes a table under a temporary name and renames it, so that the file is never partial. Returns its size
/// in bytes.
fn write_table(table: &Table<'_>, folder: &Path, mode: Mode) -> io::Result<u64> {
    let path = folder.join(format!("{}.parquet", table.name()));
    let part = folder.join(format!("{}.parquet.{}.part", table.name(), std::process::id()));
    let written = mode.create(&part).and_then(|file| {
        let out = table.write(BufWriter::with_capacity(1 << 20, file))?;
        let file = out.into_inner()?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        Ok(file.metadata()?.len())
    });
    written.inspect_err(|_| drop(fs::remove_file(&part)))
}
