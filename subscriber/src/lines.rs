//! The line of the program that called, by the addresses on the stack.
//!
//! The runtime does not say where the program waits for an event. The program's own debug information does, if it was
//! compiled with it (`-g`): it is read on the writer's thread, when the first address of a file is asked for.

mod elf;
mod frames;
mod modules;
mod owner;
mod symbols;

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::os::callers::Module;
use crate::target_process;
use elf::{Elf, Sections};
pub(crate) use frames::NativeFrame;
use frames::Resolved;
use modules::Modules;
pub(crate) use owner::is_installed;
use owner::{is_of_header, is_users, owner};
use syclscope_language::event::FrameKind;
pub(crate) use symbols::readable;

type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;
type Context = addr2line::Context<Reader>;

/// Most debug information held in the program's memory, in bytes, of all modules together.
const MOST_BYTES: u64 = 256 << 20;

/// Folder of debug information that was split off, by build id.
const DEBUG_FILES: &str = "/usr/lib/debug/.build-id";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Address to which the call returns.
    pub(crate) address: u64,
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Default)]
pub(crate) struct Lines {
    mapped: Modules,
    modules: HashMap<Module, Option<Loaded>>,
    /// By return address, for as long as no module goes.
    known: HashMap<u64, Option<Line>>,
    resolved: Resolved,
    /// Number of unloaded modules at that time.
    unloads: u64,
    notes: Vec<String>,
}

struct Loaded {
    context: Context,
    /// Difference of an address in memory and in the file.
    offset: u64,
    size_bytes: u64,
}

impl Lines {
    /// Returns the line of the innermost caller that is not the runtime's.
    pub(crate) fn caller(&mut self, callers: &[u64]) -> Option<Line> {
        if callers.is_empty() {
            return None;
        }
        let unloads = self.mapped.unloads();
        self.keep_what_stays(unloads);
        callers.iter().find_map(|address| self.line(*address))
    }

    /// Takes notes for the user about debug information that was not read, each once.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Forgets addresses when modules were unloaded: others may lie there now.
    fn keep_what_stays(&mut self, unloads: u64) {
        if std::mem::replace(&mut self.unloads, unloads) == unloads {
            return;
        }
        self.known.clear();
        let Self { modules, mapped, .. } = self;
        modules.retain(|module, _| mapped.of(module.base).as_ref() == Some(module));
    }

    fn line(&mut self, address: u64) -> Option<Line> {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let line = self.find(address);
        self.known.insert(address, line.clone());
        line
    }

    fn find(&mut self, address: u64) -> Option<Line> {
        let module = self.mapped.of(address)?;
        let is_in_package = is_installed(&module.path);
        let loaded = self.module(module)?;
        // The call ends where it returns to.
        let place = address.checked_sub(1)?.checked_sub(loaded.offset)?;
        let mut frames = loaded.context.find_frames(place).skip_all_loads().ok()?;
        // Inlined functions come first, the one that they are inlined into last.
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            if let (Some(file), Some(line)) = (location.file, location.line)
                && !is_of_header(file)
                && is_users(file, is_in_package)
            {
                return Some(Line { address, file: file.into(), line, column: location.column.unwrap_or(0) });
            }
        }
        None
    }

    /// Returns the debug information of a module, read when first requested.
    fn module(&mut self, module: Module) -> Option<&Loaded> {
        if !self.modules.contains_key(&module) {
            let held: u64 = self.modules.values().flatten().map(|loaded| loaded.size_bytes).sum();
            let loaded = match self.mapped.is_recorder(&module) {
                true => Ok(None),
                false => load(&module, MOST_BYTES.saturating_sub(held), Path::new(DEBUG_FILES)),
            };
            let loaded = loaded.unwrap_or_else(|refused| {
                self.notes.push(format!(
                    "waits and call stacks in {} have no lines: {}",
                    module.path,
                    refused.why()
                ));
                None
            });
            self.modules.insert(module.clone(), loaded);
        }
        self.modules.get(&module)?.as_ref()
    }
}

