//! The modules of the recorded process, by the addresses of their code.

use std::time::{Duration, Instant};

use crate::os::callers::{self, Module};
use crate::target_process;

/// Interval of reading the map of another process again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// The modules of the recorded process, from the loader of this process or from the kernel for another one.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Begin, end and module of each mapping of code in another process.
    mapped: Vec<(u64, u64, Module)>,
    looked: Option<Instant>,
    /// Number of unloads at the last reading of the map.
    unloaded: u64,
}

impl Modules {
    pub(super) fn module_at(&mut self, address: u64) -> Option<Module> {
        if target_process::other().is_none() {
            return callers::module_of(address);
        }
        if self.find(address).is_none() {
            self.look();
        }
        self.find(address).cloned()
    }

    /// Returns the number of unloads so far: while it is unchanged, an address lies in the same module.
    pub(super) fn unloads(&mut self) -> u64 {
        if target_process::other().is_none() {
            return callers::unloads();
        }
        if self.looked.is_none_or(|looked| looked.elapsed() > AGAIN_AFTER) {
            self.look();
        }
        self.unloaded
    }

    pub(super) fn is_recorder(&self, module: &Module) -> bool {
        let base = match target_process::other() {
            None => callers::recorder_base(),
            Some(target) => Some(target.recorder_base),
        };
        base == Some(module.base)
    }

    pub(super) fn is_program(module: &Module) -> bool {
        match target_process::other() {
            None => callers::program_base() == Some(module.base),
            Some(target) => target.program.as_os_str() == module.path.as_str(),
        }
    }

    fn find(&self, address: u64) -> Option<&Module> {
        let is_in = |(begin, end, _): &&(u64, u64, Module)| (*begin..*end).contains(&address);
        self.mapped.iter().find(is_in).map(|(_, _, module)| module)
    }

    fn look(&mut self) {
        self.looked = Some(Instant::now());
        let Ok(maps) = std::fs::read(target_process::file("maps")) else { return };
        let mapped = parse(&String::from_utf8_lossy(&maps));
        // The last map of an exited process is kept.
        if !mapped.is_empty() {
            self.unloaded += u64::from(self.mapped.iter().any(|module| !mapped.contains(module)));
            self.mapped = mapped;
        }
    }
}

/// Parses the mappings of files in a text like `/proc/self/maps`. A module's base is the mapping of the start of its
/// file.
fn parse(maps: &str) -> Vec<(u64, u64, Module)> {
    let mut mapped: Vec<(u64, u64, Module)> = Vec::new();
    for line in maps.lines() {
        let Some(path) = line.find('/').map(|place| line[place..].trim_end_matches(" (deleted)")) else {
            continue;
        };
        let mut words = line.split_ascii_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let Some((begin, end)) = range else { continue };
        let (Ok(begin), Ok(end)) = (u64::from_str_radix(begin, 16), u64::from_str_radix(end, 16)) else {
            continue;
        };
        let is_first = words.nth(1).is_some_and(|offset| offset.bytes().all(|digit| digit == b'0'));
        let before = mapped.last().filter(|(_, _, module)| module.path == path && !is_first);
        let base = before.map_or(begin, |(_, _, module)| module.base);
        mapped.push((begin, end, Module { path: path.to_owned(), base }));
    }
    mapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_begins_where_its_file_does() {
        let maps = "\
5500-5600 r--p 00000000 fe:01 1 /a/program
5600-5700 r-xp 00000100 fe:01 1 /a/program
6000-6100 rw-p 00000000 00:00 0 [heap]
7000-7100 r--p 00000000 fe:01 2 /a/b.so (deleted)
7100-7300 r-xp 00000100 fe:01 2 /a/b.so (deleted)
8000-8100 r--p 00000000 fe:01 2 /a/b.so
";
        let mapped = parse(maps);
        let seen: Vec<_> = mapped.iter().map(|(begin, _, module)| (*begin, module.base)).collect();
        assert_eq!(
            seen,
            [(0x5500, 0x5500), (0x5600, 0x5500), (0x7000, 0x7000), (0x7100, 0x7000), (0x8000, 0x8000)]
        );
        let modules = Modules { mapped, ..Modules::default() };
        assert_eq!(modules.find(0x56ff).unwrap().path, "/a/program");
        assert_eq!(modules.find(0x72ff).unwrap().path, "/a/b.so");
        assert_eq!(modules.find(0x6000), None);
    }
}
