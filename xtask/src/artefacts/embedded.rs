//! Embedded files of the program, as `program/cli/src/main.rs` reads them: a Rust file that lists the files of the page
//! and of the documents' site, the subscriber, and the recordings of the demo.

use std::fmt::Write as _;

use crate::prelude::*;

pub(crate) const VARIABLE: &str = "SYCLSCOPE_EMBEDDED";
/// Recordings of the demo, which are also embedded without `cargo xtask build`.
const RECORDINGS: &str = "program/cli/src/embedded/recordings.rs";
/// Folder of the demo's recordings.
pub(crate) const RECORDED: &str = "e2e/traces";
const DOCUMENTS: &str = "docs";
/// Variable with the path of the subscriber, set if a package's build script has built it.
const RECORDER: &str = "SYCLSCOPE_RECORDER";
const FILE: &str = "syclscope_system::embedded::EmbeddedFile";
const TEXTS: &str = "syclscope_system::embedded::EmbeddedTexts";
const TOGETHER: &str = "documents";
/// Compresses files, each to the name after it, with a window that covers the whole module of the page.
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

/// Quality of brotli's compression.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Packing(&'static str);

impl Packing {
    /// The maximum: half a minute for the page.
    pub(crate) const SMALL: Self = Self("11");
    /// Takes a second.
    pub(crate) const QUICK: Self = Self("4");
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
    files::empty(&folder)?;
    // Each recording would unpack the subscriber, which takes an unoptimised program 50 ms.
    let is_whole = packing == Packing::QUICK;
    let name = if is_whole { "subscriber.whole" } else { "subscriber.br" };
    let carried = file("libsyclscope_subscriber.so", is_whole.then_some(name), (!is_whole).then_some(name));
    let recordings = workspace.root.join(RECORDINGS).display().to_string();
    let written = write_into((&folder, packing), page, site, &carried, &recordings)?;
    if is_whole {
        files::copy(subscriber, &folder.join(name))?;
    } else {
        compress((&folder, packing), &[(subscriber, name.to_owned())])?;
    }
    Ok(written)
}

/// Writes the same for the package on crates.io; its build script builds the subscriber ([`RECORDER`] has its path).
pub(crate) fn write_for_package(
    folder: &Path,
    page: &Path,
    site: &Path,
    recordings: &str,
) -> Result<PathBuf> {
    let carried = format!(
        "{FILE} {{ path: \"libsyclscope_subscriber.so\", bytes: Some(include_bytes!(env!({RECORDER:?}))), brotli: None }}"
    );
    write_into((folder, Packing::SMALL), page, site, &carried, recordings)
}

