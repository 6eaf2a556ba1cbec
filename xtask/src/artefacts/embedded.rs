//! Embedded files of the program, as `program/cli/src/main.rs` reads them: a Rust file that lists the files of the page and
//! of the documents' site, the subscriber, and the recordings of the demo.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{AtPath, Result};
use crate::fingerprint;
use crate::process;
use crate::workspace::Workspace;

pub(crate) const VARIABLE: &str = "SYCLSCOPE_EMBEDDED";
/// Recordings of the demo, which are also embedded without `cargo xtask build`.
const RECORDINGS: &str = "program/cli/src/embedded/recordings.rs";
/// Their folder.
pub(crate) const RECORDED: &str = "e2e/traces";
const DOCUMENTS: &str = "docs";
/// Variable with the path of the subscriber, set if a package's build script has built it.
const RECORDER: &str = "SYCLSCOPE_RECORDER";
const FILE: &str = "syclscope_system::embedded::EmbeddedFile";
const TEXTS: &str = "syclscope_system::embedded::EmbeddedTexts";
const TOGETHER: &str = "documents";
/// Compresses files, each to the name after it, with a window that holds the whole module of the page.
/// Node.js has the compressor, so nothing has to be built for it.
const COMPRESS: &str = "const { readFileSync, writeFileSync } = require('fs'), { brotliCompress, constants } = require('zlib'); \
     const [folder, quality, ...files] = process.argv.slice(1); \
     while (files.length) { \
       const [file, name] = files.splice(0, 2), bytes = readFileSync(file); \
       const params = { [constants.BROTLI_PARAM_QUALITY]: Number(quality), [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }; \
       brotliCompress(bytes, { params }, (error, compressed) => { \
         if (error) throw error; \
         writeFileSync(`${folder}/${name}`, compressed); \
       }); \
     }";

/// Compression level of files.
#[derive(Clone, Copy)]
pub(crate) enum Packing {
    /// Brotli's maximum: half a minute for the page.
    Small,
    /// Takes a second.
    Quick,
}

impl Packing {
    fn quality(self) -> &'static str {
        match self {
            Packing::Small => "11",
            Packing::Quick => "4",
        }
    }
}

/// Writes the file for this page, this site of documents and this subscriber, and returns its path.
pub(super) fn write(
    workspace: &Workspace,
    page: &Path,
    site: &Path,
    subscriber: &Path,
    packing: Packing,
) -> Result<PathBuf> {
    let folder = workspace.target.join("xtask/embedded");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).at("empty", &folder)?;
    }
    let carried = format!("Some({})", file("libsyclscope_subscriber.so", None, Some("subscriber.br")));
    let recordings = workspace.root.join(RECORDINGS);
    let written = write_into((&folder, packing), page, site, &carried, &recordings.display().to_string())?;
    compress((&folder, packing), &[(subscriber, "subscriber.br".to_owned())])?;
    Ok(written)
}

/// Writes the same for the package on crates.io; its build script builds the subscriber ([`RECORDER`] has its path).
pub(crate) fn write_for_package(
    folder: &Path,
    page: &Path,
    site: &Path,
    recordings: &str,
) -> Result<PathBuf> {
    let bytes = format!("include_bytes!(env!({RECORDER:?}))");
    let carried = format!(
        "Some({FILE} {{ path: \"libsyclscope_subscriber.so\", bytes: Some({bytes}), brotli: None }})"
    );
    write_into((folder, Packing::Small), page, site, &carried, recordings)
}

/// Writes the files of page and documents into a folder, and beside them the file that lists them, the subscriber and
/// the file
/// `recordings`.
fn write_into(
    (folder, packing): (&Path, Packing),
    page: &Path,
    site: &Path,
    subscriber: &str,
    recordings: &str,
) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).at("create", folder)?;
    let mut files = fingerprint::files_below(page)?;
    files.sort();
    let of_page = files.len();
    let mut documents = fingerprint::files_below(site)?;
    documents.sort();
    let together = folder.join(TOGETHER);
    let texts = join(&documents, &together)?;
    // The rest are pictures.
    documents.retain(|file| texts.iter().all(|(text, _)| text != file));
    files.extend(documents);
    let packed: Vec<(&Path, String)> =
        files.iter().enumerate().map(|(place, file)| (file.as_path(), format!("{place}.br"))).collect();
    compress((folder, packing), &packed)?;
    compress((folder, packing), &[(&together, format!("{TOGETHER}.br"))])?;
    std::fs::remove_file(&together).at("remove", &together)?;
    let mut code = String::from("Embedded {\n    page: &[\n");
    for (place, (whole, brotli)) in packed.iter().enumerate() {
        let is_document = place >= of_page;
        let name = match is_document {
            true => Path::new(DOCUMENTS).join(whole.strip_prefix(site).unwrap_or(whole)),
            false => whole.strip_prefix(page).unwrap_or(whole).to_owned(),
        };
        let name = name.to_string_lossy();
        let (bytes, packed_bytes) = (len(whole)?, len(&folder.join(brotli))?);
        let is_packed = packed_bytes < bytes;
        let plain = format!("{place}.whole");
        // Few clients need another encoding than the compressed one; it is made at the first such request.
        if !is_packed {
            std::fs::copy(whole, folder.join(&plain)).at("copy", whole)?;
            let brotli = folder.join(brotli);
            std::fs::remove_file(&brotli).at("remove", &brotli)?;
        }
        let line = file(&name, (!is_packed).then_some(plain.as_str()), is_packed.then_some(brotli.as_str()));
        let _ = writeln!(code, "        {line},");
    }
    let _ = writeln!(code, "    ],\n    documents: {TEXTS} {{\n        files: &[");
    for (text, length) in &texts {
        let name = Path::new(DOCUMENTS).join(text.strip_prefix(site).unwrap_or(text));
        let _ = writeln!(code, "            ({:?}, {length}),", name.to_string_lossy());
    }
    let _ = writeln!(code, "        ],\n        brotli: include_bytes!(\"{TOGETHER}.br\"),\n    }},");
    let _ = writeln!(code, "    subscriber: {subscriber},\n    recordings: include!({recordings:?}),\n}}");
    let written = folder.join("embedded.rs");
    std::fs::write(&written, code).at("write", &written)?;
    Ok(written)
}

