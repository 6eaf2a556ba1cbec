//! Packages for crates.io: `syclscope`, and those of our crates that it depends on.
//!
//! They are packed from a copy, in which the command line's crate has the program's name, the page is in its folder,
//! and its build script builds the recorder (`xtask/crate/build.rs`). The repository needs no preparation for it: there
//! the page is built first.

use super::Release;
use crate::artefacts::program::Profile;
use crate::artefacts::{embedded, page, site};
use crate::prelude::*;

/// Crates in the order of publication, with their folders. The last one is the program.
const CRATES: [(&str, &str); 11] = [
    ("syclscope-language", "trace/language"),
    ("syclscope-engine", "trace/engine"),
    ("syclscope-subscriber", "subscriber"),
    ("syclscope-text", "program/text"),
    ("syclscope-system", "program/system"),
    ("syclscope-report", "program/report"),
    ("syclscope-sql", "program/sql"),
    ("syclscope-client", "program/client"),
    ("syclscope-launcher", "program/launcher"),
    ("syclscope-server", "server"),
    ("syclscope", PROGRAM),
];
const PROGRAM: &str = "program/cli";
/// Packed parts of a crate's folder. Tests and examples are left out: they need files outside of it.
const PARTS: [&str; 5] = ["Cargo.toml", "README.md", "font", "migrations", "src"];
/// Sources that embed files of the repository: a crate's folder and the source, the folder of those files, and its name
/// in the package.
const EMBEDDED: [(&str, &str, &str, &str); 3] = [
    (PROGRAM, "src/embedded/recordings.rs", embedded::RECORDED, "recordings"),
    (PROGRAM, "src/mcp/documents.rs", "docs", "docs"),
    ("server", "src/http/static_page.rs", "assets", "assets"),
];
const BUILD_SCRIPT: &str = include_str!("../../crate/build.rs");

pub(super) fn make(release: &Release<'_>) -> Result<Vec<PathBuf>> {
    let workspace = release.workspace;
    let copy = workspace.target.join("xtask/crates");
    files::remove_folder(&copy)?;
    copy_sources(workspace, &copy, &release.version)?;
    let program = copy.join(PROGRAM);
    files::write(&program.join("build.rs"), BUILD_SCRIPT)?;
    embedded::write_for_package(
        &program.join("embedded"),
        &page::folder(workspace),
        &site::build_with(workspace, Profile::Release)?,
        "../src/embedded/recordings.rs",
    )?;
    let mut cargo = workspace.cargo();
    // The copy uses its own target folder even if the environment sets one.
    let words = ["package", "--workspace", "--no-verify", "--allow-dirty", "--target-dir", "target"];
    workspace.run("release-crates", cargo.current_dir(&copy).args(words))?;
    let mut made = Vec::new();
    for (name, _) in CRATES {
        let file = format!("{name}-{}.crate", release.version);
        made.push(release.folder.join(&file));
        files::copy(&copy.join("target/package").join(&file), &release.folder.join(file))?;
    }
    Ok(made)
}

fn copy_sources(workspace: &Workspace, copy: &Path, version: &str) -> Result<()> {
    for (name, folder) in CRATES {
        let (from, to) = (workspace.root.join(folder), copy.join(folder));
        files::create(&to)?;
        let parts = PARTS.iter().map(|part| from.join(part)).filter(|part| part.exists());
        process::quiet(Command::new("cp").arg("--recursive").args(parts).arg(&to))?;
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            files::copy(&workspace.root.join(licence), &to.join(licence))?;
        }
        let file = to.join("Cargo.toml");
        let mut text = manifest(&files::read(&file)?);
        if name == "syclscope" {
            text = program(&text, &files::read(&workspace.root.join("Cargo.toml"))?, version);
        }
        files::write(&file, text)?;
    }
    for (package, source, folder, kept) in EMBEDDED {
        let up = "../".repeat(package.matches('/').count() + 1);
        let from = workspace.root.join(folder);
        bring_in(&copy.join(package), source, &from, (&format!("{up}{folder}"), kept))?;
    }
    for (_, folder) in CRATES {
        check_packed_files(&copy.join(folder))?;
    }
    files::copy(&workspace.root.join("Cargo.lock"), &copy.join("Cargo.lock"))?;
    files::write(&copy.join("Cargo.toml"), root(&files::read(&workspace.root.join("Cargo.toml"))?, version))
}

