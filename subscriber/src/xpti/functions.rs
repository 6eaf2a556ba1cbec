//! Descriptions of recorded functions, keyed by name.
//!
//! Function numbers change between versions, names do not; numbers only index a cache of this process. A function's
//! description is created at its first call, and kept.

mod generation;
mod names;
mod parameter;
mod role;
mod table;

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

pub(crate) use names::{Names, Property};
use parameter::Parameter;
pub(crate) use parameter::{Pointee, Scalar, Shape, Slot, Structure};
pub(crate) use role::{Role, command_kind};
use syclscope_language::event::NodeKind;
pub(crate) use table::Interface;
use table::Table;

use crate::config::{Detail, detail};
use crate::shared_page::NameKind;

/// The parameter of a launch that lists the kernel's arguments.
const KERNEL_ARGUMENTS: &str = "pArgs";
/// Prefix of functions that append a command to a command graph.
const APPEND: &str = "urCommandBufferAppend";
/// Parameters that make a call return only when its command has ended.
const BLOCKING: [&str; 4] = ["blocking", "blockingRead", "blockingWrite", "blockingMap"];

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// The equivalent function of the Unified Runtime; its own name if there is none.
    pub(crate) ur_name: &'static str,
    pub(crate) interface: Interface,
    pub(crate) role: Role,
    /// True if its parameters are copied whatever the level of detail, because the model follows it.
    pub(crate) is_followed: bool,
    pub(crate) is_build: bool,
    /// True if events of its calls have a source location: those of command graphs and of native handles.
    pub(crate) has_place: bool,
    pub(crate) is_append: bool,
    /// True if it returns a property whose type depends on another parameter.
    pub(crate) has_property: bool,
    /// In call order; empty if the table lacks the function.
    pub(crate) parameters: Vec<Parameter>,
    /// Sizes of the parameters in bytes; 0 for a structure by value.
    pub(crate) widths: Vec<u8>,
    /// Offset of each parameter, if they are contiguous or in a structure.
    pub(crate) offsets: Vec<u16>,
    /// Parameters whose pointees are copied when the call starts.
    pub(crate) pointees: Vec<Pointee>,
    /// Parameters whose pointees are copied when the call has succeeded.
    pub(crate) outputs: Vec<Slot>,
    /// Sizes of the results in bytes; 0 for those of several values.
    pub(crate) output_widths: Vec<u8>,
    /// `phEvent` of a call that enqueues a command.
    pub(crate) event: Slot,
    /// `hQueue` of any call.
    pub(crate) any_queue: Slot,
    /// `hQueue` of a call that enqueues a command, or waits for a queue.
    pub(crate) queue: Slot,
    /// `phEventWaitList` of a call that waits.
    pub(crate) awaited: Slot,
    /// `phEventWaitList` of any call.
    pub(crate) dependences: Slot,
    pub(crate) launch: LaunchSlots,
    /// Parameter that makes the call return only when the command has ended, if there is one.
    pub(crate) blocking: Slot,
    /// `pProperties` of `urQueueCreate`.
    pub(crate) properties: Slot,
    /// True once a call was seen whose parameters were at the expected places.
    pub(crate) is_trusted: AtomicBool,
    /// The marks of its parameters' names.
    name_marks: u64,
}

/// Positions of the parameters of a kernel's launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchSlots {
    pub(crate) kernel: Slot,
    pub(crate) dimensions: Slot,
    pub(crate) global_size: Slot,
    pub(crate) local_size: Slot,
}

