//! Arguments of calls for the file, named after the parameters.
//!
//! An element of a list has its index in brackets (`phEventWaitList[0]`), a field of a structure its name after a dot
//! (`pProperties.flags`). Null pointers are left out, and the length of a list that is present.

use std::borrow::Cow;

use syclscope_language::event::Value;

use crate::config::{Detail, detail};
use crate::record::call::{CallEnd, Inputs, Output, Outputs, elements, scalar_at};
use crate::xpti::{Function, Interface, Names, Property, Scalar, Shape, Slot, Structure};

#[derive(Default)]
pub(in crate::model) struct Arguments {
    all: Vec<(Cow<'static, str>, Argument)>,
}

enum Argument {
    Value(Value<'static>),
    Text(Cow<'static, str>),
}

fn shows_arguments() -> bool {
    detail() >= Detail::Normal
}

impl Arguments {
    pub(in crate::model) fn len(&self) -> usize {
        self.all.len()
    }

    pub(in crate::model) fn values(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        self.all.iter().map(|(name, argument)| {
            let value = match argument {
                Argument::Value(value) => *value,
                Argument::Text(text) => Value::Str(text),
            };
            (name.as_ref(), value)
        })
    }

    /// Returns the inputs of a call, if the recording has arguments.
    pub(in crate::model) fn at_begin(inputs: &Inputs<'_>, names: &mut Names) -> Self {
        let mut arguments = Self::default();
        if shows_arguments() {
            arguments.add_inputs(inputs, names);
        }
        arguments
    }

    /// Returns the error of a failed call, or the results of another one if the recording has arguments.
    pub(in crate::model) fn at_end(end: &CallEnd<'_>, inputs: &Inputs<'_>, names: &mut Names) -> Self {
        let mut arguments = Self::default();
        if end.result != 0 {
            let interface = end.function.map_or(Interface::UnifiedRuntime, |function| function.interface);
            arguments.add_result(end.result, interface, names);
        } else if shows_arguments() {
            let event =
                end.function.filter(|_| end.is_requested).map_or(Slot::NONE, |function| function.event);
            arguments.add_outputs(inputs, &end.outputs, event, names);
        }
        arguments
    }

    fn add_inputs(&mut self, inputs: &Inputs<'_>, names: &mut Names) {
        let Some(function) = inputs.function() else { return };
        self.all.reserve(function.parameters.len());
        for (parameter, slot) in function.parameters.iter().zip((0_u8..).map(Slot)) {
            let (name, word) = (parameter.name, inputs.at(slot));
            match parameter.shape {
                Shape::Scalar(_) if is_length(function, slot, inputs) => {}
                Shape::Scalar(scalar) => self.add(names, function.interface, name.into(), scalar, word),
                Shape::Text if word != 0 => {
                    self.add_text(name.into(), String::from_utf8_lossy(inputs.pointee(slot)).into_owned());
                }
                Shape::Inline(structure) => {
                    self.add_structure(names, function.interface, name, structure, inputs.pointee(slot));
                }
                Shape::List { element, .. } => {
                    self.add_list(names, function.interface, name, element, inputs.pointee(slot));
                }
                Shape::Structures { structure, count } => {
                    let bytes = inputs.pointee(slot);
                    if !count.exists() && !bytes.is_empty() {
                        if !self.add_structure(names, function.interface, name, structure, bytes) {
                            self.add(names, function.interface, name.into(), Scalar::Pointer, word);
                        }
                        continue;
                    }
                    for (index, bytes) in bytes.chunks_exact(structure.size_bytes).enumerate() {
                        let name = format!("{name}[{index}]");
                        self.add_structure(names, function.interface, &name, structure, bytes);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the results of a call. `hidden` is an event that only the recorder has requested.
    fn add_outputs(&mut self, inputs: &Inputs<'_>, outputs: &Outputs<'_>, hidden: Slot, names: &mut Names) {
        let Some(function) = outputs.function() else { return };
        for (slot, output) in outputs.iter().filter(|(slot, _)| *slot != hidden) {
            let Some(parameter) = function.parameter(slot) else { continue };
            let name = parameter.name;
            match (output, parameter.shape) {
                (Output::Value(value), Shape::Out(scalar)) => {
                    self.add(names, function.interface, name.into(), scalar, value);
                }
                (Output::List(bytes), Shape::OutList { element, .. }) => {
                    self.add_list(names, function.interface, name, element, bytes);
                }
                (Output::Property(bytes), Shape::Property { room, property }) => {
                    let is_whole = inputs.at(room) <= bytes.len() as u64;
                    self.add_property(names, function, name, inputs, property, bytes, is_whole);
                }
                _ => {}
            }
        }
    }

    fn add_result(&mut self, result: i32, interface: Interface, names: &mut Names) {
        match names.enumerator(interface, interface.results(), result as u32) {
            Some(name) => self.add_text("result".into(), name),
            None => self.all.push(("result".into(), Argument::Value(Value::Int(result.into())))),
        }
    }

    fn add_text(&mut self, name: Cow<'static, str>, text: impl Into<Cow<'static, str>>) {
        self.all.push((name, Argument::Text(text.into())));
    }

    fn add(
        &mut self,
        names: &mut Names,
        interface: Interface,
        name: Cow<'static, str>,
        scalar: Scalar,
        word: u64,
    ) {
        let value = match scalar {
            Scalar::Pointer if word == 0 => return,
            Scalar::Pointer => Value::Pointer(word),
            Scalar::Size | Scalar::Number | Scalar::Short | Scalar::Byte => Value::Uint(word),
            Scalar::Signed => Value::Int(i64::from(word as i32)),
            Scalar::Truth | Scalar::WideTruth => Value::Bool(word != 0),
            Scalar::Enumerator(kind) => match names.enumerator(interface, kind, word as u32) {
                Some(text) => return self.add_text(name, text),
                None => Value::Uint(word),
            },
            Scalar::Flags(kind) => match names.flags(interface, kind, word as u32) {
                Some(text) => return self.add_text(name, text),
                None => Value::Uint(0),
            },
        };
        self.all.push((name, Argument::Value(value)));
    }

    fn add_list(
        &mut self,
        names: &mut Names,
        interface: Interface,
        name: &'static str,
        element: Scalar,
        bytes: &[u8],
    ) {
        for (index, word) in elements(bytes, element).enumerate() {
            let name = names.indexed(name, index);
            self.add(names, interface, name, element, word);
        }
    }

    /// Adds the fields of a structure; false if the bytes are not one.
    fn add_structure(
        &mut self,
        names: &mut Names,
        interface: Interface,
        name: &str,
        structure: &Structure,
        bytes: &[u8],
    ) -> bool {
        let kind = scalar_at(bytes, 0, Scalar::Number) as u32;
        if bytes.len() < structure.size_bytes || structure.kind.is_some_and(|other| other != kind) {
            return false;
        }
        for field in &structure.fields {
            let word = scalar_at(bytes, field.offset, field.scalar);
            self.add(names, interface, format!("{name}.{}", field.name).into(), field.scalar, word);
        }
        true
    }

    #[expect(clippy::too_many_arguments, reason = "a property's meaning is another parameter's value")]
    fn add_property(
        &mut self,
        names: &mut Names,
        function: &Function,
        name: &'static str,
        inputs: &Inputs<'_>,
        property: Slot,
        bytes: &[u8],
        is_whole: bool,
    ) {
        let form = match function.parameter(property).map(|parameter| parameter.shape) {
            Some(Shape::Scalar(Scalar::Enumerator(kind))) => {
                names.property(function.interface, kind, inputs.at(property) as u32)
            }
            _ => None,
        };
        match form {
            Some(Property::Text) => {
                let text = bytes.split(|byte| *byte == 0).next().unwrap_or(bytes);
                let cut = if is_whole || text.len() < bytes.len() { "" } else { "…" };
                self.add_text(name.into(), format!("{}{cut}", String::from_utf8_lossy(text)));
            }
            Some(Property::Scalar(scalar)) if bytes.len() >= scalar.size_bytes() => {
                self.add(names, function.interface, name.into(), scalar, scalar_at(bytes, 0, scalar));
            }
            Some(Property::List(element)) if is_whole => {
                self.add_list(names, function.interface, name, element, bytes);
            }
            _ => self.add_text(name.into(), hexadecimal(bytes, is_whole)),
        }
    }
}

/// True if a number is only the length of a list that is present, or of an empty one.
fn is_length(function: &Function, count_slot: Slot, inputs: &Inputs<'_>) -> bool {
    let is_count = function.parameters[usize::from(count_slot.0)].name.starts_with("num");
    let counts = |shape: Shape| match shape {
        Shape::List { count, .. } | Shape::Structures { count, .. } => count == count_slot,
        _ => false,
    };
    let lists = function.parameters.iter().zip((0_u8..).map(Slot));
    is_count
        && lists
            .filter(|(parameter, _)| counts(parameter.shape))
            .any(|(_, list)| inputs.at(count_slot) == 0 || inputs.at(list) != 0)
}

fn hexadecimal(bytes: &[u8], is_whole: bool) -> String {
    const MAX_BYTES: usize = 64;
    let mut text = String::with_capacity(3 + 2 * bytes.len().min(MAX_BYTES));
    text.push_str("0x");
    bytes.iter().take(MAX_BYTES).for_each(|byte| text.push_str(&format!("{byte:02x}")));
    if !is_whole || bytes.len() > MAX_BYTES {
        text.push('…');
    }
    text
}
