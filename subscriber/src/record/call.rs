//! Records of calls, with values by the names of parameters.
//!
//! The lower 16 bits of `detail` are the function's number; flags above them announce the parts that follow.

use std::borrow::Cow;

use super::cursor::{Cursor, lossy};
use crate::xpti::{Function, Pointee, Scalar, Shape, Slot, function_at, list_length};

/// At the start: parameters, and the data they point to. At the end: the results.
pub(crate) const ARGUMENTS: u32 = 1 << 16;
/// At the start: the source location in the program.
pub(crate) const PLACE: u32 = 1 << 17;
/// At the end: the event is retained to read its times.
pub(crate) const IS_RETAINED: u32 = 1 << 18;
/// At the end: the event exists only because the recorder requested it.
pub(crate) const IS_REQUESTED: u32 = 1 << 19;

/// At the end: a vendor's records cover the command's work, see [`crate::record::device`].
pub(crate) const HAS_VENDOR_RECORD: u32 = 1 << 20;

pub(crate) struct CallBegin<'a> {
    pub(crate) function: Option<&'static Function>,
    pub(crate) instance: u64,
    pub(crate) place: Option<CallLocation<'a>>,
    pub(crate) inputs: Inputs<'a>,
}

pub(crate) struct CallLocation<'a> {
    pub(crate) function: Cow<'a, str>,
    pub(crate) file: Cow<'a, str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'a> CallBegin<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let function = function_at(detail as u16);
        let instance = cursor.word();
        let place = (detail & PLACE != 0).then(|| {
            let place = cursor.word();
            let (function, file) = (cursor.text(), cursor.text());
            CallLocation { function, file, line: place as u32, column: (place >> 32) as u32 }
        });
        let copied = function.filter(|_| detail & ARGUMENTS != 0);
        Self { function, instance, place, inputs: Inputs::read(copied, cursor) }
    }
}

pub(crate) struct CallEnd<'a> {
    pub(crate) function: Option<&'static Function>,
    pub(crate) instance: u64,
    pub(crate) result: i32,
    pub(crate) is_retained: bool,
    pub(crate) is_requested: bool,
    pub(crate) has_vendor_record: bool,
    pub(crate) outputs: Outputs<'a>,
}

impl<'a> CallEnd<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let function = function_at(detail as u16);
        let (instance, result) = (cursor.word(), cursor.word() as i32);
        let copied = function.filter(|_| detail & ARGUMENTS != 0);
        Self {
            function,
            instance,
            result,
            is_retained: detail & IS_RETAINED != 0,
            is_requested: detail & IS_REQUESTED != 0,
            has_vendor_record: detail & HAS_VENDOR_RECORD != 0,
            outputs: Outputs::read(copied, cursor),
        }
    }
}

/// Arguments of a call: its parameters, and the values behind pointers that it only reads.
#[derive(Clone, Copy, Default)]
pub(crate) struct Inputs<'a> {
    function: Option<&'static Function>,
    /// One word for each parameter.
    words: &'a [u8],
    /// Values behind pointers, in the order of the parameters.
    pointees: &'a [u8],
}

impl<'a> Inputs<'a> {
    fn read(function: Option<&'static Function>, cursor: Cursor<'a>) -> Self {
        let Some(function) = function else { return Self::default() };
        let bytes = cursor.rest();
        let (words, pointees) = bytes.split_at((function.parameters.len() * 8).min(bytes.len()));
        Self { function: Some(function), words, pointees }
    }

    /// Reads inputs stored by [`Self::to_bytes`].
    pub(crate) fn of_bytes(function: Option<&'static Function>, bytes: &'a [u8]) -> Self {
        Self::read(function.filter(|_| !bytes.is_empty()), Cursor::from_bytes(bytes))
    }

    pub(crate) fn to_bytes(self) -> Box<[u8]> {
        [self.words, self.pointees].concat().into_boxed_slice()
    }

