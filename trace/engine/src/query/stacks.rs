//! Call stacks as answers show them.

use syclscope_language::api::StackFrameInfo;
use syclscope_language::event::FrameKind;

use super::detail::location;
use crate::store::Trace;
use crate::store::stacks::FrameRow;

impl Trace {
    /// The frames of a stack, the innermost first.
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

    /// The shown name of a frame: the function, else the file of machine code and the offset in it.
    pub(crate) fn frame_name(&self, frame: &FrameRow) -> String {
        let function = self.locations.place(frame.location, &self.strings).map_or("", |place| place.function);
        let module = self.strings.get(frame.module);
        let module = module.rsplit('/').next().unwrap_or_default();
        match (function, frame.kind) {
            ("", FrameKind::Cut) => "further callers, not recorded".to_owned(),
            ("", _) if module.is_empty() => format!("{:#x}", frame.offset),
            ("", _) if frame.offset == 0 => module.to_owned(),
            ("", _) => format!("{module}+{:#x}", frame.offset),
            (function, _) => function.to_owned(),
        }
    }
}
