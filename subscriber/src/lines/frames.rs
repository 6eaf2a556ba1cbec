//! Frames of native stacks: function, line and owner of each return address.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use syclscope_language::event::FrameKind;

use super::elf::Elf;
use super::owner::{is_installed, is_notifier, kind_of_file, owner};
use super::split::DEBUG_FILES;
use super::symbols::{Symbols, readable};
use super::{Lines, file_of};
use crate::os::callers::Module;
use crate::record::stack::NativeStack;
use crate::target_process;

const START: &[&str] = &["_start", "__libc_start_main", "__libc_start_call_main"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeFrame {
    pub(crate) kind: FrameKind,
    /// True if the compiler inlined it into the next one.
    pub(crate) is_inlined: bool,
    pub(crate) module: Arc<str>,
    /// Offset in the module, 0 if the function or line is known.
    pub(crate) offset: u64,
    pub(crate) function: Arc<str>,
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Default)]
pub(super) struct Resolved {
    /// Frames by module and address.
    frames: HashMap<(Module, u64), Arc<[NativeFrame]>>,
    /// Paths by the loader's names.
    paths: HashMap<String, Arc<str>>,
    symbols: HashMap<Module, Symbols>,
}

impl Lines {
    /// Returns the frames of a stack, the innermost one first, without those of the recorder.
    pub(crate) fn frames(&mut self, stack: &NativeStack<'_>) -> Vec<NativeFrame> {
        let mut frames = Vec::new();
        for address in &stack.addresses {
            let module = stack.modules.iter().find(|(begin, end, _)| (*begin..*end).contains(address));
            let Some((begin, _, path)) = module else {
                frames.push(NativeFrame {
                    offset: *address,
                    ..NativeFrame::in_file("".into(), FrameKind::Other)
                });
                continue;
            };
            let path = self.resolved.path(path);
            let module = Module { path: path.to_string(), base: *begin };
            // The library that notifies the recorder is not one of the program's callers.
            if !is_notifier(&path) && !self.mapped.is_recorder(&module) {
                frames.extend_from_slice(&self.frames_at(module, &path, *address));
            }
        }
        if !stack.is_whole {
            frames.push(NativeFrame::in_file("".into(), FrameKind::Cut));
        }
        frames
    }

    fn frames_at(&mut self, module: Module, path: &Arc<str>, address: u64) -> Arc<[NativeFrame]> {
        let key = (module, address);
        if let Some(frames) = self.resolved.frames.get(&key) {
            return Arc::clone(frames);
        }
        let found: Arc<[NativeFrame]> = self.find_frames(&key.0, path, address).into();
        self.resolved.frames.insert(key, Arc::clone(&found));
        found
    }

    /// Returns the functions at an address, inlined ones first.
    fn find_frames(&mut self, module: &Module, path: &Arc<str>, address: u64) -> Vec<NativeFrame> {
        let owner = owner(path);
        let mut frames = Vec::new();
        // The return address may already belong to the next function.
        let place = address.saturating_sub(1);
        if let Some(loaded) = self.module(module.clone())
            && let Some(place) = place.checked_sub(loaded.offset)
            && let Ok(mut found) = loaded.context.find_frames(place).skip_all_loads()
        {
            while let Ok(Some(frame)) = found.next() {
                let function = frame.function.and_then(|function| {
                    let name = function.raw_name().ok()?;
                    Some(readable(name.as_bytes()))
                });
                let at = frame.location.as_ref();
                let place = at.and_then(|at| Some((at.file?, at.line?, at.column.unwrap_or(0))));
                let (file, line, column) = place.unwrap_or_default();
                if function.is_none() && file.is_empty() {
                    continue;
                }
                let kind = match owner {
                    FrameKind::Program => kind_of_file(file, is_installed(path)),
                    owner => owner,
                };
                let function = function.unwrap_or_default();
                frames.push(NativeFrame {
                    kind: if START.contains(&function.as_str()) { FrameKind::System } else { kind },
                    function: function.into(),
                    file: file.into(),
                    line,
                    column,
                    ..NativeFrame::in_file(Arc::clone(path), kind)
                });
            }
        }
        let inlined = frames.len().saturating_sub(1);
        frames[..inlined].iter_mut().for_each(|frame| frame.is_inlined = true);
        if frames.iter().all(|frame| frame.function.is_empty()) {
            let symbols = self.resolved.symbols.entry(module.clone()).or_insert_with(|| {
                let elf = file_of(module).and_then(Elf::read);
                elf.map(|elf| Symbols::read(&elf, Path::new(DEBUG_FILES))).unwrap_or_default()
            });
            let offset = if symbols.is_fixed { address } else { address.saturating_sub(module.base) };
            let function = symbols.function(offset.saturating_sub(1));
            let function: Arc<str> = function.unwrap_or_default().into();
            if let Some(last) = frames.last_mut() {
                last.function = function;
            } else {
                let kind = if START.contains(&&*function) { FrameKind::System } else { owner };
                let offset = if function.is_empty() { offset } else { 0 };
                frames.push(NativeFrame { function, offset, ..NativeFrame::in_file(Arc::clone(path), kind) });
            }
        }
        frames
    }
}

impl NativeFrame {
    fn in_file(module: Arc<str>, kind: FrameKind) -> Self {
        let (function, file) = (Arc::from(""), Arc::from(""));
        Self { kind, is_inlined: false, module, offset: 0, function, file, line: 0, column: 0 }
    }
}

impl Resolved {
    /// Returns the path for a loader's name, which is empty for the program.
    fn path(&mut self, path: &str) -> Arc<str> {
        if let Some(name) = self.paths.get(path) {
            return Arc::clone(name);
        }
        let whole = match (path, target_process::other()) {
            ("", Some(target)) => Some(target.program.clone()),
            ("", None) => std::env::current_exe().ok(),
            _ => std::fs::canonicalize(path).ok(),
        };
        let whole = whole.and_then(|whole| Some(whole.to_str()?.to_owned()));
        let whole: Arc<str> = whole.unwrap_or_else(|| path.to_owned()).into();
        self.paths.insert(path.to_owned(), Arc::clone(&whole));
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_no_file_is_shown_as_it_is() {
        let stack = NativeStack { number: 1, is_whole: false, addresses: vec![0x1234], modules: Vec::new() };
        let frames = Lines::default().frames(&stack);
        assert_eq!((frames[0].offset, frames[0].kind), (0x1234, FrameKind::Other));
        assert_eq!((frames[1].kind, frames.len()), (FrameKind::Cut, 2));
    }
}
