//! The page: Trunk's `dist` folder, made again only when something that goes into it has changed.

use std::path::{Path, PathBuf};
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

/// The crates that are the page's modules.
pub(crate) const CRATES: &[&str] = &["syclscope-frontend", "syclscope-worker", "syclscope-exporter"];
/// What else Trunk reads.
const FILES: &[&str] = &["Trunk.toml", "frontend/index.html", "assets"];
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Builds the page if need be and gives the folder that holds it.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let dist = folder(workspace);
    let inputs = inputs(workspace)?;
    if is_current(workspace)? {
        say::step("current", "page", &dist.display().to_string(), begun.elapsed());
        return Ok(dist);
    }
    say::begins("building", "page", "(Trunk, optimised) …");
    let tools = Tools::find(workspace)?;
    let mut trunk = tools.trunk(workspace, &dist);
    trunk.arg("--release");
    process::logged(&mut trunk, &workspace.log("page"), LIMIT)?;
    if !dist.join("index.html").is_file() {
        return Err(Failure::new(format!("Trunk left no index.html in {}", dist.display())));
    }
    fingerprint::write_made_from(&workspace.stamp("page"), &inputs, &dist.join("index.html"))?;
    say::step("built", "page", &dist.display().to_string(), begun.elapsed());
    Ok(dist)
}

/// Whether the page is there and nothing that goes into it has changed since.
pub(crate) fn is_current(workspace: &Workspace) -> Result<bool> {
    let index = folder(workspace).join("index.html");
    Ok(fingerprint::is_made_from(&workspace.stamp("page"), &inputs(workspace)?, &index))
}

/// Builds the page unoptimised, without asking whether that is needed, and gives the folder that holds it.
pub(crate) fn build_quickly(workspace: &Workspace, tools: &Tools) -> Result<PathBuf> {
    let dist = workspace.target.join("dist-dev");
    process::logged(&mut tools.trunk(workspace, &dist), &workspace.log("page-dev"), LIMIT)?;
    Ok(dist)
}

/// What builds a page.
pub(crate) struct Tools {
    toolchain: Toolchain,
    trunk: PathBuf,
    pub(super) wasm_bindgen: PathBuf,
}

impl Tools {
    /// Finds them, and what cargo needs of the network: Trunk works offline, so that it takes these and no others.
    pub(crate) fn find(workspace: &Workspace) -> Result<Self> {
        let toolchain = Toolchain::find(workspace).ok_or_else(|| missing("a wasm32 standard library"))?;
        let trunk = TRUNK.find(workspace)?.ok_or_else(|| missing("Trunk"))?;
        let wasm_bindgen = WASM_BINDGEN.find(workspace)?.ok_or_else(|| missing("wasm-bindgen"))?;
        let mut fetch = workspace.cargo();
        fetch.args(["fetch", "--locked"]);
        process::logged(&mut fetch, &workspace.log("cargo-fetch"), LIMIT)?;
        Ok(Tools { toolchain, trunk, wasm_bindgen })
    }

    /// `trunk build` into `dist`.
    pub(super) fn trunk(&self, workspace: &Workspace, dist: &Path) -> Command {
        let mut command = Command::new(&self.trunk);
        command.args(["build", "--offline", "--dist"]).arg(dist).current_dir(&workspace.root);
        command.envs(workspace.cargo().get_envs().filter_map(|(name, value)| Some((name, value?))));
        // Trunk reads NO_COLOR as true or false and refuses any other value.
        command.env_remove("NO_COLOR");
        self.apply(workspace, &mut command);
        command
    }

    /// Lets `command` build for WebAssembly, with these tools first on PATH.
    pub(super) fn apply(&self, workspace: &Workspace, command: &mut Command) {
        let folders: Vec<PathBuf> = self
            .wasm_bindgen
            .parent()
            .map(PathBuf::from)
            .into_iter()
            .chain([Binaryen::bin(workspace)])
            .collect();
        self.toolchain.apply(workspace, command, &folders);
    }
}

/// Where Trunk leaves the page. (Cargo has folders of its own for profiles, which are named `page` and `worker`.)
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist")
}

/// The files of the built page, by when a browser loads them.
pub(crate) struct Files {
    /// What a page that shows a server's trace loads.
    pub(crate) first_load: Vec<PathBuf>,
    /// What it loads more to open a file of its computer: the engine.
    pub(crate) engine: Vec<PathBuf>,
    /// What it loads more to write such a file in another format.
    pub(crate) exporter: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn of(workspace: &Workspace) -> Result<Self> {
        let dist = folder(workspace);
        let files = fingerprint::files_below(&dist)?;
        let is_of = |file: &PathBuf, name: &str| {
            file.file_name().is_some_and(|own| own.to_string_lossy().starts_with(name))
        };
        let (engine, rest): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| is_of(file, "syclscope-worker"));
        let (exporter, first_load): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|file| is_of(file, "syclscope-exporter"));
        if engine.is_empty() || exporter.is_empty() || first_load.is_empty() {
            return Err(Failure::new(format!("the page in {} is not whole", dist.display()))
                .with_remedy("run `cargo xtask build` first"));
        }
        Ok(Self { first_load, engine, exporter })
    }
}

/// A fingerprint of everything that goes into the page.
pub(super) fn inputs(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.trees(&sources(workspace))?.compiler();
    Ok(fingerprint.finish())
}

/// Files and folders that go into the page.
pub(crate) fn sources(workspace: &Workspace) -> Vec<PathBuf> {
    let files = FILES.iter().map(|name| workspace.root.join(name));
    workspace.sources_of(CRATES).into_iter().chain(files).collect()
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
