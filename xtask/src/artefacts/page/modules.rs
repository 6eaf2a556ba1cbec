//! WebAssembly modules: linked by cargo, bound (and split) by `xtask/bindgen`, shrunk by wasm-opt.

use super::short::short_js;
use super::{LOADER, PART};
use crate::artefacts::paths::Paths;
use crate::fingerprint::Fingerprint;
use crate::prelude::*;
use crate::setup::cargo_tools::Bindgen;
use crate::setup::npm;
use crate::setup::rustup::{self, WASM};

/// Set while cargo builds a page for splitting (`frontend/build.rs`).
const SPLIT: &str = "SYCLSCOPE_SPLIT";
/// Variable for flags that cargo adds to those of `.cargo/config.toml`.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
/// A hashing crate of Parquet's writer draws random numbers when it is compiled for WebAssembly. A fixed seed makes the
/// page reproducible.
pub(super) const SEED: (&str, &str) = ("CONST_RANDOM_SEED", "syclscope");

pub(super) struct Names {
    pub(super) module: String,
    pub(super) loader: Option<String>,
    pub(super) views: Vec<(String, Vec<String>)>,
}

impl Names {
    pub(super) fn tags(&self) -> String {
        let module = &self.module;
        let mut boot = format!(
            "<meta name=\"syclscope-boot\" data-js=\"./{module}.js\" data-wasm=\"./{module}_bg.wasm\""
        );
        if let Some(loader) = &self.loader {
            let views = self.views.iter().map(|(view, files)| format!("{view}:{}", files.join(" ")));
            let views = views.collect::<Vec<_>>().join(";");
            boot.push_str(&format!(
                " data-views=\"{views}\"><link rel=\"modulepreload\" href=\"./{loader}.js\""
            ));
        }
        format!(
            "{boot}>\n    <link rel=\"modulepreload\" href=\"./{module}.js\">\n    <link rel=\"preload\" \
             href=\"./{module}_bg.wasm\" as=\"fetch\" type=\"application/wasm\" crossorigin=\"anonymous\">"
        )
    }
}

pub(crate) struct Tools {
    bindgen: PathBuf,
    wasm_opt: PathBuf,
    flags: String,
    /// Clippy compiles our crates, and a warning is a failure.
    lints: bool,
}

impl Tools {
    pub(crate) fn find(workspace: &Workspace, can_split: bool) -> Result<Self> {
        let missing = |what: &str| {
            Failure::new(format!("{what} is missing")).with_remedy("run `cargo xtask setup page`")
        };
        if !rustup::has_std(workspace, WASM) {
            return Err(missing("a wasm32 standard library"));
        }
        Ok(Tools {
            bindgen: Bindgen { can_split }.find(workspace)?.ok_or_else(|| missing("wasm-bindgen"))?,
            wasm_opt: npm::wasm_opt_folder(workspace).join("wasm-opt"),
            flags: flags(workspace)?,
            lints: false,
        })
    }

    /// Returns tools that lint the crates of ours that they compile, so that one compilation serves page and lints.
    pub(super) fn linting(self) -> Self {
        Tools { lints: true, ..self }
    }

    /// Links programs of a profile and returns the folder of their modules. With `is_split`, main modules can be split.
    pub(super) fn link(
        &self,
        workspace: &Workspace,
        (profile, is_split): (&str, bool),
        bins: &[&str],
        log: &str,
    ) -> Result<PathBuf> {
        let mut cargo = if self.lints { workspace.linting_cargo() } else { workspace.cargo() };
        cargo.args(["build", "--locked", "--profile", profile, "--target", WASM]);
        for bin in bins {
            cargo.args(["--package", package(bin), "--bin", bin]);
        }
        cargo.env(FLAGS, &self.flags).env(SEED.0, SEED.1);
        if is_split {
            cargo.env(SPLIT, "1");
        }
        workspace.run(log, &mut cargo)?;
        if self.lints {
            workspace.no_warnings(log)?;
        }
        Ok(workspace.target.join(WASM).join(if profile == "dev" { "debug" } else { profile }))
    }

