//! The folders from which the dynamic loader loads a program's SYCL runtime.
//!
//! Queries the loader itself (`ld.so --list PROGRAM`, as `ldd` does), since only it knows how run paths,
//! `LD_LIBRARY_PATH` and its cache combine. No code of the program runs.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the folders of the SYCL libraries that `program` is linked with; none for scripts and static programs.
pub(super) fn runtime_folders(program: &Path) -> Vec<PathBuf> {
    folders_in(&listing(program))
}

/// Returns the SYCL library that `program` is linked with, if the loader can't find it.
pub(super) fn missing_runtime(program: &Path) -> Option<String> {
    missing_in(&listing(program))
}

/// Returns the loader's list of libraries, which is empty for scripts and static programs.
fn listing(program: &Path) -> String {
    // The kernel follows links, and run paths are relative to the file itself.
    let Ok(program) = program.canonicalize() else { return String::new() };
    let Some(loader) = loader_of(&program) else { return String::new() };
    let mut command = Command::new(&loader);
    if loader.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"ld-linux")) {
        // Like ldd: with this, the list continues after a missing library.
        command.env("LD_TRACE_LOADED_OBJECTS", "1");
    } else {
        command.arg("--list");
    }
    let output = command.arg(&program).stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Returns the SYCL library of a line like `libsycl.so.9 => not found`.
fn missing_in(listing: &str) -> Option<String> {
    let mut missing = listing.lines().filter_map(|line| line.trim().strip_suffix(" => not found"));
    missing.find(|name| name.starts_with("libsycl.")).map(str::to_owned)
}

/// Returns folders of the SYCL libraries in a listing with lines like `libsycl.so.8 => /opt/lib/libsycl.so.8 (0x…)`.
fn folders_in(listing: &str) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for line in listing.lines() {
        let Some((name, target)) = line.trim().split_once(" => ") else { continue };
        if !["libsycl.", "libsycl-", "libxptifw.", "libur_loader."]
            .iter()
            .any(|start| name.starts_with(start))
        {
            continue;
        }
        let path = target.rsplit_once(" (0x").map_or(target, |(path, _)| path);
        if let Some(folder) = Path::new(path).parent()
            && folder.is_absolute()
            && !folders.iter().any(|known| known == folder)
        {
            folders.push(folder.to_owned());
        }
    }
    folders
}

/// Returns the dynamic loader that a 64-bit little-endian ELF file names in its `PT_INTERP` segment.
fn loader_of(program: &Path) -> Option<PathBuf> {
    const HEADER: usize = 64;
    const SEGMENT: usize = 56;
    const PT_INTERP: u32 = 3;
    let mut file = File::open(program).ok()?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    if header.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let table = u64::from_le_bytes(header.get(32..40)?.try_into().ok()?);
    let size = usize::from(u16::from_le_bytes(header.get(54..56)?.try_into().ok()?));
    let count = u16::from_le_bytes(header.get(56..58)?.try_into().ok()?);
    if size != SEGMENT {
        return None;
    }
    file.seek(SeekFrom::Start(table)).ok()?;
    for _ in 0..count {
        let mut segment = [0; SEGMENT];
        file.read_exact(&mut segment).ok()?;
        if u32::from_le_bytes(segment.get(..4)?.try_into().ok()?) != PT_INTERP {
            continue;
        }
        let offset = u64::from_le_bytes(segment.get(8..16)?.try_into().ok()?);
        let length = u64::from_le_bytes(segment.get(32..40)?.try_into().ok()?);
        file.seek(SeekFrom::Start(offset)).ok()?;
        let mut path = Vec::new();
        file.take(length.min(4096)).read_to_end(&mut path).ok()?;
        path.truncate(path.iter().position(|byte| *byte == 0).unwrap_or(path.len()));
        return Some(PathBuf::from(std::ffi::OsString::from_vec(path)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_read() {
        let listing = "\tlinux-vdso.so.1 (0x00007f00)\n\
            \tlibsycl.so.9 => /opt/my sycl/lib/libsycl.so.9 (0x00007f01)\n\
            \tlibxptifw.so.1 => /opt/my sycl/lib/libxptifw.so.1 (0x00007f02)\n\
            \tlibur_loader.so.0 => not found\n\
            \tlibc.so.6 => /lib/libc.so.6 (0x00007f03)\n";
        assert_eq!(folders_in(listing), [PathBuf::from("/opt/my sycl/lib")]);
        assert_eq!(missing_in(listing), None);
        let lacking = "\tlibfirst.so => not found\n\tlibsycl.so.9 => not found\n";
        assert_eq!(missing_in(lacking).as_deref(), Some("libsycl.so.9"));
    }

    #[test]
    fn the_loader_of_this_very_program_is_found() {
        let program = std::env::current_exe().unwrap();
        let loader = loader_of(&program).expect("test programs are linked dynamically");
        assert!(loader.is_absolute() && loader.exists(), "{}", loader.display());
        assert_eq!(runtime_folders(&program), [] as [PathBuf; 0]);
    }

    #[test]
    fn other_files_have_no_loader() {
        let folder = tempfile::tempdir().unwrap();
        let mut bent = b"\x7fELF\x02\x01".to_vec();
        bent.resize(64, 0xff);
        for (name, bytes) in [("empty", &b""[..]), ("script", b"#!/bin/sh\n"), ("bent", &bent)] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(loader_of(&path), None, "{name}");
        }
        assert_eq!(loader_of(&folder.path().join("missing")), None);
    }
}