/// Debug information that is there and not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    TooLarge,
    Compressed,
}

impl Refused {
    fn why(self) -> &'static str {
        match self {
            Self::TooLarge => {
                "with its debug information, that of all modules would take more than 256 MiB (-g1 makes it small)"
            }
            Self::Compressed => {
                "its debug information is compressed (link it without --compress-debug-sections)"
            }
        }
    }
}

/// Reads the debug information of a module that may be the program's, its own or split off into a folder, if it takes
/// no more than `most_bytes`.
fn load(module: &Module, most_bytes: u64, debug_files: &Path) -> Result<Option<Loaded>, Refused> {
    if owner(&module.path) != FrameKind::Program {
        return Ok(None);
    }
    let Some(file) = file_of(module, Modules::is_program(module)) else { return Ok(None) };
    let Some((file, elf)) = with_lines(file, debug_files) else { return Ok(None) };
    if elf.is_compressed() {
        return Err(Refused::Compressed);
    }
    let size_bytes = elf.size_bytes();
    if size_bytes > most_bytes {
        return Err(Refused::TooLarge);
    }
    let section = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
        let bytes = elf.section(&file, id.name()).unwrap_or_default();
        Ok(Reader::new(bytes.into(), gimli::LittleEndian))
    };
    let context = gimli::Dwarf::load(section).and_then(Context::from_dwarf);
    let offset = if elf.is_fixed { 0 } else { module.base };
    Ok(context.ok().map(|context| Loaded { context, offset, size_bytes }))
}

/// Returns the file, or the one split off from it by build id, whichever has lines.
fn with_lines(file: File, debug_files: &Path) -> Option<(File, Elf)> {
    if let Some(elf) = Elf::read(&file) {
        return Some((file, elf));
    }
    let id = Sections::read(&file)?.build_id(&file)?;
    let (folder, name) = id.split_at_checked(2)?;
    let split = File::open(debug_files.join(folder).join(format!("{name}.debug"))).ok()?;
    let elf = Elf::read(&split)?;
    Some((split, elf))
}