    /// Binds the main module into `dist` under hashed names; with `is_split`, its views are separate files.
    pub(super) fn bind_main(
        &self,
        workspace: &Workspace,
        linked: &Path,
        dist: &Path,
        is_split: bool,
    ) -> Result<Names> {
        // File names are part of a release, whose bytes don't depend on the folder.
        let hash = Fingerprint::new().contents(linked)?.text(&is_split.to_string()).finish();
        let stem = files::stem(linked);
        let mut names = Names { module: format!("{stem}-{hash}"), loader: None, views: Vec::new() };
        if !is_split {
            self.bind(linked, dist, &names.module, None)?;
            return Ok(names);
        }
        let parts = workspace.target.join("xtask/parts").join(stem);
        files::empty(&parts)?;
        let loader = format!("{LOADER}{hash}");
        let printed = self.bind(linked, &parts, &names.module, Some(&loader))?;
        let name = |part: &str| {
            format!(
                "{PART}{}-{hash}.wasm",
                part.trim_start_matches("split_").trim_end_matches(".wasm").replace('_', "-")
            )
        };
        let script = parts.join(format!("{loader}.js"));
        let mut text = files::read(&script)?;
        for line in printed.lines() {
            let (view, files) = line.split_once(": ").unwrap_or((line, ""));
            for part in files.split_whitespace() {
                text = text.replace(&format!("\"./{part}\""), &format!("\"./{}\"", name(part)));
            }
            names.views.push((view.to_owned(), files.split_whitespace().map(name).collect()));
        }
        if names.views.is_empty() {
            return Err(Failure::new(format!("{} has no view to split off", linked.display())));
        }
        files::write(&script, text)?;
        for file in files::below(&parts)? {
            let own = files::name(&file);
            let is_part = own.ends_with(".wasm") && !own.starts_with(&names.module);
            files::copy(&file, &dist.join(if is_part { name(&own) } else { own }))?;
        }
        names.loader = Some(loader);
        Ok(names)
    }

    pub(super) fn bind(
        &self,
        linked: &Path,
        folder: &Path,
        name: &str,
        loader: Option<&str>,
    ) -> Result<String> {
        let mut command = Command::new(&self.bindgen);
        let printed = process::answer(command.arg(linked).arg(folder).arg(name).args(loader))?;
        for script in [Some(name), loader].into_iter().flatten() {
            let script = folder.join(format!("{script}.js"));
            files::write(&script, short_js(&files::read(&script)?))?;
        }
        Ok(printed)
    }

    /// Shrinks the modules in `dist` that begin with `name`.
    pub(super) fn optimise(&self, dist: &Path, name: &str, options: &[String]) -> Result<()> {
        for file in files::below(dist)? {
            if files::name(&file).starts_with(name) && files::has_extension(&file, "wasm") {
                let mut command = Command::new(&self.wasm_opt);
                process::quiet(command.args(options).arg("--output").args([&file, &file]))?;
            }
        }
        Ok(())
    }
}

fn package(bin: &str) -> &str {
    match bin {
        "syclscope-worker" | "syclscope-exporter" => bin,
        _ => "syclscope-frontend",
    }
}

/// Returns the flags that keep the build machine's folders out of the page.
pub(super) fn flags(workspace: &Workspace) -> Result<String> {
    Ok(Paths::new(workspace)?.rust_flags().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_reads_the_main_module_and_what_each_view_needs() {
        let views = vec![
            ("graph".to_owned(), vec!["a.wasm".to_owned(), "b.wasm".to_owned()]),
            ("others".to_owned(), vec![]),
        ];
        let names = Names { module: "page-1".into(), loader: Some("views-1".into()), views };
        let tags = names.tags();
        assert!(tags.starts_with(r#"<meta name="syclscope-boot" data-js="./page-1.js" data-wasm="./page-1_bg.wasm" data-views="graph:a.wasm b.wasm;others:"><link rel="modulepreload" href="./views-1.js">"#), "{tags}");
        assert!(tags.contains(r#"<link rel="preload" href="./page-1_bg.wasm" as="fetch""#), "{tags}");
    }
}