impl Function {
    fn new(interface: Interface, name: &'static str) -> Self {
        generation::generation(interface, Table::get(interface));
        let find = |name: &str| Table::get(interface).line(interface, name);
        let line = find(name).filter(|line| line.kind == "fn" && generation::is_known(interface));
        let mut parameters = line.and_then(|line| parameter::parse(line, &find)).unwrap_or_default();
        if detail() < Detail::High {
            // Every launch has a structure for each argument of its kernel: more data than everything else together.
            for parameter in parameters.iter_mut().filter(|parameter| parameter.name == KERNEL_ARGUMENTS) {
                parameter.shape = Shape::Hidden;
            }
        }
        let slots_of = |is_wanted: fn(Shape) -> bool| {
            let slots = parameters.iter().zip(0_u8..).filter(|(parameter, _)| is_wanted(parameter.shape));
            slots.map(|(_, slot)| Slot(slot)).collect()
        };
        let slot = |name: &str| {
            let position = parameters.iter().position(|parameter| parameter.ur_name == name);
            position.map_or(Slot::NONE, |position| Slot(position as u8))
        };
        let event = slot("phEvent");
        let ur_name = line.and_then(parameter::ur_name).unwrap_or(name);
        let role = role::role(ur_name, slot("hQueue").exists() && event.exists());
        Self {
            name,
            interface,
            role,
            ur_name,
            is_append: name.starts_with(APPEND),
            has_property: parameters
                .iter()
                .any(|parameter| matches!(parameter.shape, Shape::Property { .. })),
            is_followed: interface.is_below_sycl() && role::is_followed(ur_name, role),
            is_build: interface.is_below_sycl() && role::is_build(ur_name),
            has_place: role::has_place(name),
            offsets: offsets(interface, &parameters),
            widths: parameters.iter().map(|parameter| parameter.shape.width()).collect(),
            pointees: parameter::pointees(&parameters),
            outputs: slots_of(|shape| {
                matches!(shape, Shape::Out(_) | Shape::OutList { .. } | Shape::Property { .. })
            }),
            output_widths: parameters.iter().filter_map(|parameter| parameter.shape.output_width()).collect(),
            any_queue: slot("hQueue"),
            event: if matches!(role, Role::Enqueue(_)) { event } else { Slot::NONE },
            queue: if matches!(role, Role::Enqueue(_) | Role::Wait) { slot("hQueue") } else { Slot::NONE },
            awaited: if role == Role::Wait { slot("phEventWaitList") } else { Slot::NONE },
            dependences: slot("phEventWaitList"),
            launch: LaunchSlots {
                kernel: slot("hKernel"),
                dimensions: slot("workDim"),
                global_size: slot("pGlobalWorkSize"),
                local_size: slot("pLocalWorkSize"),
            },
            blocking: match role {
                Role::Enqueue(NodeKind::Copy | NodeKind::Map) => {
                    let slots = BLOCKING.into_iter().map(slot);
                    slots.into_iter().find(|slot| slot.exists()).unwrap_or(Slot::NONE)
                }
                _ => Slot::NONE,
            },
            properties: if role == Role::QueueCreate { slot("pProperties") } else { Slot::NONE },
            is_trusted: AtomicBool::new(false),
            name_marks: parameters.iter().fold(0, |marks, parameter| marks | mark(parameter.ur_name)),
            parameters,
        }
    }

    /// Returns the position of a parameter, by its name in the Unified Runtime.
    pub(crate) fn slot(&self, name: &str) -> Option<Slot> {
        // The writer looks for the parameters of every kind of command in each call.
        if self.name_marks & mark(name) == 0 {
            return None;
        }
        let position = self.parameters.iter().position(|parameter| parameter.ur_name == name);
        position.map(|position| Slot(position as u8))
    }

    pub(crate) fn parameter(&self, slot: Slot) -> Option<&Parameter> {
        self.parameters.get(usize::from(slot.0))
    }
}

/// Returns a bit for a name, by its length and its last letter. Some names share one.
#[inline]
fn mark(name: &str) -> u64 {
    let last = name.as_bytes().last().copied().unwrap_or_default();
    1 << ((name.len() as u64 * 7 + u64::from(last)) % 64)
}

pub(crate) fn is_described(interface: Interface, name: &str) -> bool {
    Table::get(interface).line(interface, name).is_some_and(|line| line.kind == "fn")
}

pub(crate) fn described(interface: Interface) -> Vec<&'static str> {
    Table::get(interface).names("fn")
}

