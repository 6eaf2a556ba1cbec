//! Readers of each answer: every wire type with its members. Word sets have readers of their own.

mod comparison;
mod energy;
mod graph;
mod listing;
mod memory;
mod slices;
mod sql;
mod tiles;
mod trace;

use syclscope_language::api::ArgValue;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{
    AllocationKind, Category, EdgeReason, FactKind, FrameKind, GraphChangeKind, HandleDirection, NodeKind,
    ObjectKind, Ownership, QueueOrder, SourceState, TrackKind,
};

use super::json::{JsonError, Reader, Value, kinds};

kinds!(
    AllocationKind,
    Category,
    EdgeReason,
    FactKind,
    GraphChangeKind,
    HandleDirection,
    NodeKind,
    FrameKind,
    ObjectKind,
    Ownership,
    QueueOrder,
    SourceState,
    TrackKind,
);

impl Value for ContentKind {
    fn blank() -> Self {
        Self::Paths
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = Self::named(&reader.string()?).ok_or(JsonError::new("there is no such kind"))?;
        Ok(())
    }
}

impl Value for ArgValue {
    fn blank() -> Self {
        Self::Bool(false)
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        // The value's type is known only with the `type` member, which may follow it.
        reader.clone().entries(&mut |key, reader| {
            if key != "type" {
                return reader.skip();
            }
            *self = match reader.word(&["str", "int", "uint", "float", "bool", "pointer"], false)? {
                0 => Self::Str(String::new()),
                1 => Self::Int(0),
                2 => Self::Uint(0),
                3 => Self::Float(0.0),
                4 => Self::Bool(false),
                _ => Self::Pointer(String::new()),
            };
            Ok(())
        })?;
        reader.entries(&mut |key, reader| match self {
            _ if key != "value" => reader.skip(),
            Self::Str(text) | Self::Pointer(text) => text.read(reader),
            Self::Int(number) => number.read(reader),
            Self::Uint(number) => number.read(reader),
            Self::Float(number) => number.read(reader),
            Self::Bool(truth) => truth.read(reader),
        })
    }
}

#[cfg(test)]
mod tests;
