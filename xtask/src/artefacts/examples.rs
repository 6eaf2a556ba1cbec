//! C++ examples and small programs for the recording tests, compiled against the SYCL runtime.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fingerprint::{self, Fingerprint};
use crate::prelude::*;
use crate::setup::{apt, sycl};

const FOLDERS: &[&str] = &["examples/cpp", "e2e/recording/programs"];
/// Folder with a folder per problem: `NAME/before/PROGRAM.cpp` and `NAME/after/PROGRAM.cpp`.
const PROBLEMS: &str = "examples/problems";
const FLAGS: &[&str] = &["-std=c++17", "-O1", "-w", "-pthread"];
const DEBUG: &str = "-g";

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

/// Returns the folder of the compiled programs, named after their files; those of a problem are in
/// `problems/NAME/before` and `problems/NAME/after`.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("sycl-programs")
}

/// Compiles all changed programs, one per core at a time.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    // Compiling sycl.hpp takes longer than the program that includes it.
    let (plain, debug) =
        process::side_by_side(|| precompile(workspace, &[]), || precompile(workspace, &[DEBUG]))?;
    build_where(
        workspace,
        |_| true,
        |flags| Some(if flags.contains(&DEBUG) { debug.as_path() } else { plain.as_path() }),
    )
}

pub(crate) fn build_one(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    build_where(workspace, |program| program.name == name, |_| None)
}

/// Precompiles sycl.hpp for programs of the same flags, and returns the header to include.
fn precompile(workspace: &Workspace, flags: &[&str]) -> Result<PathBuf> {
    let name = format!("sycl{}", flags.concat());
    let header = workspace.target.join("sycl-headers").join(&name).join("precompiled.hpp");
    let made = header.with_extension("hpp.gch");
    let environment = sycl::runtime(workspace).link;
    let installed = std::fs::read_link(&environment).unwrap_or_else(|_| environment.clone());
    let compiler = process::answer(apt::compiler().arg("--version"))?;
    let inputs = Fingerprint::new()
        .text(&FLAGS.join(" "))
        .text(&installed.display().to_string())
        .text(&compiler)
        .finish();
    let stamp = workspace.stamp(&format!("header-{name}"));
    if !fingerprint::is_stamped(&stamp, &inputs) || !made.is_file() {
        files::write(&header, "#include <sycl/sycl.hpp>\n")?;
        let mut command = apt::compiler();
        command.args(FLAGS).args(flags).args(["-x", "c++-header", "-I"]).arg(environment.join("include"));
        workspace.run(&format!("compile-{name}"), command.arg(&header).arg("-o").arg(&made))?;
        fingerprint::write_stamp(&stamp, &inputs)?;
    }
    Ok(header)
}

/// Compiles the wanted programs that have changed. `header_for` returns a precompiled header for a program's
/// own flags.
fn build_where<'a>(
    workspace: &Workspace,
    is_wanted: impl Fn(&Program) -> bool,
    header_for: impl Fn(&[&str]) -> Option<&'a Path> + Sync,
) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut programs = of_problems(&workspace.root.join(PROBLEMS))?;
    for name in FOLDERS {
        let folder = workspace.root.join(name);
        programs.extend(sources_in(&folder)?.into_iter().map(|source| Program {
            name: files::stem(&source),
            place: workspace.root.clone(),
            source,
            headers: folder.clone(),
        }));
    }
    programs.retain(is_wanted);
    let compiler = process::version_of(apt::compiler().get_program()).unwrap_or_default();
    let total = programs.len();
    let (next, compiled, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match (compile(workspace, program, &compiler, &header_for), failed.lock()) {
                        (Ok(is_new), _) => _ = compiled.fetch_add(usize::from(is_new), Ordering::Relaxed),
                        (Err(failure), Ok(mut failed)) => *failed = Some(failure),
                        (Err(_), Err(_)) => {}
                    }
                }
            });
        }
    });
    if let Some(failure) = failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(failure);
    }
    let state = if compiled.into_inner() == 0 { "current" } else { "built" };
    let name = if total == 1 { "SYCL program" } else { "SYCL programs" };
    say::step(state, name, &format!("{total} in {}", folder(workspace).display()), begun.elapsed());
    Ok(folder(workspace))
}

