//! Fields of conditions.

use std::fmt;

use super::Number;
use super::number::Units;
use crate::event::{Category, NodeKind};

/// Property of a slice that a condition tests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Name of the slice.
    Name,
    /// Category of the slice.
    Category,
    /// Kind of its command.
    Kind,
    /// Duration.
    Duration,
    /// Start, relative to the trace's start.
    Start,
    /// End, relative to the trace's start.
    End,
    /// Number of the queue that it runs on or that its command belongs to.
    Queue,
    /// Name or type of the device of that queue.
    Device,
    /// Name or id of its thread.
    Thread,
    /// Name of its track or of a track group that contains it.
    Track,
    /// Name of a region in which it starts or its command was submitted.
    In,
    /// Name or id of its process.
    Process,
    /// MPI rank of its process.
    Rank,
    /// Path of the source file of the slice or its command.
    File,
    /// Line in that file.
    Line,
    /// Function in that file.
    Function,
    /// Number of its command's task graph node.
    Node,
    /// Number or address of a buffer or image that its command uses.
    Buffer,
    /// Id of a memory object, as in `objects`, that its command uses.
    Memory,
    /// True if its call returned an error.
    Error,
    /// True if the recording ended before the slice did.
    Unfinished,
    /// An argument with this key.
    Arg(String),
}

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Text.
    Text,
    /// One word of a fixed set, described by this text.
    Word(&'static str),
    /// A time.
    Time,
    /// An integer.
    Number,
    /// A boolean.
    Truth,
    /// Any type: an argument.
    Any,
}

/// Operator of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `:` – text contains the value, ignoring case; other types equal it.
    Has,
    /// `=` – equal.
    Is,
    /// `!=` – present, and not equal.
    IsNot,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl Op {
    /// All operators; an operator precedes its own prefixes.
    pub(super) const ALL: [Self; 7] =
        [Self::AtMost, Self::AtLeast, Self::IsNot, Self::Has, Self::Is, Self::Less, Self::More];

    /// Returns the operator as written in a filter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Has => ":",
            Self::Is => "=",
            Self::IsNot => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    pub(super) fn is_order(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::More | Self::AtLeast)
    }
}

/// Prefix of argument fields.
pub(super) const ARG: &str = "arg.";

const FIELDS: [(&str, Field); 21] = [
    ("name", Field::Name),
    ("category", Field::Category),
    ("kind", Field::Kind),
    ("duration", Field::Duration),
    ("start", Field::Start),
    ("end", Field::End),
    ("queue", Field::Queue),
    ("device", Field::Device),
    ("thread", Field::Thread),
    ("track", Field::Track),
    ("in", Field::In),
    ("process", Field::Process),
    ("rank", Field::Rank),
    ("file", Field::File),
    ("line", Field::Line),
    ("function", Field::Function),
    ("node", Field::Node),
    ("buffer", Field::Buffer),
    ("memory", Field::Memory),
    ("error", Field::Error),
    ("unfinished", Field::Unfinished),
];

/// Returns the names of all fields, for messages.
pub(super) fn names() -> String {
    let mut names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    names.push("arg.KEY");
    names.join(", ")
}

impl Field {
    /// Returns the field with a name.
    pub fn of_name(name: &str) -> Option<Self> {
        if let Some(key) = name.strip_prefix(ARG) {
            return (!key.is_empty()).then(|| Self::Arg(key.to_owned()));
        }
        FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| field.clone())
    }

    /// Returns the type of the field.
    pub fn holds(&self) -> FieldType {
        match self {
            Self::Name
            | Self::Device
            | Self::Thread
            | Self::Track
            | Self::In
            | Self::Process
            | Self::File
            | Self::Function => FieldType::Text,
            Self::Category => {
                FieldType::Word("a category of docs/FORMAT.md (kernel, copy, submission, wait, ur, …)")
            }
            Self::Kind => {
                FieldType::Word("a kind of docs/FORMAT.md (kernel, copy, fill, host_task, barrier, …)")
            }
            Self::Duration | Self::Start | Self::End => FieldType::Time,
            Self::Queue | Self::Rank | Self::Line | Self::Node | Self::Buffer | Self::Memory => {
                FieldType::Number
            }
            Self::Error | Self::Unfinished => FieldType::Truth,
            Self::Arg(_) => FieldType::Any,
        }
    }

    /// True if the value is valid for the field.
    pub(super) fn takes(&self, value: &str) -> bool {
        match self {
            Self::Category => Category::ALL.iter().any(|category| category.as_str() == value),
            Self::Kind => NodeKind::ALL.iter().any(|kind| kind.as_str() == value),
            _ => match self.holds() {
                FieldType::Time => Number::parse(value, Units::TIME).is_some(),
                FieldType::Number => Number::parse(value, Units::NONE).is_some(),
                FieldType::Truth => matches!(value, "true" | "false"),
                FieldType::Text | FieldType::Word(_) | FieldType::Any => true,
            },
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Arg(key) = self {
            return write!(f, "{ARG}{key}");
        }
        let name = FIELDS.iter().find(|(_, field)| field == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FieldType {
    /// True if the type supports the operator.
    pub(super) fn compares(self, op: Op) -> bool {
        match self {
            Self::Text | Self::Word(_) | Self::Truth => !op.is_order(),
            Self::Time | Self::Number | Self::Any => true,
        }
    }

    pub(super) fn ops(self) -> &'static str {
        match self {
            Self::Text | Self::Word(_) | Self::Truth => "`:`, `=` or `!=`",
            Self::Time | Self::Number | Self::Any => "`:`, `=`, `!=`, `<`, `<=`, `>` or `>=`",
        }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Word(words) => words,
            Self::Time => "a time (15ns, 2.5us, 3ms, 1s, 2m, 1h; without a unit nanoseconds)",
            Self::Number => "a whole number (12, 0x1f)",
            Self::Truth => "true or false",
            Self::Any => "text or a number",
        })
    }
}
