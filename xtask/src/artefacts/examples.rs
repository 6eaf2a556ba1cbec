//! The C++ examples and the small programs of the recording tests, compiled against the SYCL runtime.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::setup::compiler::Compiler;
use crate::setup::sycl;
use crate::workspace::Workspace;

/// The folders whose `.cpp` files are programs of their own.
const FOLDERS: &[&str] = &["examples/cpp", "e2e/recording/programs"];
const FLAGS: &[&str] = &["-std=c++17", "-O1", "-w", "-pthread"];
const LIMIT: Duration = Duration::from_secs(600);

/// The folder that holds every compiled program under its file's name.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("sycl-programs")
}

/// Compiles what has changed of all programs, as many at once as there are cores.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    build_where(workspace, |_| true)
}

/// Compiles the program `name`, if it has changed.
pub(crate) fn build_one(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    build_where(workspace, |source| source.file_stem().is_some_and(|stem| stem == name))
}

fn build_where(workspace: &Workspace, is_wanted: impl Fn(&Path) -> bool) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut sources = Vec::new();
    for name in FOLDERS {
        sources.extend(sources_in(&workspace.root.join(name))?);
    }
    sources.retain(|source| is_wanted(source));
    let total = sources.len();
    let waiting = Mutex::new(sources);
    let failures = Mutex::new(Vec::new());
    let compiled = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(source) = take(&waiting) {
                    match compile(workspace, &source) {
                        Ok(is_new) => compiled.fetch_add(usize::from(is_new), Ordering::Relaxed),
                        Err(failure) => {
                            failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(failure);
                            0
                        }
                    };
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure);
    }
    let state = if compiled.into_inner() == 0 { "current" } else { "built" };
    let name = if total == 1 { "SYCL program" } else { "SYCL programs" };
    say::step(state, name, &format!("{total} in {}", folder(workspace).display()), begun.elapsed());
    Ok(folder(workspace))
}

fn take(waiting: &Mutex<Vec<PathBuf>>) -> Option<PathBuf> {
    waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop()
}

fn sources_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(folder).at("list", folder)? {
            let path = entry.at("list", folder)?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                sources.push(path);
            }
        }
    }
    Ok(sources)
}

/// What a program in `folder` may include: files that are no programs.
fn headers_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_program = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "cpp");
    Ok(fingerprint::files_below(folder)?.into_iter().filter(|file| !is_program(file)).collect())
}

/// Compiles one program; whether that was needed.
fn compile(workspace: &Workspace, source: &Path) -> Result<bool> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let program = folder(workspace).join(&name);
    let stamp = workspace.stamp(&format!("program-{name}"));
    let environment = sycl::runtime(workspace).link;
    let installed = std::fs::read_link(&environment).unwrap_or_else(|_| environment.clone());
    let include = source.parent().unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(source).at("read", source)?;
    let own_flags = own_flags(&text);
    let inputs = Fingerprint::new()
        .trees(&headers_in(include)?)?
        .text(&text)
        .text(&source.display().to_string())
        .text(&FLAGS.join(" "))
        .text(&installed.display().to_string())
        .finish();
    if fingerprint::is_stamped(&stamp, &inputs) && program.is_file() {
        return Ok(false);
    }
    std::fs::create_dir_all(folder(workspace)).at("create", &folder(workspace))?;
    let libraries = environment.join("lib");
    let mut command = Compiler::command();
    command.args(FLAGS).arg("-I").arg(environment.join("include")).arg(source);
    command
        .arg("-L")
        .arg(&libraries)
        .arg("-lsycl")
        .args(own_flags)
        .arg(format!("-Wl,-rpath,{}", libraries.display()));
    command.arg("-o").arg(&program).current_dir(&workspace.root);
    process::logged(&mut command, &workspace.log(&format!("compile-{name}")), LIMIT).map_err(|failure| {
        failure.with_remedy(format!("{} must compile with plain g++", source.display()))
    })?;
    if !program.is_file() {
        return Err(Failure::new(format!("{} was not made", program.display())));
    }
    fingerprint::write_stamp(&stamp, &inputs)?;
    Ok(true)
}

/// What a program asks for besides [`FLAGS`], in a line `// flags: …` at its top.
fn own_flags(source: &str) -> Vec<&str> {
    let line = source.lines().next().and_then(|line| line.strip_prefix("// flags:"));
    line.unwrap_or_default().split_whitespace().collect()
}
