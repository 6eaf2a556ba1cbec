//! The page that browser tests drive: the shipped one, whose main module is swapped for one with the tests' hooks.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::page::{self, Tools};
use super::split::{self, BOOT};
use crate::failure::{AtPath, Result};
use crate::fingerprint;
use crate::process;
use crate::say;
use crate::setup::wasm_target::TARGET;
use crate::workspace::Workspace;

/// The program of syclscope-frontend that has the hooks.
const NAME: &str = "syclscope-page-testing";
/// How the files of the shipped page's main module begin, and those of what it loads later.
const SHIPPED: [&str; 3] = ["syclscope-page-", split::PART, split::LOADER];
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Where it lies, whether it has been built or not.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist-testing")
}

/// Builds it and the shipped page, each if need be; gives its folder.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let folder = folder(workspace);
    let index = folder.join("index.html");
    let (stamp, inputs) = (workspace.stamp("page-testing"), page::inputs(workspace)?);
    if page::is_current(workspace)? && fingerprint::is_made_from(&stamp, &inputs, &index) {
        say::step("current", "test page", &folder.display().to_string(), begun.elapsed());
        return Ok(folder);
    }
    say::begins("building", "test page", "(the page with hooks for tests) …");
    let tools = Tools::find(workspace)?;
    // To link a module takes minutes and one core: Trunk links three, of which one waits for another.
    let (shipped, module) = process::side_by_side(|| page::build(workspace), || link(workspace, &tools))?;

    copy_but_main_module(&shipped, &folder)?;
    let (out, module) = (folder.display().to_string(), module.display().to_string());
    let bind = ["--target", "web", "--no-typescript", "--out-name", NAME, "--out-dir", &out, &module];
    split::bind(&tools.programs(workspace, None), &bind.map(str::to_owned))?;
    let text = std::fs::read_to_string(&index).at("read", &index)?;
    std::fs::write(&index, with_hooks(&text)?).at("write", &index)?;
    split::finish(workspace, NAME, &folder)?;
    fingerprint::write_made_from(&stamp, &inputs, &index)?;
    say::step("built", "test page", &folder.display().to_string(), begun.elapsed());
    Ok(folder)
}

/// Builds its main module as cargo leaves it, and gives the file.
fn link(workspace: &Workspace, tools: &Tools) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    // The page's own profile: dependencies and library are there already, or the page's build is at them.
    cargo.args(["build", "--locked", "--profile", "page", "--target", TARGET]);
    cargo.args(["--package", "syclscope-frontend", "--bin", NAME]).env(split::VARIABLE, "1");
    tools.apply(workspace, &mut cargo);
    let target = cargo.get_envs().find(|(name, _)| *name == "CARGO_TARGET_DIR").and_then(|(_, value)| value);
    let target = target.map_or_else(|| workspace.target.clone(), PathBuf::from);
    process::logged(&mut cargo, &workspace.log("page-testing"), LIMIT)?;
    Ok(target.join(TARGET).join("page").join(format!("{NAME}.wasm")))
}

/// Makes `to` a copy of `from` without the main module; an older copy goes.
fn copy_but_main_module(from: &Path, to: &Path) -> Result<()> {
    if to.is_dir() {
        std::fs::remove_dir_all(to).at("empty", to)?;
    }
    std::fs::create_dir_all(to).at("create", to)?;
    for file in fingerprint::files_below(from)? {
        let name = file.file_name().unwrap_or_default();
        if !SHIPPED.iter().any(|shipped| name.to_string_lossy().starts_with(shipped)) {
            std::fs::copy(&file, to.join(name)).at("copy", &file)?;
        }
    }
    Ok(())
}

/// `index`, the shipped page's, with the module that has hooks: what is loaded ahead of it goes, the element that names it
/// changes.
fn with_hooks(index: &str) -> Result<String> {
    split::edited(index, |tag| {
        let is_ahead = tag.starts_with("<link ") && SHIPPED.iter().any(|shipped| tag.contains(shipped));
        if tag.starts_with(BOOT) {
            split::tag_with(BOOT, &format!("data-js=\"./{NAME}.js\" data-wasm=\"./{NAME}_bg.wasm\""))
        } else if is_ahead {
            String::new()
        } else {
            tag.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"<html><head><link rel="icon" href="./icon-1.svg"/>
<meta name="syclscope-boot" data-js="./syclscope-page-ab.js" data-wasm="./syclscope-page-ab_bg.wasm">
<link rel="modulepreload" href="./syclscope-views-ab.js"><link rel="modulepreload" href="./syclscope-page-ab.js" integrity="x"><link rel="preload" href="./syclscope-page-ab_bg.wasm"></head></html>"#;

    #[test]
    fn the_main_module_is_swapped_and_nothing_else_changes() {
        let changed = with_hooks(INDEX).unwrap();
        assert!(!changed.contains("-ab"), "{changed}");
        assert!(changed.contains(
            r#"data-js="./syclscope-page-testing.js" data-wasm="./syclscope-page-testing_bg.wasm""#
        ));
        assert!(
            changed.contains(r#"<link rel="icon" href="./icon-1.svg"/>"#)
                && changed.ends_with("</head></html>")
        );
    }
}
