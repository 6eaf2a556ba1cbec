//! C++ examples and small programs for the recording tests, compiled against the SYCL runtime.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::setup::compiler::Compiler;
use crate::setup::sycl;
use crate::workspace::Workspace;

const FOLDERS: &[&str] = &["examples/cpp", "e2e/recording/programs"];
/// Folder with a folder per problem: `NAME/before/PROGRAM.cpp` and `NAME/after/PROGRAM.cpp`.
const PROBLEMS: &str = "examples/problems";
const FLAGS: &[&str] = &["-std=c++17", "-O1", "-w", "-pthread"];

#[derive(Clone, Debug)]
struct Program {
    /// Path below [`folder`].
    name: String,
    /// Working directory of the compiler: recordings contain the source path relative to it.
    place: PathBuf,
    /// Relative to `place`.
    source: PathBuf,
    headers: PathBuf,
}

/// Folder of the compiled programs, named after their files; those of a problem are in `problems/NAME/before` and
/// `problems/NAME/after`.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("sycl-programs")
}

/// Compiles all changed programs, one per core at a time.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    build_where(workspace, |_| true)
}

pub(crate) fn build_one(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    build_where(workspace, |program| program.name == name)
}

fn build_where(workspace: &Workspace, is_wanted: impl Fn(&Program) -> bool) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut programs = of_problems(&workspace.root.join(PROBLEMS))?;
    for name in FOLDERS {
        let folder = workspace.root.join(name);
        programs.extend(sources_in(&folder)?.into_iter().map(|source| Program {
            name: stem(&source),
            place: workspace.root.clone(),
            source,
            headers: folder.clone(),
        }));
    }
    programs.retain(is_wanted);
    let total = programs.len();
    let waiting = Mutex::new(programs);
    let failures = Mutex::new(Vec::new());
    let compiled = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(program) = take(&waiting) {
                    match compile(workspace, &program) {
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

fn take(waiting: &Mutex<Vec<Program>>) -> Option<Program> {
    waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop()
}

/// Both programs of each problem. They are compiled in the problem's folder, so that a recording contains
/// `before/PROGRAM.cpp`, as it does for readers of the problem's page.
fn of_problems(folder: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(folder).at("list", folder)? {
        let place = entry.at("list", folder)?.path();
        let problem = stem(&place);
        for variant in ["before", "after"] {
            programs.extend(sources_in(&place.join(variant))?.into_iter().map(|source| Program {
                name: format!("problems/{problem}/{variant}/{}", stem(&source)),
                place: place.clone(),
                source: Path::new(variant).join(source.file_name().unwrap_or_default()),
                headers: folder.to_owned(),
            }));
        }
    }
    Ok(programs)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
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

/// Files in `folder` that a program may include: those that are no programs.
fn headers_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_program = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "cpp");
    Ok(fingerprint::files_below(folder)?.into_iter().filter(|file| !is_program(file)).collect())
}

fn compile(workspace: &Workspace, wanted: &Program) -> Result<bool> {
    let Program { name, place, source, headers } = wanted;
    let program = folder(workspace).join(name);
    let name = name.replace('/', "-");
    let stamp = workspace.stamp(&format!("program-{name}"));
    let environment = sycl::runtime(workspace).link;
    let installed = std::fs::read_link(&environment).unwrap_or_else(|_| environment.clone());
    let file = place.join(source);
    let text = std::fs::read_to_string(&file).at("read", &file)?;
    let own_flags = own_flags(&text);
    let inputs = Fingerprint::new()
        .trees(&headers_in(headers)?)?
        .text(&text)
        .text(&file.display().to_string())
        .text(&FLAGS.join(" "))
        .text(&installed.display().to_string())
        .finish();
    if fingerprint::is_stamped(&stamp, &inputs) && program.is_file() {
        return Ok(false);
    }
    let kept_in = program.parent().unwrap_or(place);
    std::fs::create_dir_all(kept_in).at("create", kept_in)?;
    let libraries = environment.join("lib");
    let mut command = Compiler::command();
    command.args(FLAGS).arg("-I").arg(environment.join("include")).arg(source);
    command
        .arg("-L")
        .arg(&libraries)
        .arg("-lsycl")
        .args(own_flags)
        .arg(format!("-Wl,-rpath,{}", libraries.display()));
    command.arg("-o").arg(&program).current_dir(place);
    process::logged(&mut command, &workspace.log(&format!("compile-{name}")), process::PATIENCE)
        .map_err(|failure| failure.with_remedy(format!("{} must compile with plain g++", file.display())))?;
    if !program.is_file() {
        return Err(Failure::new(format!("{} was not made", program.display())));
    }
    fingerprint::write_stamp(&stamp, &inputs)?;
    Ok(true)
}

/// Flags of a program besides [`FLAGS`], in a line `// flags: …` at its top.
fn own_flags(source: &str) -> Vec<&str> {
    let line = source.lines().next().and_then(|line| line.strip_prefix("// flags:"));
    line.unwrap_or_default().split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_has_a_program_before_and_after_that_is_named_by_its_own_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let found = of_problems(&root.join(PROBLEMS)).unwrap();
        let mut names: Vec<&str> = found.iter().map(|program| program.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.contains(&"problems/leak/before/requests"), "{names:?}");
        for program in &found {
            assert!(program.place.join(&program.source).is_file(), "{program:?}");
            let other = if program.source.starts_with("before") {
                ("/before/", "/after/")
            } else {
                ("/after/", "/before/")
            };
            assert!(
                names.binary_search(&program.name.replace(other.0, other.1).as_str()).is_ok(),
                "{program:?}"
            );
        }
    }
}