/// Copies the files that a source embeds from `folder` into the folder `kept` of its package, and changes their paths
/// in the source.
fn bring_in(package: &Path, source: &str, from: &Path, (folder, kept): (&str, &str)) -> Result<()> {
    let file = package.join(source);
    let text = files::read(&file)?;
    let up = "../".repeat(source.matches('/').count());
    let outside = format!("{up}{folder}/");
    // A macro may put a folder before names that are literals elsewhere.
    let names = text.split('"').map(|literal| literal.strip_prefix(&outside).unwrap_or(literal));
    for name in names.filter(|name| !name.is_empty() && !name.starts_with('/') && from.join(name).is_file()) {
        files::copy(&from.join(name), &package.join(kept).join(name))?;
    }
    files::write(&file, text.replace(&outside, &format!("{up}{kept}/")))
}

/// Rejects a package with a source that embeds files outside of it, which otherwise only its users would notice.
fn check_packed_files(package: &Path) -> Result<()> {
    let inside = package.canonicalize().at("find", package)?;
    let mut sources = files::below(&package.join("src"))?;
    sources.retain(|file| files::has_extension(file, "rs"));
    for file in sources {
        for named in embedded_by(&files::read(&file)?) {
            let place = file.with_file_name(named).canonicalize();
            if !place.is_ok_and(|place| place.starts_with(&inside)) {
                let text = format!("{} embeds {named}, which its package does not hold", file.display());
                return Err(Failure::new(text).with_remedy("name it in xtask/src/release/crates.rs"));
            }
        }
    }
    Ok(())
}

/// Returns the files that a source embeds by a literal path, and folders that a macro puts before names. Those of
/// tests, and those in `tests/`, are not packed.
fn embedded_by(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let calls =
        ["include_str!(\"", "include_bytes!(\"", "include_str!(concat!(\"", "include_bytes!(concat!(\""];
    let named = move |call| text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
    calls.into_iter().flat_map(named).filter(|name| !name.contains("/tests/"))
}

