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
    let dist = folder(workspace);
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

/// Where Trunk leaves the page. (Cargo has folders of its own for profiles, which are named `page` and `worker`.)
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist")
}

/// The files of the built page, by when a browser loads them.
pub(crate) struct Files {
    /// What a page that shows a server's trace loads.
    pub(crate) first_load: Vec<PathBuf>,
    /// What it loads more to open a file of its computer: the engine.
    pub(crate) engine: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn of(workspace: &Workspace) -> Result<Self> {
        let dist = folder(workspace);
        let files = fingerprint::files_below(&dist)?;
        let is_engine = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("syclscope-worker"))
        };
        let (engine, first_load): (Vec<_>, Vec<_>) = files.into_iter().partition(is_engine);
        if engine.is_empty() || first_load.is_empty() {
            return Err(Failure::new(format!("the page in {} is not whole", dist.display()))
                .with_remedy("run `cargo xtask build` first"));
        }
        Ok(Self { first_load, engine })
    }
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

/// How many bytes these files are, and how many travel when each is compressed with brotli as well as that can.
///
/// Node.js carries the compressor, so nothing has to be built to know.
pub(crate) fn raw_and_brotli_bytes(files: &[PathBuf]) -> Result<(u64, u64)> {
    let script = "const { readFileSync } = require('fs'), { brotliCompressSync } = require('zlib'); \
                  let [raw, brotli] = [0, 0]; \
                  for (const file of process.argv.slice(1)) { \
                    const bytes = readFileSync(file); \
                    raw += bytes.length; brotli += brotliCompressSync(bytes).length; \
                  } \
                  console.log(raw, brotli)";
    let printed = process::answer(Command::new("node").args(["-e", script, "--"]).args(files))?;
    let numbers =
        printed.split_once(' ').and_then(|(raw, brotli)| Some((raw.parse().ok()?, brotli.parse().ok()?)));
    numbers.ok_or_else(|| Failure::new(format!("node gave no numbers of bytes: {printed}")))
}
