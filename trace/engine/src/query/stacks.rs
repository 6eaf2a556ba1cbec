//! Call stacks in answers.

use std::borrow::Cow;

use syclscope_language::api::{GapClass, StackFrameInfo};
use syclscope_language::event::FrameKind;

use super::detail::location;
use crate::id::StringId;
use crate::store::Trace;
use crate::store::stacks::FrameRow;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    Name(StringId),
    /// Path of machine code, without its folder.
    File(StringId),
    /// Address of machine code outside of any file.
    Address(u64),
    /// Callers that were not recorded.
    Cut,
    /// A thread blocked in a system call: its number plus one.
    Blocked(u32),
    /// No function: the class of idle time.
    Idle(GapClass),
}

impl Function {
    pub(crate) fn new(trace: &Trace, frame: &FrameRow) -> Self {
        let name = trace.locations.get(frame.location.0).map_or(StringId::default(), |row| row.function);
        if !trace.strings.get(name).is_empty() {
            Self::Name(name)
        } else if frame.kind == FrameKind::Cut {
            Self::Cut
        } else if file_name(trace, frame.module).is_empty() {
            Self::Address(frame.offset)
        } else {
            Self::File(frame.module)
        }
    }

    pub(crate) fn text(self, trace: &Trace) -> Cow<'_, str> {
        match self {
            Self::Name(name) => trace.strings.get(name).into(),
            Self::File(file) => file_name(trace, file).into(),
            Self::Address(address) => format!("{address:#x}").into(),
            Self::Cut => "further callers, not recorded".into(),
            Self::Idle(class) => class.as_words().into(),
            Self::Blocked(call) => super::sampled::blocked_in(call).into(),
        }
    }
}

fn file_name(trace: &Trace, path: StringId) -> &str {
    trace.strings.get(path).rsplit('/').next().unwrap_or_default()
}

impl Trace {
    /// Returns the frames of a stack, the innermost first.
    pub(crate) fn stack_frames(&self, innermost: Option<u32>) -> Vec<StackFrameInfo> {
        let frames = innermost.into_iter().flat_map(|frame| self.stacks.outwards(frame));
        frames.map(|(_, frame)| self.stack_frame(&frame)).collect()
    }

    fn stack_frame(&self, frame: &FrameRow) -> StackFrameInfo {
        StackFrameInfo {
            kind: frame.kind,
            is_inlined: frame.is_inlined,
            name: self.frame_name(frame),
            module: self.strings.get(frame.module).to_owned(),
            location: location(self, frame.location),
        }
    }

    /// Returns the displayed name of a frame: the function, else the file of machine code and the offset in it.
    pub(crate) fn frame_name(&self, frame: &FrameRow) -> String {
        let function = Function::new(self, frame);
        let text = function.text(self);
        match function {
            Function::File(_) if frame.offset > 0 => format!("{text}+{:#x}", frame.offset),
            _ => text.into_owned(),
        }
    }
}
