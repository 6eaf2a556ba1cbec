//! Readers of each answer: every wire type with its members. Closed sets of words have separate readers.

mod comparison;
mod energy;
mod graph;
mod listing;
mod memory;
mod regions;
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

use super::json::{JsonError, Reader, Value, kinds, words};

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

words!(ContentKind);

impl Value for ArgValue {
    fn blank() -> Self {
        Self::Bool(false)
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        // The `type` member names the value's type, and may come after the value.
        reader.clone().entries(&mut |key, reader| {
            if key != "type" {
                return reader.skip();
            }
            let blank = |word: &str| match word {
                "str" => Some(Self::Str(String::new())),
                "int" => Some(Self::Int(0)),
                "uint" => Some(Self::Uint(0)),
                "float" => Some(Self::Float(0.0)),
                "bool" => Some(Self::Bool(false)),
                "pointer" => Some(Self::Pointer(String::new())),
                _ => None,
            };
            *self = reader.word(blank, None)?;
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