/// Returns both programs of each problem. They are compiled in the problem's folder, so that a recording contains
/// `before/PROGRAM.cpp`, as it does for readers of the problem's page.
fn of_problems(folder: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for place in files::entries(folder)? {
        let problem = files::stem(&place);
        for variant in ["before", "after"] {
            programs.extend(sources_in(&place.join(variant))?.into_iter().map(|source| Program {
                name: format!("problems/{problem}/{variant}/{}", files::stem(&source)),
                place: place.clone(),
                source: Path::new(variant).join(files::name(&source)),
                headers: folder.to_owned(),
            }));
        }
    }
    Ok(programs)
}

fn sources_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = if folder.is_dir() { files::entries(folder)? } else { Vec::new() };
    sources.retain(|path| files::has_extension(path, "cpp"));
    Ok(sources)
}

fn compile<'a>(
    workspace: &Workspace,
    program: &Program,
    compiler: &str,
    header_for: impl Fn(&[&str]) -> Option<&'a Path>,
) -> Result<bool> {
    let Program { name, place, source, headers } = program;
    let program = folder(workspace).join(name);
    let name = name.replace('/', "-");
    let stamp = workspace.stamp(&format!("program-{name}"));
    let environment = sycl::runtime(workspace).link;
    let installed = std::fs::read_link(&environment).unwrap_or_else(|_| environment.clone());
    let file = place.join(source);
    let text = files::read(&file)?;
    let own_flags = own_flags(&text);
    // A program may include the files that are no programs.
    let mut headers = files::below(headers)?;
    headers.retain(|file| !files::has_extension(file, "cpp"));
    let inputs = Fingerprint::new()
        .trees(&headers)?
        .text(&text)
        .text(&file.display().to_string())
        .text(&FLAGS.join(" "))
        .text(&installed.display().to_string())
        .text(compiler)
        .finish();
    if fingerprint::is_stamped(&stamp, &inputs) && program.is_file() {
        return Ok(false);
    }
    files::create(program.parent().unwrap_or(place))?;
    let libraries = environment.join("lib");
    let mut command = apt::compiler();
    // A header that does not fit is compiled as any other.
    command.args(header_for(&own_flags).into_iter().flat_map(|header| [Path::new("-include"), header]));
    command.args(FLAGS).arg("-I").arg(environment.join("include")).arg(source);
    command.arg("-L").arg(&libraries).arg("-lsycl").args(own_flags);
    command.arg(format!("-Wl,-rpath,{}", libraries.display())).arg("-o").arg(&program).current_dir(place);
    workspace
        .run(&format!("compile-{name}"), &mut command)
        .map_err(|failure| failure.with_remedy(format!("{} must compile with plain g++", file.display())))?;
    if !program.is_file() {
        return Err(Failure::new(format!("{} was not made", program.display())));
    }
    fingerprint::write_stamp(&stamp, &inputs)?;
    Ok(true)
}

/// Returns the flags of a program besides [`FLAGS`], in a line `// flags: …` at its top.
fn own_flags(source: &str) -> Vec<&str> {
    let line = source.lines().next().and_then(|line| line.strip_prefix("// flags:"));
    line.unwrap_or_default().split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_has_a_program_before_and_after_that_is_named_by_its_own_folder() {
        let found = of_problems(&Workspace::of_this_clone().root.join(PROBLEMS)).unwrap();
        let names: Vec<&str> = found.iter().map(|program| program.name.as_str()).collect();
        assert!(names.contains(&"problems/leak/before/requests"), "{names:?}");
        for program in &found {
            assert!(program.place.join(&program.source).is_file(), "{program:?}");
            let is_before = program.source.starts_with("before");
            let (own, other) = if is_before { ("/before/", "/after/") } else { ("/after/", "/before/") };
            assert!(names.contains(&program.name.replace(own, other).as_str()), "{program:?}");
        }
    }
}
