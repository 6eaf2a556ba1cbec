//! The page: the files that `frontend/index.html` names, built into a folder that a server can serve, and rebuilt only
//! after its sources change.
//!
//! `trunk build` builds a page of the same index, but whole, with no views split off.

mod cache;
mod index;
mod modules;
mod short;

use self::index::Module;
use self::modules::Names;
pub(crate) use self::modules::Tools;
use super::bring;
use crate::fingerprint::Fingerprint;
use crate::prelude::*;
use crate::setup::npm;

pub(crate) const CRATES: &[&str] = &["syclscope-frontend", "syclscope-worker", "syclscope-exporter"];
/// Main module of the users' page.
const MAIN: &str = "syclscope-page";
/// Main module with hooks for browser tests.
const TESTING: &str = "syclscope-page-testing";
const PART: &str = "syclscope-view-";
const LOADER: &str = "syclscope-views-";
const FRONTEND: &str = "frontend";
/// Files of the page outside of the crates.
const FILES: &[&str] = &[
    "frontend/index.html",
    "assets",
    "xtask/bindgen/Cargo.lock",
    "xtask/bindgen/Cargo.toml",
    "xtask/bindgen/src",
    "xtask/src/artefacts/page",
    "xtask/src/artefacts/page.rs",
];

/// Builds the users' page, if needed, and returns its folder.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let dist = folder(workspace);
    build_as(workspace, "page", &dist, || {
        make(workspace, &Tools::find(workspace, true)?, MAIN, &dist).map(|()| String::new())
    })
}

/// Builds the page with hooks for browser tests, if needed, and returns its folder. It differs from the users' page
/// only in the hooks, so tests need not link the users' page.
///
/// The page is taken from the cache if a clone of this machine has built the same sources.
pub(crate) fn build_for_tests(workspace: &Workspace) -> Result<PathBuf> {
    let dist = testing_folder(workspace);
    build_as(workspace, "test page", &dist, || {
        let cache = cache::Entry::new(workspace, TESTING, cache_key(workspace)?);
        if cache.copy_to(&dist)? {
            return Ok(", as another clone built it".to_owned());
        }
        make(workspace, &Tools::find(workspace, true)?.linting(), TESTING, &dist)?;
        cache.fill_from(&dist).map(|()| String::new())
    })
}

fn build_as(
    workspace: &Workspace,
    title: &str,
    dist: &Path,
    make: impl FnOnce() -> Result<String>,
) -> Result<PathBuf> {
    bring(
        workspace,
        (title, &title.replace(' ', "-")),
        &inputs(workspace)?,
        &dist.join("index.html"),
        || {
            say::begins("building", title, "optimised …");
            make()
        },
    )?;
    Ok(dist.to_owned())
}

/// Builds the page of `cargo xtask dev`: unoptimised and whole.
pub(crate) fn build_quickly(workspace: &Workspace, tools: &Tools) -> Result<PathBuf> {
    let dist = workspace.target.join("dist-dev");
    let html = read_index(workspace)?;
    let modules = index::modules(&html)?;
    let bins: Vec<&str> = modules.iter().map(|module| module.bin.as_str()).collect();
    let linked = tools.link(workspace, ("dev", false), &bins, "page-dev")?;
    files::empty(&dist)?;
    let mut names = None;
    for module in &modules {
        let file = linked.join(format!("{}.wasm", module.bin));
        if module.is_main {
            names = Some(tools.bind_main(workspace, &file, &dist, false)?);
        } else {
            tools.bind(&file, &dist, &module.bin, None)?;
        }
    }
    finish(workspace, &html, &dist, names)?;
    Ok(dist)
}

/// Builds the page of `cargo xtask demo`, if needed: slightly optimised, whole, without the modules that open and write
/// local files.
pub(crate) fn build_for_demo(workspace: &Workspace) -> Result<PathBuf> {
    let dist = workspace.target.join("dist-demo");
    bring(workspace, ("page", "page-demo"), &inputs(workspace)?, &dist.join("index.html"), || {
        say::begins("building", "page", "for the demo …");
        let tools = Tools::find(workspace, false)?;
        let html = read_index(workspace)?;
        let linked = tools.link(workspace, ("demo-page", false), &[MAIN], "page-demo")?;
        files::empty(&dist)?;
        let names = tools.bind_main(workspace, &linked.join(format!("{MAIN}.wasm")), &dist, false)?;
        for module in index::modules(&html)?.iter().filter(|module| !module.is_main) {
            files::write(&dist.join(format!("{}.js", module.bin)), include_str!("page/left_out.js"))?;
        }
        finish(workspace, &html, &dist, Some(names)).map(|()| String::new())
    })?;
    Ok(dist)
}