/// Concatenates the texts among the files into one file; returns them with their lengths.
fn join(files: &[PathBuf], joined: &Path) -> Result<Vec<(PathBuf, usize)>> {
    let (mut texts, mut together) = (Vec::new(), String::new());
    for file in files {
        if let Ok(text) = String::from_utf8(std::fs::read(file).at("read", file)?) {
            together.push_str(&text);
            texts.push((file.clone(), text.len()));
        }
    }
    std::fs::write(joined, together).at("write", joined)?;
    Ok(texts)
}

/// Writes each file, compressed and under a name, into a folder.
fn compress((folder, packing): (&Path, Packing), files: &[(&Path, String)]) -> Result<()> {
    let mut command = Command::new("node");
    command.args(["-e", COMPRESS, "--"]).arg(folder).arg(packing.quality());
    for (file, name) in files {
        command.arg(file).arg(name);
    }
    process::answer(&mut command).map(|_| ())
}

fn len(file: &Path) -> Result<u64> {
    Ok(file.metadata().at("read", file)?.len())
}

/// Rust code of an embedded file; its contents are beside the file with this code.
fn file(name: &str, bytes: Option<&str>, brotli: Option<&str>) -> String {
    let included = |file: Option<&str>| {
        file.map_or_else(|| "None".to_owned(), |file| format!("Some(include_bytes!({file:?}))"))
    };
    format!("{FILE} {{ path: {name:?}, bytes: {}, brotli: {} }}", included(bytes), included(brotli))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_carried_packed_where_that_is_smaller() {
        let root = std::env::temp_dir().join(format!("syclscope-embedded-{}", std::process::id()));
        let (page, site, subscriber) = (root.join("page"), root.join("site"), root.join("subscriber.so"));
        std::fs::create_dir_all(&page).unwrap();
        std::fs::create_dir_all(site.join("a")).unwrap();
        std::fs::write(site.join("a/d.html"), vec![b'd'; 1_000]).unwrap();
        std::fs::write(site.join("b.html"), "e").unwrap();
        std::fs::write(site.join("a/picture.webp"), [0xff; 9]).unwrap();
        std::fs::write(&subscriber, "library").unwrap();
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
        let written =
            std::fs::read_to_string(write(&workspace, &page, &site, &subscriber, Packing::Small).unwrap())
                .unwrap();
        let line = |name: &str, bytes: &str, brotli: &str| {
            format!("EmbeddedFile {{ path: \"{name}\", bytes: {bytes}, brotli: {brotli} }}")
        };
        let included = |name: &str| format!("Some(include_bytes!(\"{name}\"))");
        for line in [
            line("a.js", "None", &included("0.br")),
            line("b.svg", &included("1.whole"), "None"),
            line("c.wasm", "None", &included("2.br")),
            line("docs/a/picture.webp", &included("3.whole"), "None"),
            "(\"docs/a/d.html\", 1000),\n            (\"docs/b.html\", 1),".to_owned(),
            "brotli: include_bytes!(\"documents.br\")".to_owned(),
            line("libsyclscope_subscriber.so", "None", &included("subscriber.br")),
            format!("recordings: include!(\"{}/program/cli/src/embedded/recordings.rs\")", root.display()),
        ] {
            assert!(written.contains(&line), "{line} is not in {written}");
        }
        let mut names: Vec<_> = fingerprint::files_below(&root.join("target/xtask/embedded")).unwrap();
        names.retain(|file| !file.ends_with("embedded.rs"));
        let names: Vec<_> = names.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        assert_eq!(names, ["0.br", "1.whole", "2.br", "3.whole", "documents.br", "subscriber.br"]);
        std::fs::remove_dir_all(root).unwrap();
    }
}
