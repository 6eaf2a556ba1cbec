//! The page's main module in parts: what every page needs, and the code of views that is loaded when somebody needs it.
//!
//! Which functions are whose can be told only from what cargo links, and only what `wasm-bindgen` makes of it runs in a
//! browser. So the `wasm-bindgen` that Trunk finds on its PATH is a script of ours, which splits the module first
//! ([`bind`]). When Trunk is done, the parts are put beside the main module, and `index.html` names them ([`finish`]).

mod index;
mod loader;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(super) use self::index::{BOOT, edited, tag_with};
use self::loader::Loader;
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

/// Set while cargo builds a page that is to be split (`frontend/build.rs`).
pub(super) const VARIABLE: &str = "SYCLSCOPE_SPLIT";
/// How the files of parts begin.
pub(super) const PART: &str = "syclscope-view-";
/// How the script begins that loads them.
pub(super) const LOADER: &str = "syclscope-views-";
/// What the splitter calls that script, and the main module asks for.
const LOADER_AS_SPLIT: &str = "./__wasm_split.js";
/// A module that names this as the place of a function is to be split; one that was linked without [`VARIABLE`] is not.
const MARK: &[u8] = b"__wasm_split_placeholder__";
/// As `frontend/index.html` has it for the main module.
const OPTIMISED: [&str; 2] = ["-O1", "--reorder-functions-by-name"];
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// The programs that it takes.
pub(crate) struct Programs {
    pub(super) wasm_bindgen: PathBuf,
    pub(super) splitter: PathBuf,
    /// Makes the parts small; without it they stay as they are.
    pub(super) wasm_opt: Option<PathBuf>,
    /// Where parts lie until the page is there.
    pub(super) parts: PathBuf,
}

impl Programs {
    /// Writes a script named `wasm-bindgen` that calls `cargo xtask` for [`bind`], and gives its folder.
    pub(super) fn write_script(&self, workspace: &Workspace) -> Result<PathBuf> {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = workspace.target.join("xtask/split/bin");
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let xtask = copy_of_this_program(&folder)?;
        let wasm_opt = self.wasm_opt.clone().unwrap_or_default();
        let programs =
            [&xtask, Path::new("wasm-bindgen"), &self.parts, &self.wasm_bindgen, &self.splitter, &wasm_opt];
        let words: Vec<String> = programs.iter().map(|path| format!("'{}'", path.display())).collect();
        let script = folder.join("wasm-bindgen");
        let text = format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "));
        std::fs::write(&script, text).at("write", &script)?;
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, permissions).at("make executable", &script)?;
        Ok(folder)
    }

    /// Those that the script names, and the arguments behind them.
    pub(crate) fn read(arguments: &[String]) -> Option<(Self, &[String])> {
        let [parts, wasm_bindgen, splitter, wasm_opt, rest @ ..] = arguments else { return None };
        let wasm_opt = Some(PathBuf::from(wasm_opt)).filter(|path| !path.as_os_str().is_empty());
        let (parts, wasm_bindgen, splitter) = (parts.into(), wasm_bindgen.into(), splitter.into());
        Some((Self { wasm_bindgen, splitter, wasm_opt, parts }, rest))
    }
}

/// This program under a name in `folder` that stays: `cargo test` links another one in the place of the one that runs.
fn copy_of_this_program(folder: &Path) -> Result<PathBuf> {
    let (new, copy) = (folder.join("xtask.new"), folder.join("xtask"));
    // Where the program is gone from its path, the running process still has its file.
    std::fs::copy("/proc/self/exe", &new).at("copy this program to", &new)?;
    std::fs::rename(&new, &copy).at("rename", &new)?;
    Ok(copy)
}

/// Where the parts of pages lie until the pages are there.
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/split/parts")
}

/// Does what `wasm-bindgen` does with these arguments; a module that is to be split is split before.
pub(crate) fn bind(programs: &Programs, arguments: &[String]) -> Result<()> {
    let mut arguments = arguments.to_vec();
    let module = arguments.iter_mut().find(|argument| argument.ends_with(".wasm"));
    let parts = match module {
        Some(module) if is_to_be_split(Path::new(module))? => {
            let page = page_of(module);
            // Names of files are part of a release, which has the same bytes in every folder.
            let hash = Fingerprint::new().contents(Path::new(module))?.finish();
            let parts = split(programs, &page, Path::new(module), &hash)?;
            *module = parts.join(format!("{page}.wasm")).display().to_string();
            // Parts import memory and function table of the main module, which would keep them to itself.
            arguments.push("--keep-lld-exports".to_owned());
            Some((page, parts, hash))
        }
        _ => None,
    };
    let status = process::shown(Command::new(&programs.wasm_bindgen).args(&arguments))?;
    if !status.success() {
        return Err(Failure::new(format!("wasm-bindgen ended with {status}")));
    }
    let Some((page, parts, hash)) = parts else { return Ok(()) };
    let out =
        value_of(&arguments, "--out-dir").ok_or_else(|| Failure::new("wasm-bindgen has no --out-dir"))?;
    let script = Path::new(out).join(format!("{page}.js"));
    let text = std::fs::read_to_string(&script).at("read", &script)?;
    let (from, to) = (format!("from \"{LOADER_AS_SPLIT}\""), format!("from \"./{LOADER}{hash}.js\""));
    if !text.contains(&from) {
        return Err(Failure::new(format!("{} does not import {LOADER_AS_SPLIT}", script.display())));
    }
    std::fs::write(&script, text.replace(&from, &to)).at("write", &script)?;
    optimise(programs, &parts, &page)
}