/// Writes the files of page and documents into a folder, and next to them the file that lists them, the subscriber
/// and the file `recordings`.
fn write_into(
    (folder, packing): (&Path, Packing),
    page: &Path,
    site: &Path,
    subscriber: &str,
    recordings: &str,
) -> Result<PathBuf> {
    let mut documents = files::below(site)?;
    let together = folder.join(TOGETHER);
    let texts = join(&documents, &together)?;
    // The rest are pictures.
    documents.retain(|file| texts.iter().all(|(text, _)| text != file));
    let named = |file: &Path, folder: &Path, within: &str| {
        Path::new(within).join(file.strip_prefix(folder).unwrap_or(file)).display().to_string()
    };
    let of_page = files::below(page)?.into_iter().map(|file| (named(&file, page, ""), file));
    let pictures = documents.into_iter().map(|file| (named(&file, site, DOCUMENTS), file));
    let whole: Vec<(String, PathBuf)> = of_page.chain(pictures).collect();
    let brotli = |place: usize| format!("{place}.br");
    let packed = whole.iter().enumerate().map(|(place, (_, file))| (file.as_path(), brotli(place)));
    compress((folder, packing), &packed.collect::<Vec<_>>())?;
    compress((folder, packing), &[(&together, format!("{TOGETHER}.br"))])?;
    files::remove(&together)?;
    let mut code = String::from("Embedded {\n    page: &[\n");
    for (place, (name, whole)) in whole.iter().enumerate() {
        let (brotli, plain) = (brotli(place), format!("{place}.whole"));
        let is_packed = files::len(&folder.join(&brotli))? < files::len(whole)?;
        // Few clients need another encoding than the compressed one; that is created at the first such
        // request.
        if !is_packed {
            files::copy(whole, &folder.join(&plain))?;
            files::remove(&folder.join(&brotli))?;
        }
        let line = file(name, (!is_packed).then_some(plain.as_str()), is_packed.then_some(brotli.as_str()));
        let _ = writeln!(code, "        {line},");
    }
    let _ = writeln!(code, "    ],\n    documents: {TEXTS} {{\n        files: &[");
    for (text, length) in &texts {
        let _ = writeln!(code, "            ({:?}, {length}),", named(text, site, DOCUMENTS));
    }
    let _ = writeln!(code, "        ],\n        brotli: include_bytes!(\"{TOGETHER}.br\"),\n    }},");
    let _ =
        writeln!(code, "    subscriber: Some({subscriber}),\n    recordings: include!({recordings:?}),\n}}");
    let written = folder.join("embedded.rs");
    files::write(&written, code)?;
    Ok(written)
}

/// Concatenates the texts among the files into one file; returns them with their lengths.
fn join(all: &[PathBuf], joined: &Path) -> Result<Vec<(PathBuf, usize)>> {
    let (mut texts, mut together) = (Vec::new(), String::new());
    for file in all {
        if let Ok(text) = String::from_utf8(files::bytes(file)?) {
            together.push_str(&text);
            texts.push((file.clone(), text.len()));
        }
    }
    files::write(joined, together)?;
    Ok(texts)
}

fn compress((folder, packing): (&Path, Packing), names: &[(&Path, String)]) -> Result<()> {
    let mut command = Command::new("node");
    command.args(["-e", COMPRESS, "--"]).arg(folder).arg(packing.0);
    for (file, name) in names {
        command.arg(file).arg(name);
    }
    process::quiet(&mut command)
}

/// Returns the Rust code of an embedded file; its contents are in the folder of the file with this code.
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
        let root = files::Scratch::for_test("embedded");
        let (page, site, subscriber) = (root.join("page"), root.join("site"), root.join("subscriber.so"));
        for (file, bytes) in [
            (page.join("a.js"), vec![b'a'; 1_000]),
            (page.join("b.svg"), vec![b'b']),
            (page.join("c.wasm"), vec![b'c'; 300_000]),
            (site.join("a/d.html"), vec![b'd'; 1_000]),
            (site.join("a/picture.webp"), vec![0xff; 9]),
            (site.join("b.html"), vec![b'e']),
            (subscriber.clone(), b"library".to_vec()),
        ] {
            files::write(&file, bytes).unwrap();
        }
        let workspace =
            Workspace { target: root.join("target"), root: root.to_owned(), ..Workspace::of_this_clone() };
        let written = write(&workspace, &page, &site, &subscriber, Packing::SMALL).unwrap();
        let written = files::read(&written).unwrap();
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
        let found = files::below(&root.join("target/xtask/embedded")).unwrap();
        let names: Vec<_> = found.iter().map(|file| files::name(file)).collect();
        assert_eq!(
            names,
            ["0.br", "1.whole", "2.br", "3.whole", "documents.br", "embedded.rs", "subscriber.br"]
        );
        let quick = write(&workspace, &page, &site, &subscriber, Packing::QUICK).unwrap();
        assert_eq!(files::read(&quick.with_file_name("subscriber.whole")).unwrap(), "library");
        let whole = line("libsyclscope_subscriber.so", &included("subscriber.whole"), "None");
        assert!(
            files::read(&quick).unwrap().contains(&whole),
            "a quick program does not unpack its subscriber"
        );
    }
}
