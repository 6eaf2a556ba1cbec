//! The stack frames that events refer to by name.

use rustc_hash::FxHashMap;

use super::record::text_of;
use super::scanner::{Flaw, Raw, Scanner};
use crate::budget::Budget;
use crate::import::limits::MAX_STACK_FRAMES;

/// Maximum number of reported frames of an event's stack.
const MAX_FRAMES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct StackFrames {
    frames: FxHashMap<String, Frame>,
}

#[derive(Debug)]
struct Frame {
    name: String,
    parent: Option<String>,
}

impl StackFrames {
    /// Reads a frame with its name; `false` if there are too many.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<bool, Flaw> {
        scanner.peek();
        let key = text_of(scanner.string()?);
        scanner.expect(b':')?;
        let mut frame = Frame { name: String::new(), parent: None };
        scanner.object(|scanner, key| {
            match (key.bytes, scanner.value()?) {
                (b"name", Raw::String(text)) => frame.name = text_of(text),
                (b"parent", Raw::String(text)) => frame.parent = Some(text_of(text)),
                (b"parent", Raw::Number(number)) => frame.parent = Some(number.to_owned()),
                _ => {}
            }
            Ok(())
        })?;
        let has_room = self.frames.len() < MAX_STACK_FRAMES;
        if has_room {
            self.frames.insert(key, frame);
        }
        Ok(has_room)
    }

    /// Returns the stack with a named innermost frame, innermost first; `None` if there is no such frame, or no memory
    /// for the text.
    pub(super) fn stack(&self, innermost: &str, budget: &Budget) -> Option<String> {
        let mut frame = self.frames.get(innermost)?;
        let mut names = vec![frame.name.as_str()];
        for _ in 1..MAX_FRAMES {
            let Some(next) = frame.parent.as_ref().and_then(|parent| self.frames.get(parent)) else { break };
            names.push(&next.name);
            frame = next;
        }
        let bytes = names.iter().map(|name| name.len()).sum();
        budget.has_room_for_copy(bytes).then(|| names.join(" ← "))
    }
}
