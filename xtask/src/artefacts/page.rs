//! The page: Trunk's `dist` folder, made again only when something that goes into it has changed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::paths::Paths;
use super::split::{self, LOADER, PART, Programs};
use crate::failure::{Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::setup::binaryen::Binaryen;
use crate::setup::cargo_tools::{TRUNK, WASM_BINDGEN, WASM_SPLIT};
use crate::setup::wasm_target::Toolchain;
use crate::workspace::Workspace;

/// The crates that are the page's modules.
pub(crate) const CRATES: &[&str] = &["syclscope-frontend", "syclscope-worker", "syclscope-exporter"];
/// The main module without its ending.
pub(super) const MAIN: &str = "syclscope-page";
/// What else Trunk reads.
const FILES: &[&str] = &["Trunk.toml", "frontend/index.html", "assets"];
/// What cargo adds to the flags of `.cargo/config.toml`.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
/// A crate that Parquet's writer hashes with draws numbers when it is compiled for WebAssembly: the same ones each time, so that the page
/// is the same.
const SEED: (&str, &str) = ("CONST_RANDOM_SEED", "syclscope");
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
    tools.split(workspace, &mut trunk)?;
    process::logged(&mut trunk, &workspace.log("page"), LIMIT)?;
    if !dist.join("index.html").is_file() {
        return Err(Failure::new(format!("Trunk left no index.html in {}", dist.display())));
    }
    split::finish(workspace, MAIN, &dist)?;
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
    wasm_bindgen: PathBuf,
    splitter: PathBuf,
    flags: String,
}

impl Tools {
    /// Finds them, and what cargo needs of the network: Trunk works offline, so that it takes these and no others.
    pub(crate) fn find(workspace: &Workspace) -> Result<Self> {
        let toolchain = Toolchain::find(workspace).ok_or_else(|| missing("a wasm32 standard library"))?;
        let trunk = TRUNK.find(workspace)?.ok_or_else(|| missing("Trunk"))?;
        let wasm_bindgen = WASM_BINDGEN.find(workspace)?.ok_or_else(|| missing("wasm-bindgen"))?;
        let splitter = WASM_SPLIT.find(workspace)?.ok_or_else(|| missing("wasm-split-cli"))?;
        let mut fetch = workspace.cargo();
        fetch.args(["fetch", "--locked"]);
        process::logged(&mut fetch, &workspace.log("cargo-fetch"), LIMIT)?;
        Ok(Tools { toolchain, trunk, wasm_bindgen, splitter, flags: flags(workspace)? })
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
        self.apply_with(workspace, command, Vec::new());
    }

    /// The same with `folders` before all others.
    fn apply_with(&self, workspace: &Workspace, command: &mut Command, mut folders: Vec<PathBuf>) {
        folders.extend(self.wasm_bindgen.parent().map(PathBuf::from));
        folders.push(Binaryen::bin(workspace));
        self.toolchain.apply(workspace, command, &folders);
        command.env(FLAGS, &self.flags).env(SEED.0, SEED.1);
    }

    /// Lets `trunk`, which builds a page, split its main module.
    fn split(&self, workspace: &Workspace, trunk: &mut Command) -> Result<()> {
        let wasm_opt = Some(Binaryen::bin(workspace).join("wasm-opt"));
        let script = self.programs(workspace, wasm_opt).write_script(workspace)?;
        self.apply_with(workspace, trunk, vec![script]);
        trunk.env(split::VARIABLE, "1");
        Ok(())
    }

    /// What splits a module; without `wasm_opt` its parts stay as they are.
    pub(super) fn programs(&self, workspace: &Workspace, wasm_opt: Option<PathBuf>) -> Programs {
        let (wasm_bindgen, splitter) = (self.wasm_bindgen.clone(), self.splitter.clone());
        Programs { wasm_bindgen, splitter, wasm_opt, parts: split::folder(workspace) }
    }
}

/// Where Trunk leaves the page. (Cargo has folders of its own for profiles, which are named `page` and `worker`.)
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist")
}

/// The files of the built page, by when a browser loads them.
pub(crate) struct Files {
    /// What a page that shows a server's trace loads.
    pub(crate) first_load: Vec<PathBuf>,
    /// What it loads more when somebody needs a view, in parts.
    pub(crate) views: Vec<PathBuf>,
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
        let (exporter, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|file| is_of(file, "syclscope-exporter"));
        let (views, first_load): (Vec<_>, Vec<_>) = rest.into_iter().partition(|file| is_of(file, PART));
        // The script that loads views is imported by the main module.
        let has_loader = first_load.iter().any(|file| is_of(file, LOADER));
        if engine.is_empty() || exporter.is_empty() || views.is_empty() || !has_loader {
            return Err(Failure::new(format!("the page in {} is not whole", dist.display()))
                .with_remedy("run `cargo xtask build` first"));
        }
        Ok(Self { first_load, views, engine, exporter })
    }
}

/// A fingerprint of everything that goes into the page.
pub(super) fn inputs(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.trees(&sources(workspace))?.compiler().text(&flags(workspace)?).text(SEED.1);
    Ok(fingerprint.finish())
}

/// The page tells a reader no folder of the machine that built it.
fn flags(workspace: &Workspace) -> Result<String> {
    Ok(Paths::of(workspace)?.rust_flags().join(" "))
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
