//! Call stacks of the next records, and of the current one.
//!
//! Python frames replace the interpreter's own. The number of a frame identifies it with all outer frames.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::{CALL_STACK, Event, EventSink, FrameKind, SourceLocation, StackFrame, Value};
use syclscope_language::time::Timestamp;

use crate::lines::{NativeFrame, is_installed};
use crate::record::stack::{PythonRecord, PythonStack};

const EXECUTES: &str = "PyEval_EvalFrame";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    kind: FrameKind,
    is_inlined: bool,
    module: Arc<str>,
    offset: u64,
    function: Arc<str>,
    file: Arc<str>,
    line: u32,
    column: u32,
}

#[derive(Default)]
pub(super) struct Stacks {
    native: FxHashMap<u64, Vec<Frame>>,
    /// Each frame with true if it was called by native code.
    python: FxHashMap<u64, Vec<(Frame, bool)>>,
    /// The innermost frame of each pair of a native stack and a Python stack.
    innermost: FxHashMap<(u64, u64), Option<u64>>,
    /// Number of a frame, by its caller's.
    frames: FxHashMap<(Option<u64>, Frame), u64>,
    /// The last stack of each thread, and the time of its record.
    last: FxHashMap<u32, (u64, Option<u64>)>,
    current: Option<u64>,
}

impl Stacks {
    pub(super) fn has_native(&self, number: u64) -> bool {
        self.native.contains_key(&number)
    }

    pub(super) fn add_native(&mut self, number: u64, frames: Vec<NativeFrame>) {
        self.native.insert(number, frames.into_iter().map(Frame::from).collect());
    }

    pub(super) fn add_python(&mut self, stack: &PythonStack<'_>) {
        let PythonStack { number, frames } = stack;
        self.python.entry(*number).or_insert_with(|| {
            frames.iter().map(|frame| (Frame::of_python(frame), frame.is_entry)).collect()
        });
    }

    pub(super) fn add(
        &mut self,
        (thread, at_ns, at): (u32, u64, Timestamp),
        (native, python): (u64, u64),
        sink: &mut dyn EventSink,
    ) {
        let innermost = self.innermost(at, (native, python), sink);
        self.last.insert(thread, (at_ns, innermost));
    }

    /// Returns the innermost frame of a pair of stacks, after announcing new frames.
    pub(super) fn innermost(
        &mut self,
        at: Timestamp,
        (native, python): (u64, u64),
        sink: &mut dyn EventSink,
    ) -> Option<u64> {
        if let Some(number) = self.innermost.get(&(native, python)) {
            return *number;
        }
        let (of_native, of_python) = (self.native.get(&native), self.python.get(&python));
        // A stack whose record was lost with an earlier writer may come from another thread.
        let is_whole = (native == 0 || of_native.is_some()) && (python == 0 || of_python.is_some());
        let frames = merged(of_native.map_or(&[], Vec::as_slice), of_python.map_or(&[], Vec::as_slice));
        let innermost = self.announce(at, frames, sink);
        if is_whole {
            self.innermost.insert((native, python), innermost);
        }
        innermost
    }

    pub(super) fn begin(&mut self, thread: u32, at_ns: u64) {
        if !self.last.is_empty() {
            let last = self.last.get(&thread).filter(|(at, _)| *at == at_ns);
            self.current = last.and_then(|(_, stack)| *stack);
        }
    }

    pub(super) fn arg(&self) -> Option<(&'static str, Value<'static>)> {
        self.current.map(|stack| (CALL_STACK, Value::Uint(stack)))
    }

    fn announce(&mut self, at: Timestamp, frames: Vec<Frame>, sink: &mut dyn EventSink) -> Option<u64> {
        let mut caller = None;
        for frame in frames.into_iter().rev() {
            let next = self.frames.len() as u64 + 1;
            let key = (caller, frame);
            if let Some(number) = self.frames.get(&key) {
                caller = Some(*number);
                continue;
            }
            sink.event(&Event::StackFrame(key.1.event(next, caller, at)));
            self.frames.insert(key, next);
            caller = Some(next);
        }
        caller
    }
}

/// Replaces the interpreter's frames in a native stack by the Python frames. Both have the innermost frame first.
fn merged(native: &[Frame], python: &[(Frame, bool)]) -> Vec<Frame> {
    if python.is_empty() {
        return native.to_vec();
    }
    let mut frames = Vec::with_capacity(native.len() + python.len());
    let mut left = python.iter();
    for run in native.chunk_by(|a, b| a.kind == b.kind) {
        if run.first().is_none_or(|frame| frame.kind != FrameKind::Interpreter) {
            frames.extend_from_slice(run);
            continue;
        }
        let has_names = run.iter().any(|frame| !frame.function.is_empty());
        let executes = run.iter().filter(|frame| frame.function.contains(EXECUTES)).count();
        // Without symbols, only the presence of executing code is known, not the number of its calls.
        let entries = if has_names { executes } else { executes.max(1) };
        for _ in 0..entries {
            for (frame, is_entry) in left.by_ref() {
                frames.push(frame.clone());
                if *is_entry {
                    break;
                }
            }
        }
    }
    let rest: Vec<Frame> = left.map(|(frame, _)| frame.clone()).collect();
    // Frames without a position are put inside all native ones except those that start the program.
    let place = match frames.iter().rposition(|frame| frame.kind != FrameKind::System) {
        Some(last) if frames[last].kind != FrameKind::Cut => last + 1,
        Some(last) => last,
        None => 0,
    };
    frames.splice(place..place, rest);
    frames
}

