//! Rules for calls that import, export and release native handles.

use syclscope_language::event::{
    Event, EventSink, HandleDirection, NativeHandle, NativeHandleRelease, Ownership,
};
use syclscope_language::time::Timestamp;

use super::calls::Call;
use crate::model::Model;
use crate::model::handles::Entered;
use crate::model::owned_location::OwnedLocation;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change<'f> {
    Leaves(&'f str),
    Enters(&'f str),
    Retain,
    Release,
}

fn change_of(function: &str) -> Option<Change<'_>> {
    let name = function.strip_prefix("ur")?;
    let name = name.strip_suffix("Exp").unwrap_or(name);
    if let Some(object) = name.strip_suffix("GetNativeHandle") {
        return Some(Change::Leaves(object));
    }
    if let Some(object) = name.strip_suffix("CreateWithNativeHandle") {
        return Some(Change::Enters(object));
    }
    match name {
        _ if name.ends_with("Retain") => Some(Change::Retain),
        _ if name.ends_with("Release") => Some(Change::Release),
        _ => None,
    }
}

/// Returns `image` for `MemImage`, and `command_buffer` for `CommandBuffer`.
fn object_name(object: &str) -> String {
    match object {
        "Mem" | "MemBuffer" => "mem".to_owned(),
        "MemImage" => "image".to_owned(),
        "GraphExecutableGraph" => "executable_graph".to_owned(),
        other => {
            let mut name = String::with_capacity(other.len() + 2);
            for character in other.chars() {
                if character.is_ascii_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(character.to_ascii_lowercase());
            }
            name
        }
    }
}

impl Model {
    pub(super) fn handle_call(
        &mut self,
        at: Timestamp,
        tid: u32,
        call: &Call<'_>,
        place: &OwnedLocation,
        sink: &mut dyn EventSink,
    ) {
        let Some(change) = change_of(call.function.name) else { return };
        // A call's subject is its first parameter; its object is the only result.
        let Some(first) = call.function.parameters.first().and_then(|first| call.word(first.name)) else {
            return;
        };
        let result = || {
            let slot = call.function.outputs.first()?;
            call.word(call.function.parameter(*slot)?.name)
        };
        match change {
            Change::Leaves(object) => {
                let Some(native) = result() else { return };
                sink.event(&Event::NativeHandle(NativeHandle {
                    at,
                    object: &object_name(object),
                    handle: first,
                    native,
                    direction: HandleDirection::Leaves,
                    ownership: Ownership::Other,
                    tid,
                    location: place.location(),
                }));
            }
            Change::Enters(object) => {
                let Some(handle) = result() else { return };
                // The command of an imported event is unknown; the handle may have been an earlier event's.
                self.events.remove(&handle);
                let object = object_name(object);
                let ownership = match call.field("pProperties", "isNativeHandleOwned") {
                    None => Ownership::Other,
                    Some(0) => Ownership::Keep,
                    Some(_) => Ownership::Transfer,
                };
                sink.event(&Event::NativeHandle(NativeHandle {
                    at,
                    object: &object,
                    handle,
                    native: first,
                    direction: HandleDirection::Enters,
                    ownership,
                    tid,
                    location: place.location(),
                }));
                let entered = self.handles.entered.entry(handle);
                entered.or_insert(Entered { object, references: 0 }).references += 1;
            }
            Change::Retain => {
                if let Some(entered) = self.handles.entered.get_mut(&first) {
                    entered.references += 1;
                }
            }
            Change::Release => {
                let Some(entered) = self.handles.entered.get_mut(&first) else { return };
                entered.references -= 1;
                if entered.references == 0
                    && let Some(Entered { object, .. }) = self.handles.entered.remove(&first)
                {
                    let object = object.as_str();
                    sink.event(&Event::NativeHandleRelease(NativeHandleRelease {
                        at,
                        object,
                        handle: first,
                        tid,
                    }));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_say_what_they_do() {
        assert_eq!(change_of("urMemGetNativeHandle"), Some(Change::Leaves("Mem")));
        assert_eq!(change_of("urCommandBufferGetNativeHandleExp"), Some(Change::Leaves("CommandBuffer")));
        assert_eq!(change_of("urMemImageCreateWithNativeHandle"), Some(Change::Enters("MemImage")));
        assert_eq!(change_of("urQueueRelease"), Some(Change::Release));
        assert_eq!(change_of("urCommandBufferRetainExp"), Some(Change::Retain));
        assert_eq!(change_of("urQueueCreate"), None);
        let names = ["Platform", "MemImage", "MemBuffer", "CommandBuffer"].map(object_name);
        assert_eq!(names, ["platform", "image", "mem", "command_buffer"]);
    }
}