/// Returns the workspace's manifest with these crates only, each with the version that others require.
fn root(text: &str, version: &str) -> String {
    let members = CRATES.map(|(_, folder)| format!("{folder:?}")).join(", ");
    let lines = text.lines().take_while(|line| !line.starts_with("# Quick to build")).filter_map(|line| {
        if line.starts_with("members = ") {
            Some(format!("members = [{members}]"))
        } else if line == "publish = false" {
            None
        } else if line.starts_with("syclscope-") {
            Some(line.replace(" }", &format!(", version = \"={version}\" }}")))
        } else {
            Some(line.to_owned())
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns a crate's manifest without references to files that are not packed.
fn manifest(text: &str) -> String {
    let text = text.replace("publish.workspace = true\n", "");
    let sections = text
        .split("\n\n")
        .filter(|section| !section.contains("[[example]]") && !section.contains("[dev-dependencies]"));
    sections.collect::<Vec<_>>().join("\n\n").trim_end().to_owned() + "\n"
}

/// Returns the command line's manifest under the program's name. It contains the workspace's optimisation per crate,
/// because an installed program is compiled by its own manifest. The build script builds the recorder; a dependency
/// for no target adds the recorder's versions to Cargo.lock.
fn program(text: &str, root: &str, version: &str) -> String {
    let text = text
        .replace("name = \"syclscope-cli\"", "name = \"syclscope\"")
        .replace("[[bin]]", "[lib]\nname = \"syclscope_cli\"\n\n[[bin]]");
    let profiles = root.split_once("[profile.release]").map_or("", |(_, rest)| rest);
    let profiles = profiles.split("\n\n").take_while(|section| !section.contains("[profile.released]"));
    // Cargo would warn about test dependencies.
    let of_tests = |section: &&str| section.contains("package.perfetto_protos]");
    let profiles: Vec<&str> = profiles.filter(|section| !of_tests(section)).collect();
    format!(
        "{text}\n[target.'cfg(any())'.dependencies]\nsyclscope-subscriber = {{ path = \"../../subscriber\", version = \"={version}\" }}\n\n\
         [profile.release]{}\n",
        profiles.join("\n\n").trim_end()
    )
}

/// Installs the program by name, as users do: into an empty folder, from a registry with these files and the crates.io
/// packages of the lock file, without a network and with an empty cargo home. All of it is in `trial`, outside of the
/// clone, whose settings cargo would read.
pub(super) fn install(release: &Release<'_>, made: &[PathBuf], trial: &Path) -> Result<PathBuf> {
    let workspace = release.workspace;
    let registry = trial.join("registry");
    let log = "release-cargo-install";
    files::create(trial)?;
    let mut vendor = workspace.cargo();
    workspace.run(log, vendor.args(["vendor", "--locked", "--versioned-dirs"]).arg(&registry))?;
    for file in made {
        let mut tar = Command::new("tar");
        process::quiet(tar.arg("--extract").arg("--file").arg(file).arg("--directory").arg(&registry))?;
        let folder = registry.join(file.file_stem().unwrap_or_default());
        let sums = format!("{{\"files\":{{}},\"package\":\"{}\"}}", files::sha256(file)?);
        files::write(&folder.join(".cargo-checksum.json"), sums)?;
    }
    let home = trial.join("home");
    std::fs::create_dir_all(&home).at("create", &home)?;
    let source =
        format!("[source.crates-io]\nreplace-with = \"these\"\n\n[source.these]\ndirectory = {registry:?}\n");
    files::write(&home.join("config.toml"), source)?;
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "syclscope", "--locked", "--offline", "--version"]).arg(&release.version);
    cargo.arg("--root").arg(trial.join("root")).current_dir(trial);
    cargo.env("CARGO_HOME", &home).env("CARGO_TARGET_DIR", trial.join("target"));
    // Set by cargo for this program only.
    cargo.env_remove(embedded::VARIABLE);
    workspace.run(log, &mut cargo)?;
    let program = trial.join("root/bin/syclscope");
    if !program.is_file() {
        let text = format!("cargo installed no {}", program.display());
        return Err(Failure::new(text).with_log(workspace.log(log)));
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_nothing_that_is_not_packed() {
        let text = "[workspace]\nmembers = [\"a\"]\n\n[workspace.package]\npublish = false\n\n[workspace.dependencies]\n\
                    syclscope-engine = { path = \"trace/engine\" }\nserde = \"1\"\n\n# Quick to build\n[profile.dev]\n";
        let root = root(text, "1.2.3");
        assert!(
            root.contains("syclscope-engine = { path = \"trace/engine\", version = \"=1.2.3\" }"),
            "{root}"
        );
        assert!(
            !root.contains("publish") && !root.contains("profile") && root.contains("\"program/cli\"]"),
            "{root}"
        );
        let text = "[package]\nname = \"a\"\npublish.workspace = true\n\n[dev-dependencies]\nx = \"1\"\n\n[lints]\nworkspace = true\n\n\
                    # What tests run.\n[[example]]\nname = \"y\"\n";
        assert_eq!(manifest(text), "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n");
    }

    #[test]
    fn what_a_source_embeds_must_be_packed_with_it() {
        let package = files::Scratch::for_test("crates");
        let (source, outside) = (package.join("crate/src/static_page.rs"), package.join("assets"));
        files::write(&outside.join("a.css"), "a").unwrap();
        files::write(&outside.join("b.css"), "b").unwrap();
        let text = "const A: &str = include_str!(\"../../assets/a.css\");\n\
                    const B: &str = include_str!(concat!(\"../../assets/\", \"b.css\"));\n\
                    const C: &str = include_str!(\"../../tests/data/c.txt\");\n\
                    #[cfg(test)]\nmod tests { const D: &str = include_str!(\"../../d.txt\"); }\n";
        files::write(&source, text).unwrap();
        let refused = check_packed_files(&package.join("crate")).unwrap_err();
        assert!(refused.headline().contains("a.css"), "{}", refused.headline());
        bring_in(&package.join("crate"), "src/static_page.rs", &outside, ("../assets", "kept")).unwrap();
        check_packed_files(&package.join("crate")).unwrap();
        assert!(std::fs::read_to_string(&source).unwrap().contains("\"../kept/a.css\""));
        assert!(package.join("crate/kept/b.css").is_file());
    }

    #[test]
    fn what_a_source_embeds_is_a_reason_to_build_the_program_again() {
        let workspace = Workspace::locate().unwrap();
        let known = crate::artefacts::program::files_of(&workspace);
        let known: Vec<PathBuf> = known.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let sources = known.iter().flat_map(|path| files::below(path).unwrap());
        for source in sources.filter(|file| files::has_extension(file, "rs")) {
            for named in embedded_by(&files::read(&source).unwrap()) {
                let place = source.with_file_name(named).canonicalize().unwrap();
                let is_known = known.iter().any(|path| place.starts_with(path));
                assert!(is_known, "{} embeds {}", source.display(), place.display());
            }
        }
    }

    #[test]
    fn the_program_is_optimised_as_here() {
        let text = "[package]\nname = \"syclscope-cli\"\n\n[[bin]]\nname = \"syclscope\"\n";
        let root = files::read(&Workspace::of_this_clone().root.join("Cargo.toml")).unwrap();
        let program = program(text, &root, "1.2.3");
        assert!(
            program
                .starts_with("[package]\nname = \"syclscope\"\n\n[lib]\nname = \"syclscope_cli\"\n\n[[bin]]"),
            "{program}"
        );
        assert!(
            program.contains("\n[profile.release]\nopt-level = \"s\"\n")
                && !program.contains("profile.released")
                && !program.contains("perfetto_protos"),
            "{program}"
        );
        let engine = "\n[profile.release.package.syclscope-engine]\nopt-level = 3\n";
        assert_eq!(program.matches(engine).count(), 1, "{program}");
    }
}
