//! Parameters of functions, as described by a table's line.

use super::table::Line;

/// Position of a parameter in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u8);

impl Slot {
    /// Position of a parameter that the function lacks.
    pub(crate) const NONE: Self = Self(u8::MAX);

    #[inline]
    pub(crate) fn exists(self) -> bool {
        self != Self::NONE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// A pointer or a handle.
    Pointer,
    /// A number of 8 bytes.
    Size,
    /// A number of 4 bytes.
    Number,
    /// A signed number of 4 bytes.
    Signed,
    /// A number of 2 bytes.
    Short,
    /// A number of 1 byte.
    Byte,
    /// A boolean of 1 byte.
    Truth,
    /// A boolean of 4 bytes.
    WideTruth,
    /// A value of the enumeration with this name.
    Enumerator(&'static str),
    /// A set of the flags with this name.
    Flags(&'static str),
}

impl Scalar {
    pub(super) fn parse(code: &'static str) -> Option<Self> {
        Some(match code.as_bytes().first()? {
            b'p' | b's' => Self::Pointer,
            b'z' => Self::Size,
            b'u' => Self::Number,
            b'i' => Self::Signed,
            b'h' => Self::Short,
            b'c' => Self::Byte,
            b'b' => Self::Truth,
            b'l' => Self::WideTruth,
            b'e' => Self::Enumerator(&code[1..]),
            b'f' => Self::Flags(&code[1..]),
            _ => return None,
        })
    }

    #[inline]
    pub(crate) fn size_bytes(self) -> usize {
        match self {
            Self::Pointer | Self::Size => 8,
            Self::Short => 2,
            Self::Truth | Self::Byte => 1,
            _ => 4,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Scalar(Scalar),
    /// A pointer to a NUL-terminated string.
    Text,
    /// A structure by value.
    Inline(&'static Structure),
    /// A pointer to values, whose number is another parameter.
    List {
        element: Scalar,
        count: Slot,
    },
    /// A pointer to a structure, or to several, whose number is another parameter.
    Structures {
        structure: &'static Structure,
        count: Slot,
    },
    /// A pointer whose pointee is ignored.
    Hidden,
    /// A pointer to a place for a result.
    Out(Scalar),
    /// A pointer to a place for results: one parameter has their maximum number, and another points to the place for
    /// the actual number.
    OutList {
        element: Scalar,
        room: Slot,
        count: Slot,
    },
    /// A pointer to a place for a property: one parameter has the place's size in bytes, and another one names the
    /// property.
    Property {
        room: Slot,
        property: Slot,
    },
}

impl Shape {
    /// Returns the size in bytes of the parameter's result, 0 if it may consist of several values; `None` without a
    /// result.
    pub(super) fn output_width(self) -> Option<u8> {
        match self {
            Self::Out(scalar) => Some(scalar.size_bytes() as u8),
            Self::OutList { .. } | Self::Property { .. } => Some(0),
            _ => None,
        }
    }

    /// Returns the size in bytes of the parameter itself, 0 for a structure by value.
    pub(super) fn width(self) -> u8 {
        match self {
            Self::Scalar(scalar) => scalar.size_bytes() as u8,
            Self::Inline(_) => 0,
            _ => 8,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointee {
    pub(crate) slot: Slot,
    /// The parameter with the number of elements of a list; [`Slot::NONE`] if it has one element.
    pub(crate) count: Slot,
    /// Size of an element of a list; `None` for a text and for a structure by value.
    pub(crate) element_bytes: Option<u32>,
}

/// Returns the values to copy when a call starts, in the order of its parameters.
pub(super) fn pointees(parameters: &[Parameter]) -> Vec<Pointee> {
    let pointee = |(parameter, slot): (&Parameter, u8)| {
        let (count, element_bytes) = match parameter.shape {
            Shape::Text | Shape::Inline(_) => (Slot::NONE, None),
            Shape::List { element, count } => (count, Some(element.size_bytes() as u32)),
            Shape::Structures { structure, count } => (count, Some(structure.size_bytes as u32)),
            _ => return None,
        };
        Some(Pointee { slot: Slot(slot), count, element_bytes })
    };
    parameters.iter().zip(0..).filter_map(pointee).collect()
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Name of the Unified Runtime's equivalent parameter.
    pub(crate) ur_name: &'static str,
    pub(crate) shape: Shape,
}

#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) size_bytes: usize,
    /// Required first word, if structures start with their type.
    pub(crate) kind: Option<u32>,
    pub(crate) fields: Vec<Field>,
}

/// A field of a structure; fields of nested structures have dotted names.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// As for [`Parameter`].
    pub(crate) ur_name: &'static str,
    pub(crate) offset: usize,
    pub(crate) scalar: Scalar,
}

/// Parses the parameters in a function's line; `None` if it is invalid. `find` finds the lines of structures.
pub(super) fn parse(line: Line, find: &dyn Fn(&str) -> Option<Line>) -> Option<Vec<Parameter>> {
    let is_parameter = |word: &&str| !word.is_empty() && !word.starts_with(['@', '~']);
    let named: Vec<(&str, &str)> =
        line.rest.split(' ').filter(is_parameter).map(|word| word.split_once(':')).collect::<Option<_>>()?;
    let slot = |target: Option<&str>| {
        let position = named.iter().position(|(name, _)| Some(names(name).0) == target);
        position.map_or(Slot::NONE, |position| Slot(position as u8))
    };
    let shape = |code: &'static str| {
        let mut parts = code[1..].split(',');
        let of = parts.next()?;
        Some(match (code.as_bytes()[0], of.as_bytes().first()) {
            (b's', _) => Shape::Text,
            (b'=', _) => Shape::Inline(structure(find(of)?)?),
            (b'*', _) => Shape::Structures { structure: structure(find(of)?)?, count: slot(parts.next()) },
            (b'[', _) => Shape::List { element: Scalar::parse(of)?, count: slot(parts.next()) },
            (b'>', Some(b'v')) => Shape::Property { room: slot(parts.next()), property: slot(parts.next()) },
            (b'>', Some(b'[')) => Shape::OutList {
                element: Scalar::parse(&of[1..])?,
                room: slot(parts.next()),
                count: slot(parts.next()),
            },
            (b'>', _) => Shape::Out(Scalar::parse(of)?),
            _ => Shape::Scalar(Scalar::parse(code)?),
        })
    };
    let parameter = |(name, code): &(&'static str, &'static str)| {
        let (name, ur_name) = names(name);
        Some(Parameter { name, ur_name, shape: shape(code)? })
    };
    named.iter().map(parameter).collect()
}

pub(super) fn ur_name(line: Line) -> Option<&'static str> {
    line.rest.split(' ').find_map(|word| word.strip_prefix('~'))
}

/// Splits `NAME/NAME` into a name, and that of the Unified Runtime.
fn names(name: &'static str) -> (&'static str, &'static str) {
    name.split_once('/').unwrap_or((name, name))
}

/// Parses a structure; leaked, like functions.
fn structure(line: Line) -> Option<&'static Structure> {
    let mut words = line.rest.split(' ').filter(|word| !word.is_empty() && !word.starts_with('@')).peekable();
    let size_bytes = words.next()?.parse().ok()?;
    let kind = words.next_if(|word| word.starts_with('=')).and_then(|word| word[1..].parse().ok());
    let field = |word: &'static str| {
        let (place, code) = word.split_once(':')?;
        let (name, offset) = place.split_once('+')?;
        let (name, ur_name) = names(name);
        Some(Field { name, ur_name, offset: offset.parse().ok()?, scalar: Scalar::parse(code)? })
    };
    let fields = words.map(field).collect::<Option<_>>()?;
    Some(Box::leak(Box::new(Structure { size_bytes, kind, fields })))
}
