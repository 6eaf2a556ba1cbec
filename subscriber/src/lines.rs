//! Source lines of the program's calls, by the return addresses on the stack.
//!
//! The runtime doesn't report where the program waits for an event. The program's debug information does, if it was
//! compiled with `-g`: the writer's thread reads it for the first address in a file.

mod elf;
mod frames;
mod modules;
mod owner;
mod packed;
mod refused;
mod split;
mod symbols;

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::os::callers::Module;
use crate::target_process;
use elf::Elf;
pub(crate) use frames::NativeFrame;
use frames::Resolved;
use modules::Modules;
pub(crate) use owner::is_installed;
use owner::{is_of_header, is_users, owner};
use refused::Refused;
use syclscope_language::event::FrameKind;
pub(crate) use symbols::readable;

type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;
type Context = addr2line::Context<Reader>;

/// Maximum total size of debug information in the program's memory, in bytes.
const MAX_BYTES: u64 = 256 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Return address.
    pub(crate) address: u64,
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Default)]
pub(crate) struct Lines {
    mapped: Modules,
    modules: HashMap<Module, Option<Loaded>>,
    /// Lines by return address, valid until a module is unloaded.
    lines: HashMap<u64, Option<Line>>,
    resolved: Resolved,
    /// Number of unloads for which `lines` is valid.
    unloads: u64,
    notes: Vec<String>,
}

struct Loaded {
    context: Context,
    /// Address in memory minus address in the file.
    offset: u64,
    size_bytes: u64,
}

impl Lines {
    /// Returns the line of the innermost caller outside the runtime.
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

    /// Forgets addresses if modules were unloaded, because other modules may have their addresses now.
    fn keep_what_stays(&mut self, unloads: u64) {
        if std::mem::replace(&mut self.unloads, unloads) == unloads {
            return;
        }
        self.lines.clear();
        let Self { modules, mapped, .. } = self;
        modules.retain(|module, _| mapped.module_at(module.base).as_ref() == Some(module));
    }

    fn line(&mut self, address: u64) -> Option<Line> {
        if let Some(line) = self.lines.get(&address) {
            return line.clone();
        }
        let line = self.find(address);
        self.lines.insert(address, line.clone());
        line
    }

    fn find(&mut self, address: u64) -> Option<Line> {
        let module = self.mapped.module_at(address)?;
        let is_in_package = is_installed(&module.path);
        let loaded = self.module(module)?;
        // The return address may already belong to the next line or function.
        let place = address.checked_sub(1)?.checked_sub(loaded.offset)?;
        let mut frames = loaded.context.find_frames(place).skip_all_loads().ok()?;
        // The innermost inlined function comes first, the enclosing function last.
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
            let used_bytes: u64 = self.modules.values().flatten().map(|loaded| loaded.size_bytes).sum();
            let loaded = match self.mapped.is_recorder(&module) {
                true => Ok(None),
                false => load(&module, MAX_BYTES.saturating_sub(used_bytes), Path::new(split::DEBUG_FILES)),
            };
            let loaded = loaded.unwrap_or_else(|refused| {
                self.notes.push(format!("waits and call stacks in {} have no lines: {refused}", module.path));
                None
            });
            self.modules.insert(module.clone(), loaded);
        }
        self.modules.get(&module)?.as_ref()
    }
}

/// Reads the debug information of a module, its own or split off into another file, if it needs at most `most_bytes`.
/// `None` if the module is not the program's.
fn load(module: &Module, most_bytes: u64, debug_files: &Path) -> Result<Option<Loaded>, Refused> {
    if owner(&module.path) != FrameKind::Program {
        return Ok(None);
    }
    let Some(elf) = file_of(module).and_then(Elf::read) else { return Ok(None) };
    let elf = match elf.has_lines() {
        true => elf,
        false => match split::find(&elf, debug_files, Elf::has_lines)? {
            Some(split) => split,
            None => return Ok(None),
        },
    };
    let mut size_bytes = elf.lines_bytes().ok_or(Refused::Damaged)?;
    if size_bytes > most_bytes {
        return Err(Refused::TooLarge);
    }
    let section = |elf: &Elf, id: gimli::SectionId| -> Result<Reader, Refused> {
        let bytes = elf.section(id.name()).ok_or(Refused::Damaged)?;
        Ok(Reader::new(bytes.into(), gimli::LittleEndian))
    };
    let mut dwarf = gimli::Dwarf::load(|id| section(&elf, id))?;
    // Without the shared file only names are missing.
    if let Some(shared) = split::shared(&elf, debug_files)
        && let Some(bytes) = shared.lines_bytes()
        && bytes <= most_bytes - size_bytes
        && dwarf.load_sup(|id| section(&shared, id)).is_ok()
    {
        size_bytes += bytes;
    }
    let context = Context::from_dwarf(dwarf);
    let offset = if elf.is_fixed { 0 } else { module.base };
    Ok(context.ok().map(|context| Loaded { context, offset, size_bytes }))
}

