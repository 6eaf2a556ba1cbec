//! The loaded files, from the loader's list, which can't change during the iteration.

use std::ffi::CStr;

use super::super::callers::any_module;

pub(super) struct Found<'a> {
    /// Index of the unwind tables.
    pub(super) header: &'a [u8],
    pub(super) header_at: u64,
    segments: &'a [libc::Elf64_Phdr],
    base: u64,
}

impl<'a> Found<'a> {
    /// Returns the bytes from an address to the end of its segment.
    pub(super) fn bytes_from(&self, address: u64) -> Option<&'a [u8]> {
        let segment = segment_of(self.segments, self.base, address)?;
        let end = self.base.wrapping_add(segment.p_vaddr).wrapping_add(segment.p_filesz);
        let length = end.checked_sub(address).filter(|_| segment.p_flags & libc::PF_R != 0)?;
        // SAFETY: mapped, readable and constant while the file is loaded, as it is during `find`.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, length as usize) })
    }
}

fn segment_of(segments: &[libc::Elf64_Phdr], base: u64, address: u64) -> Option<&libc::Elf64_Phdr> {
    segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD).find(|segment| {
        let begin = base.wrapping_add(segment.p_vaddr);
        (begin..begin.saturating_add(segment.p_memsz)).contains(&address)
    })
}

fn segments_of(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    if info.dlpi_phdr.is_null() {
        return &[];
    }
    // SAFETY: the loader's table of this number of segments of a loaded file.
    unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
}

/// Calls `with` with the file that contains an address, if there is one. Returns the number of files loaded and
/// unloaded so far.
pub(super) fn find(address: u64, with: impl FnOnce(&Found<'_>)) -> u64 {
    let (mut changes, mut with) = (0, Some(with));
    any_module(|info| {
        changes = info.dlpi_adds.wrapping_add(info.dlpi_subs);
        let (base, segments) = (info.dlpi_addr, segments_of(info));
        segment_of(segments, base, address)?;
        let header = segments.iter().find(|segment| segment.p_type == libc::PT_GNU_EH_FRAME);
        if let (Some(header), Some(with)) = (header, with.take()) {
            let mut found =
                Found { header: &[], header_at: base.wrapping_add(header.p_vaddr), segments, base };
            found.header = found.bytes_from(found.header_at).unwrap_or_default();
            with(&found);
        }
        Some(())
    });
    changes
}

pub(crate) struct LoadedModule {
    /// Path as given by the loader, empty for the program itself.
    pub(crate) path: Vec<u8>,
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// Returns each loaded file that contains one of the addresses.
///
/// The loader's list is unlocked again before the caller writes the files to a buffer, which may have to wait for its
/// reader.
pub(crate) fn modules_of(addresses: &[u64]) -> Vec<LoadedModule> {
    let mut modules = Vec::new();
    any_module(|info| -> Option<()> {
        let (base, segments) = (info.dlpi_addr, segments_of(info));
        let loaded = segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD);
        let (begin, end) = loaded.fold((u64::MAX, 0), |(begin, end), segment| {
            let at = base.wrapping_add(segment.p_vaddr);
            (begin.min(at), end.max(at.saturating_add(segment.p_memsz)))
        });
        if addresses.iter().any(|address| (begin..end).contains(address)) {
            // SAFETY: null or the loader's name of a loaded file, NUL-terminated.
            let path = (!info.dlpi_name.is_null()).then(|| unsafe { CStr::from_ptr(info.dlpi_name) });
            let path = path.map(|path| path.to_bytes().to_vec()).unwrap_or_default();
            modules.push(LoadedModule { path, begin, end });
        }
        None
    });
    modules
}
