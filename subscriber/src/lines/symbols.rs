//! Names of functions from a file's symbols, for code without debug information.

use std::cmp::Reverse;
use std::path::Path;

use super::elf::{Elf, Function};
use super::split;

#[derive(Default)]
pub(super) struct Symbols {
    functions: Vec<Function>,
    /// True if addresses in the file are those in memory.
    pub(super) is_fixed: bool,
}

impl Symbols {
    /// Reads the functions of a file. If it has exported ones only, the others may have been split off.
    pub(super) fn read(elf: &Elf, debug_files: &Path) -> Self {
        let split = match elf.has_symbols() {
            true => None,
            false => split::find(elf, debug_files, Elf::has_symbols).ok().flatten(),
        };
        let mut functions = split.map_or_else(Vec::new, |split| split.functions());
        if functions.is_empty() {
            functions = elf.functions();
        }
        Self { functions: one_each(functions), is_fixed: elf.is_fixed }
    }

    /// Returns the function at an address, named as in its source.
    pub(super) fn function(&self, address: u64) -> Option<String> {
        let next = self.functions.partition_point(|(begin, ..)| *begin <= address);
        let (begin, size, name) = self.functions.get(next.checked_sub(1)?)?;
        // Assembly functions may have no size.
        let is_in = address - begin < (*size).max(1) || *size == 0;
        is_in.then(|| readable(name))
    }
}

/// Keeps one function per address: the largest, and among equal ones the longest name, which is the most informative.
fn one_each(mut functions: Vec<Function>) -> Vec<Function> {
    functions.sort_unstable_by_key(|(address, size, name)| (*address, Reverse(*size), Reverse(name.len())));
    functions.dedup_by_key(|(address, ..)| *address);
    functions
}

/// Returns a function's demangled name, without parameters and return type.
pub(crate) fn readable(name: &[u8]) -> String {
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let demangled =
        cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    demangled.unwrap_or_else(|| String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_in_the_source() {
        for (name, want) in [
            ("main", "main"),
            ("_Z4stepRN4sycl3_V15queueEi", "step"),
            ("_ZN6Solver7advanceEd", "Solver::advance"),
            ("_Znot_a_name", "_Znot_a_name"),
        ] {
            assert_eq!(readable(name.as_bytes()), want);
        }
    }

    #[test]
    fn of_several_names_at_an_address_the_longest_one_stays() {
        let function = |begin, size, name: &str| (begin, size, name.as_bytes().to_vec());
        let found = one_each(vec![
            function(100, 8, "z"),
            function(50, 0, "before"),
            function(100, 8, "a_longer_name"),
            function(100, 0, "the_longest_name_without_a_size"),
        ]);
        assert_eq!(found, [function(50, 0, "before"), function(100, 8, "a_longer_name")]);
    }

    #[test]
    fn an_address_is_in_the_function_around_it() {
        let function = |begin, size, name: &str| (begin, size, name.as_bytes().to_vec());
        let functions = vec![function(100, 10, "one"), function(110, 0, "bare"), function(200, 4, "two")];
        let symbols = Symbols { functions, is_fixed: false };
        let found = |address| symbols.function(address);
        assert_eq!([found(99), found(204)], [None, None]);
        assert_eq!([found(100), found(109)], [Some("one".to_owned()), Some("one".to_owned())]);
        assert_eq!([found(150), found(203)], [Some("bare".to_owned()), Some("two".to_owned())]);
    }
}
