//! What the program carries, as `server/src/main.rs` reads it: a file of Rust that names the page's files, those of the documents'
//! site, the subscriber and the recordings of the demo.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{AtPath, Result};
use crate::fingerprint;
use crate::process;
use crate::workspace::Workspace;

/// The variable that names the file.
pub(super) const VARIABLE: &str = "SYCLSCOPE_EMBEDDED";
/// The recordings of the demo, as what is built without `cargo xtask build` carries them, too.
const RECORDINGS: &str = "server/src/embedded/recordings.rs";
/// Where they lie.
pub(super) const RECORDED: &str = "e2e/traces";
/// Larger files are embedded in their compressed form only: few clients want the other, and it would be most of the binary.
const LARGE_BYTES: u64 = 256 << 10;
/// What the paths of the documents' site begin with.
const DOCUMENTS: &str = "docs";
/// Writes each file again as `N.br`, N its place among the arguments behind the folder: in brotli's best quality, with a window
/// that holds all of the page's module. Node.js carries the compressor, so nothing has to be built for it.
const COMPRESS: &str = "const { readFileSync, writeFileSync } = require('fs'), { brotliCompress, constants } = require('zlib'); \
     const [folder, ...files] = process.argv.slice(1); \
     files.forEach((file, place) => { \
       const bytes = readFileSync(file); \
       const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }; \
       brotliCompress(bytes, { params }, (error, compressed) => { \
         if (error) throw error; \
         writeFileSync(`${folder}/${place}.br`, compressed); \
       }); \
     })";

/// Writes the file for this page, this site of documents and this subscriber, and gives its path.
pub(super) fn write(workspace: &Workspace, page: &Path, site: &Path, subscriber: &Path) -> Result<PathBuf> {
    let folder = workspace.target.join("xtask/embedded");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).at("empty", &folder)?;
    }
    std::fs::create_dir_all(&folder).at("create", &folder)?;
    let mut files = fingerprint::files_below(page)?;
    files.sort();
    let of_page = files.len();
    let mut documents = fingerprint::files_below(site)?;
    documents.sort();
    files.extend(documents);
    process::answer(Command::new("node").args(["-e", COMPRESS, "--"]).arg(&folder).args(&files))?;
    let mut code = String::from("Embedded {\n    page: &[\n");
    for (place, file) in files.iter().enumerate() {
        let is_document = place >= of_page;
        let name = match is_document {
            true => Path::new(DOCUMENTS).join(file.strip_prefix(site).unwrap_or(file)),
            false => file.strip_prefix(page).unwrap_or(file).to_owned(),
        };
        let name = name.to_string_lossy();
        let packed = folder.join(format!("{place}.br"));
        let (bytes, packed_bytes) = (len(file)?, len(&packed)?);
        let is_packed = packed_bytes < bytes;
        // Few people read the documents, and their browsers take the compressed form.
        let plain = included(file, !is_packed || bytes <= LARGE_BYTES && !is_document);
        let brotli = included(&packed, is_packed);
        let _ = writeln!(
            code,
            "        syclscope_server::embedded::EmbeddedFile {{ path: {name:?}, bytes: {plain}, brotli: {brotli} }},"
        );
    }
    let _ = writeln!(code, "    ],\n    subscriber: {},", included(subscriber, true));
    let _ = writeln!(code, "    recordings: include!({:?}),\n}}", workspace.root.join(RECORDINGS));
    let written = folder.join("embedded.rs");
    std::fs::write(&written, code).at("write", &written)?;
    Ok(written)
}

fn len(file: &Path) -> Result<u64> {
    Ok(file.metadata().at("read", file)?.len())
}

fn included(file: &Path, is_wanted: bool) -> String {
    if is_wanted { format!("Some(include_bytes!({file:?}))") } else { "None".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_carried_as_they_are_smaller_and_large_ones_packed_only() {
        let root = std::env::temp_dir().join(format!("syclscope-embedded-{}", std::process::id()));
        let (page, site, subscriber) = (root.join("page"), root.join("site"), root.join("subscriber.so"));
        std::fs::create_dir_all(&page).unwrap();
        std::fs::create_dir_all(site.join("a")).unwrap();
        std::fs::write(site.join("a/d.html"), vec![b'd'; 1_000]).unwrap();
        for (name, bytes) in
            [("a.js", vec![b'a'; 1_000]), ("b.svg", vec![b'b']), ("c.wasm", vec![b'c'; 300_000])]
        {
            std::fs::write(page.join(name), bytes).unwrap();
        }
        let workspace = Workspace {
            target: root.join("target"),
            cache: root.clone(),
            root: root.clone(),
            packages: Vec::new(),
        };
        let written = std::fs::read_to_string(write(&workspace, &page, &site, &subscriber).unwrap()).unwrap();
        let folder = root.display();
        let file = |name: &str, bytes: &str, brotli: &str| {
            format!("EmbeddedFile {{ path: \"{name}\", bytes: {bytes}, brotli: {brotli} }},")
        };
        let plain = |name: &str| format!("Some(include_bytes!(\"{folder}/page/{name}\"))");
        let packed =
            |place: usize| format!("Some(include_bytes!(\"{folder}/target/xtask/embedded/{place}.br\"))");
        for line in [
            file("a.js", &plain("a.js"), &packed(0)),
            file("b.svg", &plain("b.svg"), "None"),
            file("c.wasm", "None", &packed(2)),
            file("docs/a/d.html", "None", &packed(3)),
            format!("subscriber: Some(include_bytes!(\"{}\"))", subscriber.display()),
            format!("recordings: include!(\"{folder}/server/src/embedded/recordings.rs\")"),
        ] {
            assert!(written.contains(&line), "{line} is not in {written}");
        }
        std::fs::remove_dir_all(root).unwrap();
    }
}