/// Returns the offsets of contiguous parameters: without gaps, or as in a structure.
fn offsets(interface: Interface, parameters: &[Parameter]) -> Vec<u16> {
    let mut end = 0_u16;
    let place = |parameter: &Parameter| {
        let width = u16::from(parameter.shape.width());
        if interface == Interface::Cuda {
            end = end.next_multiple_of(width.max(1));
        }
        end += width;
        end - width
    };
    parameters.iter().map(place).collect()
}

/// Maximum number of functions of all interfaces together; one has some 250.
const MAX_FUNCTIONS: usize = 2048;

/// Functions in the order of their first call, leaked. There is no lock, because in a forked child it could stay locked
/// by a thread of the parent.
static FUNCTIONS: [AtomicPtr<Function>; MAX_FUNCTIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_FUNCTIONS];

/// By the runtime's number of a function: address of the name, shifted left by 16, and our own number.
static CACHE: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// Number of a function without a slot.
pub(crate) const UNKNOWN: u16 = u16::MAX;

/// Returns a function by our own number, as [`resolve`] returned it.
#[inline]
pub(crate) fn function_at(number: u16) -> Option<&'static Function> {
    let place = FUNCTIONS.get(usize::from(number))?;
    // SAFETY: null, or a leaked function that is never written again.
    unsafe { place.load(Ordering::Acquire).as_ref() }.or_else(|| noted(number, place))
}

/// Returns a function numbered by another process, by its name.
#[cold]
fn noted(number: u16, place: &AtomicPtr<Function>) -> Option<&'static Function> {
    let (interface, name) = NameKind::Function.get(usize::from(number))?;
    let interface = Interface::at(interface)?;
    let function = Box::leak(Box::new(Function::new(interface, Box::leak(name.into_boxed_str()))));
    place.store(function, Ordering::Release);
    Some(function)
}

/// Returns our own number of a function.
///
/// # Safety
/// `name` is null or a NUL-terminated string that is never changed.
#[inline]
pub(super) unsafe fn resolve(interface: Interface, id: u32, name: *const c_char) -> u16 {
    let cell = &CACHE[id as usize % CACHE.len()];
    let cached = cell.load(Ordering::Relaxed);
    // Addresses of a process fit in 48 bits.
    if cached != 0 && cached >> 16 == name as u64 {
        return cached as u16;
    }
    // SAFETY: the caller's promise.
    let number = number_of(interface, unsafe { text_of(name) });
    cell.store((name as u64) << 16 | u64::from(number), Ordering::Relaxed);
    number
}

/// By the address of a name: the address, shifted left by 16, and our own number.
static NAMES: [AtomicU64; 4096] = [const { AtomicU64::new(0) }; 4096];

