//! The page: Trunk's `dist` folder, made again only when something that goes into it has changed.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::setup::binaryen::Binaryen;
use crate::setup::cargo_tools::{TRUNK, WASM_BINDGEN};
use crate::setup::wasm_target::Toolchain;
use crate::workspace::Workspace;

/// Everything that goes into the page.
const INPUTS: &[&str] =
    &["Cargo.toml", "Cargo.lock", "Trunk.toml", "frontend", "assets", "trace/Cargo.toml", "trace/src"];
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Builds the page if need be and gives the folder that holds it.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let dist = workspace.target.join("page");
    let stamp = workspace.stamp("page");
    let inputs = inputs(workspace)?;
    if fingerprint::is_stamped(&stamp, &inputs) && dist.join("index.html").is_file() {
        say::step("current", "page", &dist.display().to_string(), begun.elapsed());
        return Ok(dist);
    }
    say::begins("building", "page", "(Trunk, optimised) …");
    let toolchain = Toolchain::find(workspace).ok_or_else(|| missing("a wasm32 standard library"))?;
    let trunk = TRUNK.find(workspace)?.ok_or_else(|| missing("Trunk"))?;
    let wasm_bindgen = WASM_BINDGEN.find(workspace)?.ok_or_else(|| missing("wasm-bindgen"))?;

    // Trunk works offline, so that it takes the tools found here and no others: fetch what cargo needs first.
    let mut fetch = workspace.cargo();
    fetch.args(["fetch", "--locked"]);
    process::logged(&mut fetch, &workspace.log("cargo-fetch"), LIMIT)?;

    let mut command = Command::new(trunk);
    command.args(["build", "--release", "--offline", "--dist"]).arg(&dist).current_dir(&workspace.root);
    command.envs(workspace.cargo().get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Trunk reads NO_COLOR as true or false and refuses any other value.
    command.env_remove("NO_COLOR");
    let folders: Vec<PathBuf> = [wasm_bindgen.parent().map(PathBuf::from), Some(Binaryen::bin(workspace))]
        .into_iter()
        .flatten()
        .collect();
    toolchain.apply(workspace, &mut command, &folders);
    process::logged(&mut command, &workspace.log("page"), LIMIT)?;
    if !dist.join("index.html").is_file() {
        return Err(Failure::new(format!("Trunk left no index.html in {}", dist.display())));
    }
    fingerprint::write_stamp(&stamp, &inputs)?;
    say::step("built", "page", &dist.display().to_string(), begun.elapsed());
    Ok(dist)
}

/// The page's `.wasm` file.
pub(crate) fn wasm_file(workspace: &Workspace) -> Result<PathBuf> {
    let dist = workspace.target.join("page");
    let files = fingerprint::files_below(&dist)?;
    let is_wasm = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "wasm");
    let largest =
        files.into_iter().filter(is_wasm).max_by_key(|file| file.metadata().map_or(0, |data| data.len()));
    largest.ok_or_else(|| {
        Failure::new(format!("no .wasm file in {}", dist.display()))
            .with_remedy("run `cargo xtask build` first")
    })
}

fn inputs(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    for input in INPUTS {
        fingerprint.tree(&workspace.root.join(input))?;
    }
    fingerprint.text(&process::version_of("rustc").unwrap_or_default());
    fingerprint.text(&std::env::var("SYCLSCOPE_WASM_TOOLCHAIN").unwrap_or_default());
    Ok(fingerprint.finish())
}

fn missing(what: &str) -> Failure {
    Failure::new(format!("{what} is missing")).with_remedy("run `cargo xtask setup page`")
}

/// How bytes travel to the browser.
#[derive(Clone, Copy)]
pub(crate) enum Compression {
    Gzip,
    Brotli,
}

/// How many bytes of `file` travel when it is compressed as well as the format can.
///
/// Node.js carries both compressors, so nothing has to be built to know.
pub(crate) fn compressed_bytes(file: &std::path::Path, compression: Compression) -> Result<u64> {
    let call = match compression {
        Compression::Gzip => "gzipSync(bytes, { level: 9 })",
        Compression::Brotli => "brotliCompressSync(bytes)",
    };
    let script = format!(
        "const bytes = require('fs').readFileSync(process.argv[1]); \
         console.log(require('zlib').{call}.length)"
    );
    let printed = process::answer(Command::new("node").args(["-e", &script]).arg(file))?;
    printed.parse().map_err(|_| Failure::new(format!("node gave no number of bytes: {printed}")))
}
