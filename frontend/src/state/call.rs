//! Calls to views: from keys, the palette and other views.

use std::rc::Rc;

use syclscope_language::api::SliceRef;

use crate::state::keys::CommandInfo;
use crate::state::view::View;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    Help,
    Palette,
    Contents,
    Share,
    /// Menu for a track, else for the selection, at a point in CSS pixels.
    Menu {
        x: i32,
        y: i32,
        track: Option<u32>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The key goes down, or the command is called in another way.
    Press,
    Repeat,
    Release,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Command(&'static CommandInfo, Phase),
    /// Cancels the view's operation, or clears its marks.
    BreakOff,
    Go(Goal),
}

/// Handles a call. True if it had an effect.
pub type Handler = Rc<dyn Fn(Call) -> bool>;

pub struct Responder {
    pub view: View,
    pub can_show: fn(&Goal) -> bool,
    pub handle: Handler,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// The selection, in the timeline.
    Time,
    Slice(SliceRef),
    Track(u32),
    /// A part of time, in nanoseconds.
    Range(f64, f64),
    /// History of a buffer, an image or USM, by id.
    Object(u32),
    Line,
    /// Executions of a kernel, by its full name.
    Kernel(String),
    /// Slices that match a filter, in the timeline; all if it is empty.
    Matches(String),
    File(String),
    /// Memory in use at a moment, in nanoseconds.
    MemoryAt(u64),
    Unreleased,
}