/// Returns our own number of a function known only by its name.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[inline]
pub(super) unsafe fn resolve_name(interface: Interface, name: *const c_char) -> u16 {
    let address = name as u64;
    let cell = &NAMES[(address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize];
    let cached = cell.load(Ordering::Relaxed);
    let is_it = |function: &Function| {
        // The string may have been changed since: compare its text. SAFETY: the caller's promise.
        let text = unsafe { CStr::from_ptr(name) };
        function.interface == interface && text.to_bytes() == function.name.as_bytes()
    };
    if cached != 0 && cached >> 16 == address && function_at(cached as u16).is_some_and(is_it) {
        return cached as u16;
    }
    // SAFETY: the caller's promise.
    let number = number_of(interface, unsafe { text_of(name) });
    cell.store(address << 16 | u64::from(number), Ordering::Relaxed);
    number
}

/// # Safety
/// As for [`resolve`].
unsafe fn text_of<'a>(name: *const c_char) -> &'a CStr {
    // SAFETY: the caller's promise.
    if name.is_null() { c"unknown call" } else { unsafe { CStr::from_ptr(name) } }
}

#[cold]
pub(crate) fn number_of(interface: Interface, name: &CStr) -> u16 {
    let name = name.to_string_lossy();
    let is_it = |function: &Function| function.interface == interface && function.name == name;
    let mut new: Option<*mut Function> = None;
    for (number, place) in FUNCTIONS.iter().enumerate() {
        let current = place.load(Ordering::Acquire);
        // SAFETY: null, or a leaked function.
        if let Some(current) = unsafe { current.as_ref() } {
            if is_it(current) {
                return number as u16;
            }
            continue;
        }
        let new = *new.get_or_insert_with(|| {
            let name: &'static str = Box::leak(name.clone().into_owned().into_boxed_str());
            Box::leak(Box::new(Function::new(interface, name)))
        });
        let result = place.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        // SAFETY: ours, or another leaked function.
        if result.map_or_else(|current| unsafe { is_it(&*current) }, |_| true) {
            NameKind::Function.set(number, interface as u8, name.as_bytes());
            return number as u16;
        }
    }
    UNKNOWN
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::NodeKind;

    use super::*;

    fn number(name: &CStr, id: u32) -> u16 {
        // SAFETY: NUL-terminated, and never changed.
        unsafe { resolve(Interface::UnifiedRuntime, id, name.as_ptr()) }
    }

    #[test]
    fn names_are_found_listed_or_not() {
        let copy = function_at(number(c"urEnqueueUSMMemcpy", 33)).unwrap();
        assert_eq!((copy.name, copy.role), ("urEnqueueUSMMemcpy", Role::Enqueue(NodeKind::Copy)));
        assert_eq!(copy.parameters.len(), 8);
        assert_eq!((copy.event, copy.slot("size")), (Slot(7), Some(Slot(4))));
        for (parameter, slot) in copy.parameters.iter().zip(0..) {
            assert_eq!(copy.slot(parameter.ur_name), Some(Slot(slot)));
        }
        assert_eq!((copy.slot("workDim"), copy.slot("")), (None, None));
        let future = number(c"urFromTheFuture", 1);
        assert_eq!(function_at(future).unwrap().name, "urFromTheFuture");
        assert_eq!(function_at(future).unwrap().parameters.len(), 0);
        assert_eq!(number(c"urFromTheFuture", 1), future);
        assert_eq!(number(c"urFromTheFuture", 2), future);
    }

    #[test]
    fn every_line_of_every_generation_is_understood() {
        for (interface, least) in Interface::ALL.into_iter().zip([260, 110, 110, 50]) {
            let table = Table::get(interface);
            let functions = table.names("fn");
            assert!(functions.len() >= least, "{interface:?}: {}", functions.len());
            for name in functions {
                for generation in 0..table.generations.len() {
                    let find = |name: &str| table.find(name, || generation);
                    let Some(line) = find(name) else { continue };
                    let parameters = parameter::parse(line, &find).unwrap_or_else(|| panic!("{name}"));
                    assert!(parameters.len() <= 32, "{name}");
                    let exists = |slot: Slot| slot == Slot::NONE || usize::from(slot.0) < parameters.len();
                    for parameter in &parameters {
                        let are_there = match parameter.shape {
                            Shape::List { count, .. } => count != Slot::NONE && exists(count),
                            Shape::OutList { room, count, .. } => {
                                room != Slot::NONE && exists(room) && exists(count)
                            }
                            Shape::Property { room, property } => exists(room) && exists(property),
                            Shape::Structures { structure, count } => {
                                assert!(structure.size_bytes > 0 && !structure.fields.is_empty());
                                for field in &structure.fields {
                                    assert!(field.offset + field.scalar.size_bytes() <= structure.size_bytes);
                                }
                                exists(count)
                            }
                            _ => true,
                        };
                        assert!(are_there, "{name}: {}", parameter.name);
                    }
                }
            }
        }
    }

    #[test]
    fn older_runtimes_have_their_own_parameters() {
        let table = Table::get(Interface::UnifiedRuntime);
        let count = |version: &str| {
            let generation = table.generations.iter().position(|(known, _)| *known == version).unwrap();
            let find = |name: &str| table.find(name, || generation);
            parameter::parse(find("urEnqueueKernelLaunch").unwrap(), &find).unwrap().len()
        };
        assert_eq!((count("2025.0"), count("2025.2"), count("2025.3"), count("2026.0")), (9, 9, 11, 10));
    }
}
