//! The line of the program that called, by the addresses on the stack.
//!
//! The runtime does not say where the program waits for an event. The program's own debug information does, if it was
//! compiled with it (`-g`): it is read on the writer's thread, when the first address of a file is asked for.

mod elf;

use std::collections::HashMap;
use std::sync::Arc;

use crate::os::callers::{Module, module_of};

type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;
type Context = addr2line::Context<Reader>;

/// How the file names of modules begin that are between the program and the recorder.
const BETWEEN: &[&str] = &["libsycl.", "libxptifw.", "libpi_", "libur_", "libstdc++.", "libc.", "libc++"];
/// Folders of headers whose inlined functions call for the program.
const HEADERS: &[&str] = &["/include/sycl/", "/include/c++/"];

/// A line of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Address to which the call returns.
    pub(crate) address: u64,
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// What is known of the lines of the program.
#[derive(Default)]
pub(crate) struct Lines {
    /// By the begin of a module: its debug information, if it has any.
    modules: HashMap<u64, Option<Loaded>>,
    /// By return address.
    known: HashMap<u64, Option<Line>>,
}

struct Loaded {
    context: Context,
    /// What to take from an address to get the file's.
    offset: u64,
}

impl Lines {
    /// The line of the program that the innermost of some callers is in, of those that are not the runtime's.
    pub(crate) fn caller(&mut self, callers: &[u64]) -> Option<Line> {
        callers.iter().find_map(|address| self.line(*address))
    }

    fn line(&mut self, address: u64) -> Option<Line> {
        let Self { modules, known } = self;
        known.entry(address).or_insert_with(|| find(modules, address)).clone()
    }
}

fn find(modules: &mut HashMap<u64, Option<Loaded>>, address: u64) -> Option<Line> {
    let module = module_of(address)?;
    let loaded = modules.entry(module.base).or_insert_with(|| load(&module)).as_ref()?;
    // The call ends where it returns to.
    let place = address.checked_sub(1)?.checked_sub(loaded.offset)?;
    let mut frames = loaded.context.find_frames(place).skip_all_loads().ok()?;
    // Inlined functions come first, the one that they are inlined into last.
    while let Ok(Some(frame)) = frames.next() {
        let Some(location) = frame.location else { continue };
        if let (Some(file), Some(line)) = (location.file, location.line)
            && !HEADERS.iter().any(|folder| file.contains(folder))
        {
            return Some(Line { address, file: file.into(), line, column: location.column.unwrap_or(0) });
        }
    }
    None
}

/// The debug information of a module that may be the program's.
fn load(module: &Module) -> Option<Loaded> {
    let is_own = module_of(load as *const () as u64).is_some_and(|own| own.base == module.base);
    let name = module.path.rsplit('/').next().unwrap_or_default();
    if is_own || BETWEEN.iter().any(|begin| name.starts_with(begin)) {
        return None;
    }
    // The loader knows the program by the name that it was called by, from a folder that it may have left.
    let file = std::fs::File::open("/proc/self/exe").ok().filter(|_| !module.path.contains(".so"));
    let file = file.or_else(|| std::fs::File::open(&module.path).ok())?;
    let elf = elf::Elf::read(&file)?;
    let section = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
        let bytes = elf.section(&file, id.name()).unwrap_or_default();
        Ok(Reader::new(bytes.into(), gimli::LittleEndian))
    };
    let context = Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok()?;
    Some(Loaded { context, offset: if elf.is_fixed { 0 } else { module.base } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::callers::Callers;

    #[test]
    fn the_recorder_is_no_caller() {
        let callers = Callers::here();
        assert!(!callers.addresses().is_empty());
        assert_eq!(Lines::default().caller(callers.addresses()), None);
        assert_eq!(Lines::default().caller(&[0, 1, u64::MAX]), None);
    }
}