impl Frame {
    fn of_python(frame: &PythonRecord<'_>) -> Self {
        let is_package = is_installed(&frame.file) || frame.file.starts_with("<frozen");
        let kind = if frame.is_users || !is_package { FrameKind::Python } else { FrameKind::Package };
        Self {
            kind,
            is_inlined: false,
            module: "".into(),
            offset: 0,
            function: frame.function.as_ref().into(),
            file: frame.file.as_ref().into(),
            line: frame.line,
            column: 0,
        }
    }

    fn event(&self, frame: u64, caller: Option<u64>, at: Timestamp) -> StackFrame<'_> {
        let Self { function, file, line, column, .. } = self;
        StackFrame {
            at,
            frame,
            caller,
            kind: self.kind,
            is_inlined: self.is_inlined,
            module: &self.module,
            offset: self.offset,
            location: SourceLocation { function, file, line: *line, column: *column },
        }
    }
}

impl From<NativeFrame> for Frame {
    fn from(frame: NativeFrame) -> Self {
        let NativeFrame { kind, is_inlined, module, offset, function, file, line, column } = frame;
        Self { kind, is_inlined, module, offset, function, file, line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: FrameKind, function: &str) -> Frame {
        let (module, file) = ("".into(), "".into());
        Frame {
            kind,
            is_inlined: false,
            module,
            offset: 0,
            function: function.into(),
            file,
            line: 1,
            column: 0,
        }
    }

    fn shown(native: &[(FrameKind, &str)], python: &[(&str, bool)]) -> String {
        let native: Vec<Frame> = native.iter().map(|(kind, name)| frame(*kind, name)).collect();
        let python: Vec<_> =
            python.iter().map(|(name, is_entry)| (frame(FrameKind::Python, name), *is_entry)).collect();
        let frames = merged(&native, &python);
        frames.iter().map(|frame| &*frame.function).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn frames_of_python_stand_where_the_interpreter_executes_them() {
        use FrameKind::{Interpreter, Program, System};
        let (eval, call) = ((Interpreter, "_PyEval_EvalFrameDefault"), (Interpreter, "PyObject_Call"));
        let native = [(Program, "inner"), call, eval, (Program, "outer"), eval, call, (System, "start")];
        let python = [("c", false), ("b", true), ("a", true)];
        assert_eq!(shown(&native, &python), "inner c b outer a start");
        // An interpreter without symbols.
        let bare = (Interpreter, "");
        let native = [(Program, "inner"), bare, bare, (System, "start")];
        assert_eq!(shown(&native, &[("b", true), ("a", true)]), "inner b a start");
        assert_eq!(shown(&[], &python), "c b a");
        assert_eq!(shown(&[(Program, "inner"), eval], &[]), "inner _PyEval_EvalFrameDefault");
    }

    #[test]
    fn a_stack_is_for_the_record_of_its_thread_and_time() {
        struct Count(usize);
        impl EventSink for Count {
            fn event(&mut self, _: &Event<'_>) {
                self.0 += 1;
            }
        }
        let (mut stacks, mut sink) = (Stacks::default(), Count(0));
        stacks.native.insert(5, vec![frame(FrameKind::Program, "a"), frame(FrameKind::Program, "main")]);
        stacks.native.insert(6, vec![frame(FrameKind::Program, "b"), frame(FrameKind::Program, "main")]);
        stacks.add((7, 100, Timestamp(0)), (5, 0), &mut sink);
        stacks.begin(7, 100);
        assert_eq!(stacks.arg(), Some((CALL_STACK, Value::Uint(2))));
        for (thread, at) in [(8, 100), (7, 101)] {
            stacks.begin(thread, at);
            assert_eq!(stacks.arg(), None);
        }
        stacks.add((7, 200, Timestamp(0)), (6, 0), &mut sink);
        stacks.add((7, 300, Timestamp(0)), (5, 0), &mut sink);
        assert_eq!(sink.0, 3, "the outer frame is shared");
        stacks.add((7, 400, Timestamp(0)), (99, 0), &mut sink);
        stacks.begin(7, 400);
        assert_eq!(stacks.arg(), None, "its record was lost");
        stacks.native.insert(99, vec![frame(FrameKind::Program, "a"), frame(FrameKind::Program, "main")]);
        stacks.add((8, 500, Timestamp(0)), (99, 0), &mut sink);
        stacks.begin(8, 500);
        assert_eq!(stacks.arg(), Some((CALL_STACK, Value::Uint(2))), "another thread has sent it");
    }
}
