//! What memory a command touches, as far as the recording tells.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, NodeKind, Value};

use super::run::{Command, Run};
use crate::id::some;
use crate::query::report::copies::{Live, number};
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::query) enum Memory {
    /// A USM allocation, by row.
    Allocation(u32),
    /// A buffer or image, by row.
    Object(u32),
    /// The host's own, by address.
    Host(u64),
}

/// What a command touches, and whether it may write there; `None` if that is not wholly known.
pub(in crate::query) type Touched = Option<Vec<(Memory, bool)>>;

/// Answers for commands in the order of their submission.
pub(in crate::query) struct Touches {
    live: Live,
    /// Whether a process has USM: then a kernel may touch memory that none of its accessors names.
    has_usm: FxHashMap<u32, ()>,
}

impl Touches {
    pub(in crate::query) fn new(run: &Run<'_>) -> Self {
        let is_usm =
            |kind| matches!(kind, AllocationKind::Device | AllocationKind::Host | AllocationKind::Shared);
        let usm = run.trace.allocations.iter().filter(|row| is_usm(row.kind));
        Self { live: Live::new(run.trace), has_usm: usm.map(|row| (row.process, ())).collect() }
    }

    /// What a command touches. To be asked for in the order of submission.
    pub(in crate::query) fn of(&mut self, run: &Run<'_>, command: &Command) -> Touched {
        self.live.go_to(run.trace, command.begun);
        match command.kind {
            NodeKind::Copy | NodeKind::Fill => self.of_transfer(run, command),
            NodeKind::Kernel => self.of_kernel(run, command),
            _ => None,
        }
    }

    fn memory(&self, pointer: u64) -> Memory {
        self.live.at(pointer).map_or(Memory::Host(pointer), |(_, row)| Memory::Allocation(row))
    }

    fn of_transfer(&self, run: &Run<'_>, command: &Command) -> Touched {
        let objects = objects(run, command);
        if !objects.is_empty() {
            return Some(objects);
        }
        let call = run.call(command)?;
        let to = number(run.trace, call, "pDst").or_else(|| number(run.trace, call, "pMem"))?;
        let from = number(run.trace, call, "pSrc");
        if from.is_none() && command.kind == NodeKind::Copy {
            return None;
        }
        let read = from.map(|from| (self.memory(from), false));
        Some([(self.memory(to), true)].into_iter().chain(read).collect())
    }

    fn of_kernel(&self, run: &Run<'_>, command: &Command) -> Touched {
        let mut touched = objects(run, command);
        let call = run.call(command)?;
        let args = run.trace.slices.args.at(call);
        let mut types: Vec<(&str, &str)> = Vec::new();
        for (key, value) in run.trace.args.get(args, &run.trace.strings) {
            if let (Some(argument), Value::Str(text)) = (key.strip_suffix(".type"), value)
                && argument.starts_with("pArgs[")
            {
                types.push((argument, text));
            }
        }
        if types.is_empty() {
            // Its arguments were not recorded.
            let is_known = !touched.is_empty() && !self.has_usm.contains_key(&command.process);
            return is_known.then_some(touched);
        }
        let mut key = String::new();
        for (argument, kind) in types {
            if kind.contains("MEM_OBJ") && touched.is_empty() {
                return None;
            }
            if !kind.contains("POINTER") {
                continue;
            }
            key.clear();
            let _ = write!(key, "{argument}.value");
            let pointer = number(run.trace, call, &key)?;
            match self.memory(pointer) {
                // Not a pointer to any known memory: it may lead anywhere.
                Memory::Host(address) if address != 0 => return None,
                Memory::Host(_) => {}
                memory => touched.push((memory, true)),
            }
        }
        Some(touched)
    }
}

/// The buffers and images of a command's accessors.
fn objects(run: &Run<'_>, command: &Command) -> Vec<(Memory, bool)> {
    let accessors = run.trace.objects.accessors_of_node(command.node);
    let writes = |mode| run.trace.strings.get(mode) != "read";
    let mut touched: Vec<(Memory, bool)> =
        accessors.map(|row| (Memory::Object(row.object), writes(row.mode))).collect();
    for edge in run.trace.edges.incoming(command.node) {
        if let Some(object) = some(edge.object)
            && !touched.iter().any(|(memory, _)| *memory == Memory::Object(object))
        {
            touched.push((Memory::Object(object), true));
        }
    }
    touched
}