    pub(crate) fn function(&self) -> Option<&'static Function> {
        self.function
    }

    /// Returns a parameter itself: a number, a handle, an address.
    pub(crate) fn at(&self, slot: Slot) -> u64 {
        word_at(self.words, usize::from(slot.0))
    }

    /// Returns a parameter by name; `None` if the function has no such parameter.
    pub(crate) fn word(&self, name: &str) -> Option<u64> {
        Some(self.at(self.function?.slot(name)?))
    }

    /// Returns a parameter by its position; `None` if the function has no such parameter.
    pub(crate) fn of(&self, slot: impl FnOnce(&Function) -> Slot) -> Option<u64> {
        let slot = slot(self.function?);
        slot.exists().then(|| self.at(slot))
    }

    /// Returns the elements of a list; empty for a null pointer.
    pub(crate) fn list(&self, name: &str) -> impl Iterator<Item = u64> + use<'a> {
        self.list_at(self.function.and_then(|function| function.slot(name)).unwrap_or(Slot::NONE))
    }

    /// Returns the elements of a list by its position; empty for a null pointer, and without such a parameter.
    pub(crate) fn list_at(&self, slot: Slot) -> impl Iterator<Item = u64> + use<'a> {
        let shape = self.function.and_then(|function| Some(function.parameter(slot)?.shape));
        let (bytes, element) = match shape {
            Some(Shape::List { element, .. }) => (self.pointee(slot), element),
            _ => (&[][..], Scalar::Size),
        };
        elements(bytes, element)
    }

    /// Returns a text parameter; `None` for a null pointer.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let slot = self.function?.slot(name)?;
        (self.at(slot) != 0).then(|| lossy(self.pointee(slot)))
    }

    /// Returns a field of the structure that a parameter points to or is; of the first one if there are several.
    pub(crate) fn field(&self, name: &str, field: &str) -> Option<u64> {
        let slot = self.function?.slot(name)?;
        let (Shape::Structures { structure, .. } | Shape::Inline(structure)) =
            self.function?.parameter(slot)?.shape
        else {
            return None;
        };
        let bytes = self.pointee(slot);
        let field = structure.fields.iter().find(|member| member.ur_name == field)?;
        (bytes.len() >= structure.size_bytes).then(|| scalar_at(bytes, field.offset, field.scalar))
    }

    /// Returns the bytes behind a parameter, or of a structure that it is.
    pub(crate) fn pointee(&self, target: Slot) -> &'a [u8] {
        let Some(function) = self.function else { return &[] };
        // Most lists of events are empty. A structure passed by value is not a pointer.
        let is_null = self.at(target) == 0;
        if is_null
            && !matches!(function.parameter(target).map(|parameter| parameter.shape), Some(Shape::Inline(_)))
        {
            return &[];
        }
        let mut cursor = Cursor::from_bytes(self.pointees);
        for Pointee { slot, .. } in &function.pointees {
            let Some(parameter) = function.parameter(*slot) else { break };
            let pointer = self.at(*slot);
            let count = |slot: Slot| if slot.exists() { self.at(slot) } else { 1 };
            let bytes = match parameter.shape {
                Shape::Text if list_length(pointer, 1) == 1 => cursor.bytes(),
                Shape::Inline(structure) => cursor.raw(structure.size_bytes),
                Shape::List { element, count: slot } => {
                    cursor.raw(list_length(pointer, count(slot)) * element.size_bytes())
                }
                Shape::Structures { structure, count: slot } => {
                    cursor.raw(list_length(pointer, count(slot)) * structure.size_bytes)
                }
                _ => &[],
            };
            if *slot == target {
                return bytes;
            }
        }
        &[]
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Outputs<'a> {
    function: Option<&'static Function>,
    /// Set of bits of the present results.
    given: u64,
    cursor: Cursor<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Output<'a> {
    Value(u64),
    List(&'a [u8]),
    Property(&'a [u8]),
}

impl<'a> Outputs<'a> {
    fn read(function: Option<&'static Function>, mut cursor: Cursor<'a>) -> Self {
        let Some(function) = function else { return Self::default() };
        let given = if function.outputs.is_empty() { 0 } else { cursor.word() };
        Self { function: Some(function), given, cursor }
    }

    pub(crate) fn function(&self) -> Option<&'static Function> {
        self.function
    }

    /// Returns the present results in the order of parameters.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, Output<'a>)> + use<'a> {
        let Self { function, given, mut cursor } = *self;
        let slots = function.map_or(&[][..], |function| &function.outputs);
        slots.iter().enumerate().filter(move |(bit, _)| given & 1 << bit != 0).filter_map(move |(_, slot)| {
            Some(match function?.parameter(*slot)?.shape {
                Shape::OutList { element, .. } => {
                    let length = cursor.word() as usize;
                    (*slot, Output::List(cursor.raw(length * element.size_bytes())))
                }
                Shape::Property { .. } => {
                    let length = cursor.word() as usize;
                    (*slot, Output::Property(cursor.raw(length)))
                }
                _ => (*slot, Output::Value(cursor.word())),
            })
        })
    }

    fn find(&self, name: &str) -> Option<Output<'a>> {
        let target = self.function?.slot(name)?;
        self.iter().find(|(slot, _)| *slot == target).map(|(_, output)| output)
    }

    pub(crate) fn word(&self, name: &str) -> Option<u64> {
        match self.find(name)? {
            Output::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn list(&self, name: &str) -> Vec<u64> {
        let element = self.function.and_then(|function| function.parameter(function.slot(name)?));
        match (self.find(name), element.map(|parameter| parameter.shape)) {
            (Some(Output::List(bytes)), Some(Shape::OutList { element, .. })) => {
                elements(bytes, element).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn property(&self, name: &str) -> Option<&'a [u8]> {
        match self.find(name)? {
            Output::Property(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns a text property without its terminator.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let bytes = self.property(name)?;
        Some(String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)))
    }
}

pub(crate) fn elements(bytes: &[u8], element: Scalar) -> impl Iterator<Item = u64> {
    let size = element.size_bytes();
    (0..bytes.len() / size).map(move |index| scalar_at(bytes, index * size, element))
}

pub(crate) fn scalar_at(bytes: &[u8], offset: usize, scalar: Scalar) -> u64 {
    let mut word = [0; 8];
    let size = scalar.size_bytes();
    if let Some(bytes) = bytes.get(offset..offset + size) {
        word[..size].copy_from_slice(bytes);
    }
    u64::from_le_bytes(word)
}

fn word_at(bytes: &[u8], index: usize) -> u64 {
    scalar_at(bytes, index * 8, Scalar::Size)
}