/// Builds a page into `dist`. `main` is its main module.
fn make(workspace: &Workspace, tools: &Tools, main: &str, dist: &Path) -> Result<()> {
    let html = read_index(workspace)?;
    let modules = index::modules(&html)?;
    let (of_main, workers): (Vec<&Module>, Vec<&Module>) = modules.iter().partition(|module| module.is_main);
    let options = of_main.first().ok_or_else(|| Failure::new("frontend/index.html names no main module"))?;
    let worker = workers.first().ok_or_else(|| Failure::new("frontend/index.html names no worker"))?;
    let link = |profile: &str, is_split: bool, bins: &[&str]| {
        tools.link(workspace, (profile, is_split), bins, &format!("{main}-{profile}"))
    };
    let bins: Vec<&str> = workers.iter().map(|module| module.bin.as_str()).collect();
    // Cargo locks the folder of a profile, and a module is linked by one core.
    let (linked, linked_workers) = process::side_by_side(
        || link(&options.profile, true, &[main]),
        || link(&worker.profile, false, &bins),
    )?;

    files::empty(dist)?;
    let (names, ()) = process::side_by_side(
        || {
            let names = tools.bind_main(workspace, &linked.join(format!("{main}.wasm")), dist, true)?;
            tools.optimise(dist, &names.module, &options.optimise)?;
            tools.optimise(dist, PART, &options.optimise)?;
            Ok(names)
        },
        || {
            for module in &workers {
                let file = linked_workers.join(format!("{}.wasm", module.bin));
                tools.bind(&file, dist, &module.bin, None)?;
                tools.optimise(dist, &module.bin, &module.optimise)?;
            }
            Ok(())
        },
    )?;
    finish(workspace, &html, dist, Some(names))
}

fn finish(workspace: &Workspace, html: &str, dist: &Path, names: Option<Names>) -> Result<()> {
    let names = names.ok_or_else(|| Failure::new("frontend/index.html names no main module"))?;
    index::write(html, &workspace.root.join(FRONTEND), dist, &names)
}

fn read_index(workspace: &Workspace) -> Result<String> {
    files::read(&workspace.root.join(FRONTEND).join("index.html"))
}

pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist")
}

pub(crate) fn testing_folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist-testing")
}

/// Files of a built page, by the time at which a browser loads them.
pub(crate) struct Files {
    /// Loaded by a page that shows a server's trace.
    pub(crate) first_load: Vec<PathBuf>,
    /// Loaded in parts when a view is opened.
    pub(crate) views: Vec<PathBuf>,
    /// Loaded to open a local file: the engine.
    pub(crate) engine: Vec<PathBuf>,
    /// Loaded to write such a file in another format.
    pub(crate) exporter: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn read(dist: &Path) -> Result<Self> {
        let mut rest = files::below(dist)?;
        let mut take = |name: &str| {
            let (taken, others) = std::mem::take(&mut rest)
                .into_iter()
                .partition::<Vec<_>, _>(|file| files::name(file).starts_with(name));
            rest = others;
            taken
        };
        let (engine, exporter, views) = (take("syclscope-worker"), take("syclscope-exporter"), take(PART));
        // The script that loads views is imported by the main module.
        let has_loader = rest.iter().any(|file| files::name(file).starts_with(LOADER));
        if engine.is_empty() || exporter.is_empty() || views.is_empty() || !has_loader {
            return Err(Failure::new(format!("the page in {} is incomplete", dist.display()))
                .with_remedy("run `cargo xtask build` first"));
        }
        Ok(Self { first_load: rest, views, engine, exporter })
    }
}

fn inputs(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    with_tools(fingerprint.trees(&sources(workspace))?).text(&modules::flags(workspace)?);
    Ok(fingerprint.finish())
}

/// Adds the tools that build a page from its sources: the compiler, the seed of its random numbers and
/// wasm-opt.
pub(super) fn with_tools(fingerprint: &mut Fingerprint) -> &mut Fingerprint {
    fingerprint.compiler().text(modules::SEED.1).text(npm::BINARYEN)
}

/// Returns the fingerprint of a page's inputs, the same in every clone, because no folder of the machine gets into a
/// page.
fn cache_key(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    Ok(with_tools(fingerprint.trees_below(&workspace.root, &sources(workspace))?).finish())
}

pub(crate) fn sources(workspace: &Workspace) -> Vec<PathBuf> {
    let files = FILES.iter().map(|name| workspace.root.join(name));
    workspace.sources_of(CRATES).into_iter().chain(files).collect()
}

/// Returns the total size of files, raw and compressed one by one with brotli at its maximum.
pub(crate) fn raw_and_brotli_bytes(files: &[PathBuf]) -> Result<(u64, u64)> {
    Ok(sizes(files)?.into_iter().fold((0, 0), |total, size| (total.0 + size.0, total.1 + size.1)))
}

/// Returns the size of each file, raw and compressed with brotli at its maximum, several at a time.
///
/// Node.js has the compressor, so nothing has to be built.
pub(crate) fn sizes(files: &[PathBuf]) -> Result<Vec<(u64, u64)>> {
    let script = "const { readFileSync } = require('fs'), { promisify } = require('util'); \
                  const compress = promisify(require('zlib').brotliCompress); \
                  Promise.all(process.argv.slice(1).map(async (file) => { \
                    const bytes = readFileSync(file); \
                    return `${bytes.length} ${(await compress(bytes)).length}`; \
                  })).then((sizes) => console.log(sizes.join('\\n')))";
    let printed = process::answer(Command::new("node").args(["-e", script, "--"]).args(files))?;
    let size = |line: &str| {
        let (raw, brotli) = line.split_once(' ')?;
        Some((raw.parse().ok()?, brotli.parse().ok()?))
    };
    let sizes: Option<Vec<_>> = printed.lines().map(size).collect();
    let sizes = sizes.filter(|sizes| sizes.len() == files.len());
    sizes.ok_or_else(|| Failure::new(format!("node gave no numbers of bytes: {printed}")))
}
