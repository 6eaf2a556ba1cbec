//! Embeds the page and the subscriber.
//!
//! `SYCLSCOPE_PAGE` names the folder of the built page and `SYCLSCOPE_SUBSCRIBER` the subscriber library;
//! `cargo xtask build` sets both. Where one is not set the binary is built without it and says so at run time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Larger files are embedded in their compressed form only: few clients want the other, and it would be most of the binary.
const LARGE_BYTES: usize = 256 << 10;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    for name in ["SYCLSCOPE_PAGE", "SYCLSCOPE_SUBSCRIBER"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut code = String::new();

    match path_from("SYCLSCOPE_SUBSCRIBER") {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            let path =
                path.canonicalize().map_err(|e| format!("SYCLSCOPE_SUBSCRIBER={}: {e}", path.display()))?;
            writeln!(code, "static SUBSCRIBER: Option<&[u8]> = Some(include_bytes!({path:?}));")?;
        }
        None => writeln!(code, "static SUBSCRIBER: Option<&[u8]> = None;")?,
    }

    writeln!(code, "static PAGE: &[EmbeddedFile] = &[")?;
    if let Some(root) = path_from("SYCLSCOPE_PAGE") {
        println!("cargo::rerun-if-changed={}", root.display());
        let root = root.canonicalize().map_err(|e| format!("SYCLSCOPE_PAGE={}: {e}", root.display()))?;
        let mut files = Vec::new();
        list_files(&root, &mut files)?;
        files.sort();
        for (number, file) in files.iter().enumerate() {
            let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            let bytes = fs::read(file)?;
            let compressed = compress(&bytes)?;
            let is_packed = compressed.len() < bytes.len();
            let is_large = is_packed && bytes.len() > LARGE_BYTES;
            let plain = if is_large { "None".to_owned() } else { format!("Some(include_bytes!({file:?}))") };
            let brotli = if is_packed {
                let path = out.join(format!("page-{number}.br"));
                fs::write(&path, compressed)?;
                format!("Some(include_bytes!({path:?}))")
            } else {
                "None".to_owned()
            };
            writeln!(code, "    EmbeddedFile {{ path: {name:?}, bytes: {plain}, brotli: {brotli} }},")?;
        }
    }
    writeln!(code, "];")?;
    fs::write(out.join("embedded.rs"), code)?;
    Ok(())
}

/// The path that an environment variable holds; `None` if unset or empty.
fn path_from(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Every file below `folder`.
fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list_files(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// `bytes` in brotli's best quality, with a window that holds all of the page's module.
fn compress(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 1 << 16, 11, 24);
    writer.write_all(bytes)?;
    writer.flush()?;
    Ok(writer.into_inner())
}