fn is_to_be_split(module: &Path) -> Result<bool> {
    let bytes = std::fs::read(module).at("read", module)?;
    Ok(bytes.windows(MARK.len()).any(|place| place == MARK))
}

/// The name of a module without folder and ending.
fn page_of(module: &str) -> String {
    Path::new(module).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The value of an option, which stands behind it or, with `=`, in it.
fn value_of<'a>(arguments: &'a [String], option: &str) -> Option<&'a str> {
    arguments.iter().enumerate().find_map(|(place, argument)| match argument.strip_prefix(option)? {
        "" => arguments.get(place + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    })
}

/// Splits a module, and gives the folder with its parts; the main one has the page's name.
fn split(programs: &Programs, page: &str, module: &Path, hash: &str) -> Result<PathBuf> {
    let parts = programs.parts.join(page);
    if parts.is_dir() {
        std::fs::remove_dir_all(&parts).at("empty", &parts)?;
    }
    std::fs::create_dir_all(&parts).at("create", &parts)?;
    let mut command = Command::new(&programs.splitter);
    command.arg(module).arg(&parts).args(["--out-name", page]);
    process::logged(&mut command, &programs.parts.join(format!("{page}.log")), LIMIT)?;
    let note = parts.join("hash");
    std::fs::write(&note, hash).at("write", &note)?;
    Ok(parts)
}

/// Makes every part but the main one small: that one is Trunk's business.
fn optimise(programs: &Programs, parts: &Path, page: &str) -> Result<()> {
    let Some(wasm_opt) = &programs.wasm_opt else { return Ok(()) };
    let main = parts.join(format!("{page}.wasm"));
    for file in fingerprint::files_below(parts)? {
        if file.extension().is_some_and(|ending| ending == "wasm") && file != main {
            process::answer(Command::new(wasm_opt).args(OPTIMISED).arg("--output").args([&file, &file]))?;
        }
    }
    Ok(())
}

/// Puts the parts of `page` into `dist`, where its main module is, and names them in `index.html`.
pub(super) fn finish(workspace: &Workspace, page: &str, dist: &Path) -> Result<()> {
    let parts = folder(workspace).join(page);
    let note = parts.join("hash");
    let hash = std::fs::read_to_string(&note).at("read", &note)?;
    let script = parts.join(LOADER_AS_SPLIT);
    let loader = Loader::read(&std::fs::read_to_string(&script).at("read", &script)?)?;
    let index = dist.join("index.html");
    let text = std::fs::read_to_string(&index).at("read", &index)?;
    let main = index::main_script(&text)?;
    let name =
        |part: &str| format!("{PART}{}-{hash}.wasm", part.trim_start_matches("split_").replace('_', "-"));
    for part in loader.parts() {
        let to = dist.join(name(part));
        std::fs::copy(parts.join(format!("{part}.wasm")), &to).at("write", &to)?;
    }
    let written = dist.join(format!("{LOADER}{hash}.js"));
    std::fs::write(&written, loader.text(&main, &name)).at("write", &written)?;
    let text = index::with_parts(&text, &format!("./{LOADER}{hash}.js"), &loader.needs(&name))?;
    std::fs::write(&index, text).at("write", &index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_its_value_in_either_way() {
        let arguments = ["--out-name", "page", "--out-dir=/a/b", "x.wasm"].map(str::to_owned);
        assert_eq!(value_of(&arguments, "--out-dir"), Some("/a/b"));
        assert_eq!(value_of(&arguments, "--out-name"), Some("page"));
        assert_eq!(value_of(&arguments, "--target"), None);
    }

    #[test]
    fn the_copy_of_this_program_is_made_where_no_build_replaces_it() {
        let folder = std::env::temp_dir().join(format!("syclscope-xtask-split-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for _ in 0..2 {
            let copy = copy_of_this_program(&folder).unwrap();
            assert!(copy.starts_with(&folder));
            let listed = Command::new(&copy).arg("--list").output().unwrap();
            assert!(String::from_utf8_lossy(&listed.stdout).contains("no_build_replaces_it"));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn parts_are_made_as_small_as_the_main_module() {
        let index = include_str!("../../../frontend/index.html");
        let main = index.lines().find(|line| line.contains("data-bin=\"syclscope-page\"")).unwrap();
        let [level, order] = OPTIMISED;
        let wanted =
            format!("data-wasm-opt=\"{}\" data-wasm-opt-params=\"{order}\"", level.trim_start_matches("-O"));
        assert!(main.contains(&wanted), "{main}");
    }

    #[test]
    fn the_script_names_the_programs_that_are_read_from_it() {
        let words = ["/parts", "/bin/bindgen", "/bin/split", "", "--version"].map(str::to_owned);
        let (programs, rest) = Programs::read(&words).unwrap();
        assert_eq!((programs.wasm_opt, rest), (None, &words[4..]));
        assert_eq!(programs.splitter, Path::new("/bin/split"));
        assert!(Programs::read(&words[..2]).is_none());
    }
}