/// Opens the file of a module. The program's path may be relative to a folder that it has left, so the kernel's link is
/// opened instead.
fn file_of(module: &Module) -> Option<File> {
    let program = Modules::is_program(module).then(|| File::open(target_process::file("exe")).ok()).flatten();
    program.or_else(|| File::open(&module.path).ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

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
        let inode = |module: &Module| file_of(module).unwrap().metadata().unwrap().ino();
        let inode_at = |path: &Path| std::fs::metadata(path).unwrap().ino();
        // The loader's name of a program that was started from a folder like this, and has left it.
        let program = Module { path: "built.so.d/program".to_owned(), base: program_base().unwrap() };
        assert_eq!(inode(&program), inode_at(Path::new("/proc/self/exe")));
        let plugin = Module { path: plugin.to_str().unwrap().to_owned(), base: program.base + (1 << 30) };
        assert_eq!(inode(&plugin), inode_at(Path::new(&plugin.path)));
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
            elf::write(&path, 0, &[(".debug_line", 0)], &[]);
            let module = Module { path: path.to_str().unwrap().to_owned(), base: 1 << 40 };
            assert_eq!(load(&module, MAX_BYTES, folder.path()).unwrap().is_some(), has_lines, "{name}");
        }
    }

    #[test]
    fn what_addresses_mean_is_asked_again_when_a_module_has_gone() {
        let mut lines = Lines::default();
        let line = Line { address: 4, file: "gone.cpp".into(), line: 1, column: 1 };
        let stays = module_of(load as *const () as u64).unwrap();
        let gone = Module { path: "/gone.so".to_owned(), ..stays.clone() };
        lines.keep_what_stays(1);
        lines.lines.insert(4, Some(line.clone()));
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
            elf::write(&path, flags, sizes, b"ZLIB\0\0\xff\0\0\0\0\0");
            Module { path: path.to_str().unwrap().to_owned(), base }
        };
        let mut lines = Lines::default();
        // Sections of other kinds don't count, however large: the file has no bytes there.
        let half = MAX_BYTES / 2;
        let first = module("first", 1 << 40, 0, &[(".debug_line", 0), (".debug_loc", 1 << 50)]);
        assert!(lines.module(first).is_some());
        let many = module("many", 2 << 40, 0, &[(".debug_line", 0), (".debug_info", half + 1)]);
        assert_eq!(load(&many, half, folder.path()).err(), Some(Refused::TooLarge));
        let bomb = module("bomb", 3 << 40, elf::COMPRESSED, &[(".debug_line", 12)]);
        assert_eq!(load(&bomb, half, folder.path()).err(), Some(Refused::TooLarge));
        let damaged = module("damaged", 4 << 40, elf::COMPRESSED, &[(".debug_line", 11)]);
        assert!(lines.module(damaged.clone()).is_none() && lines.module(damaged).is_none());
        let notes = lines.take_notes();
        assert!(
            matches!(notes.as_slice(), [note] if note.contains("/damaged have no lines: its debug information is damaged")),
            "{notes:?}"
        );
        // Half of the limit is used.
        for loaded in lines.modules.values_mut().flatten() {
            loaded.size_bytes = half;
        }
        assert!(lines.module(many).is_none());
        assert!(matches!(lines.take_notes().as_slice(), [note] if note.contains("/many have no lines")));
        assert!(lines.take_notes().is_empty());
    }
}