/// Opens the file of a module. The loader knows the program by the name of its call, relative to a folder that it may
/// have left.
fn file_of(module: &Module, is_program: bool) -> Option<File> {
    let program = is_program.then(|| File::open(target_process::file("exe")).ok()).flatten();
    program.or_else(|| File::open(&module.path).ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;
    use std::process::Command;

    use super::*;
    use crate::os::callers::{Callers, module_of, program_base};

    #[test]
    fn the_recorder_is_no_caller() {
        let callers = Callers::here();
        assert!(!callers.addresses().is_empty());
        assert_eq!(Lines::default().caller(callers.addresses()), None);
        assert_eq!(Lines::default().caller(&[0, 1, u64::MAX]), None);
    }

    #[test]
    fn the_program_is_told_by_where_it_lies_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let plugin = folder.path().join("plugin");
        std::fs::write(&plugin, "a module").unwrap();
        let inode =
            |module: &Module| file_of(module, Modules::is_program(module)).unwrap().metadata().unwrap().ino();
        let inode_at = |path: &Path| std::fs::metadata(path).unwrap().ino();
        // As the loader names it where it was started from a folder like this, and has left it.
        let program = Module { path: "built.so.d/program".to_owned(), base: program_base().unwrap() };
        assert_eq!(inode(&program), inode_at(Path::new("/proc/self/exe")));
        let plugin = Module { path: plugin.to_str().unwrap().to_owned(), base: program.base + (1 << 30) };
        assert_eq!(inode(&plugin), inode_at(Path::new(&plugin.path)));
    }

    #[test]
    fn lines_that_were_split_off_are_found_by_build_id() {
        let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        if !run(Command::new("objcopy").arg("--version")) {
            eprintln!("skipped: there is no objcopy, which splits off debug information");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (source, library, split) = (path("answer.cpp"), path("answer.so"), path("answer.debug"));
        std::fs::write(&source, "extern \"C\"\nint answer() { return 42; }\n").unwrap();
        let options = ["-g", "-shared", "-fPIC", "-Wl,--build-id", "-o"];
        assert!(run(Command::new("g++").args(options).args([&library, &source])), "the tests need g++");
        assert!(run(Command::new("objcopy").args(["--only-keep-debug", &library, &split])));
        assert!(run(Command::new("objcopy").args(["--strip-debug", &library])));
        let file = File::open(&library).unwrap();
        let sections = Sections::read(&file).unwrap();
        let functions = sections.functions(&file);
        let (address, ..) = functions.iter().find(|(.., name)| name == b"answer").unwrap();
        let id = sections.build_id(&file).unwrap();
        let module = Module { path: library, base: 1 << 40 };
        let load = || load(&module, MOST_BYTES, &folder.path().join("by-id")).unwrap();
        assert!(load().is_none(), "nothing is there yet");
        let place = folder.path().join("by-id").join(&id[..2]);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::rename(split, place.join(format!("{}.debug", &id[2..]))).unwrap();
        let loaded = load().unwrap();
        let found = loaded.context.find_location(*address).unwrap().unwrap();
        assert_eq!((found.file.unwrap(), found.line), (source.as_str(), Some(2)));
    }

    #[test]
    fn interpreters_have_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        for (name, has_lines) in [
            ("extension.so", true),
            ("python3.11", false),
            ("libpython3.12.so.1.0", false),
            ("lib-dynload/_ctypes.so", false),
            ("site-packages/mine/extension.so", true),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            elf::write(&path, 0, &[(".debug_line", 0)]);
            let module = Module { path: path.to_str().unwrap().to_owned(), base: 1 << 40 };
            assert_eq!(load(&module, MOST_BYTES, folder.path()).unwrap().is_some(), has_lines, "{name}");
        }
    }

    #[test]
    fn what_addresses_mean_is_asked_again_when_a_module_has_gone() {
        let mut lines = Lines::default();
        let line = Line { address: 4, file: "gone.cpp".into(), line: 1, column: 1 };
        let stays = module_of(load as *const () as u64).unwrap();
        let gone = Module { path: "/gone.so".to_owned(), ..stays.clone() };
        lines.keep_what_stays(1);
        lines.known.insert(4, Some(line.clone()));
        lines.modules.extend([(stays.clone(), None), (gone, None)]);
        lines.keep_what_stays(1);
        assert_eq!((lines.line(4), lines.modules.len()), (Some(line), 2));
        lines.keep_what_stays(2);
        assert_eq!(lines.line(4), None);
        assert_eq!(lines.modules.keys().collect::<Vec<_>>(), [&stays]);
    }

    #[test]
    fn all_modules_share_what_may_be_read_and_what_is_refused_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let module = |name: &str, base: u64, flags: u64, sizes: &[(&str, u64)]| {
            let path = folder.path().join(name);
            elf::write(&path, flags, sizes);
            Module { path: path.to_str().unwrap().to_owned(), base }
        };
        let mut lines = Lines::default();
        // No section of another kind counts, however large: the file has no bytes there.
        let half = MOST_BYTES / 2;
        let first = module("first", 1 << 40, 0, &[(".debug_line", 0), (".debug_loc", 1 << 50)]);
        assert!(lines.module(first).is_some());
        let many = module("many", 2 << 40, 0, &[(".debug_line", 0), (".debug_info", half + 1)]);
        assert_eq!(load(&many, half, folder.path()).err(), Some(Refused::TooLarge));
        let packed = module("packed", 3 << 40, elf::COMPRESSED, &[(".debug_line", 8)]);
        assert!(lines.module(packed.clone()).is_none() && lines.module(packed).is_none());
        assert!(matches!(lines.take_notes().as_slice(), [note] if note.contains("/packed have no lines")));
        // Half of it is taken.
        for loaded in lines.modules.values_mut().flatten() {
            loaded.size_bytes = half;
        }
        assert!(lines.module(many).is_none());
        assert!(matches!(lines.take_notes().as_slice(), [note] if note.contains("/many have no lines")));
        assert!(lines.take_notes().is_empty());
    }
}
