//! Version of an interface of the loaded runtime.
//!
//! Parameters change between versions. Runtimes up to 2026.1 have a separate loader library, and its exports
//! distinguish them; from 2026.2 on it is linked into the SYCL library and hidden.

use std::ffi::CString;

use super::table::{Interface, Table};
use crate::shared_page::Field;
use crate::xpti::framework::{loaded, symbol};

/// Returns the generation of the loaded runtime, an index into the table's list.
///
/// It is determined once, and noted for the process that reads the records.
pub(super) fn generation(interface: Interface, table: &Table) -> usize {
    if interface != Interface::UnifiedRuntime {
        return 0;
    }
    match Field::GENERATION.get() {
        0 => {
            let found = find(table);
            Field::GENERATION.set(found as u64 + 1);
            found
        }
        noted => noted as usize - 1,
    }
}

/// True if the loaded runtime's functions have the parameters of a known generation. The Plugin Interface of runtimes
/// before 2024.0 had others.
pub(super) fn is_known(interface: Interface) -> bool {
    const KNOWN: u64 = 1;
    const UNKNOWN: u64 = 2;
    if interface != Interface::Plugin {
        return true;
    }
    if Field::PLUGIN.get() == 0 {
        let is_loaded = |library: &&std::ffi::CStr| !loaded(library).is_null();
        let is_old = [c"libsycl.so.5", c"libsycl.so.6"].iter().any(is_loaded);
        Field::PLUGIN.set(if is_old { UNKNOWN } else { KNOWN });
    }
    Field::PLUGIN.get() == KNOWN
}

/// Returns the newest generation whose characteristic function is exported by the loader.
fn find(table: &Table) -> usize {
    let newest = table.generations.len().saturating_sub(1);
    let names = [c"libur_loader.so.0", c"libur_loader.so"];
    let Some(loader) = names.into_iter().map(loaded).find(|loader| !loader.is_null()) else {
        return newest;
    };
    let is_exported = |mark: &str| CString::new(mark).is_ok_and(|mark| symbol(loader, &mark).is_some());
    table.generations.iter().rposition(|(_, mark)| mark.is_none_or(is_exported)).unwrap_or(newest)
}
