//! What views are asked for: by keys, by the palette, and by whoever wants to see something.

use std::rc::Rc;

use syclscope_language::api::SliceRef;

use crate::state::keys::CommandInfo;
use crate::state::view::View;

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    Help,
    Palette,
    /// What the trace contains.
    Contents,
    /// Links to the trace.
    Share,
    /// What there is to do with a track, else with what is selected, at a place in CSS pixels.
    Menu {
        x: i32,
        y: i32,
        track: Option<u32>,
    },
}

/// What happened to the key of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It went down, or the command was called in another way.
    Press,
    /// It is still down, and the command repeats.
    Repeat,
    /// It went up.
    Release,
}

/// What a view is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// To carry out one of its commands.
    Command(&'static CommandInfo, Phase),
    /// To break off what it is at, or to take back what is marked.
    BreakOff,
    /// To show something that it said it can show.
    Go(Goal),
}

/// Does what a view is asked for; says whether there was anything to do.
pub type Handler = Rc<dyn Fn(Call) -> bool>;

/// Who does what a view is asked for.
pub struct Responder {
    pub view: View,
    /// What it can show.
    pub can_show: fn(&Goal) -> bool,
    pub handle: Handler,
}

/// Something that somebody wants to see.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// What is selected, over time.
    Time,
    /// A slice, over time.
    Slice(SliceRef),
    /// A track, by its id.
    Track(u32),
    /// A part of time, in nanoseconds.
    Range(f64, f64),
    /// What happened to a buffer, an image or USM over time, by its id.
    Object(u32),
    /// The selected line of the source code.
    Line,
    /// The executions of a kernel, by its whole name.
    Kernel(String),
    /// The slices that a filter means, over time; all where it is empty.
    Matches(String),
    /// A source file, by its path.
    File(String),
    /// What memory was in use at a moment, in nanoseconds.
    MemoryAt(u64),
    /// Memory that was not released.
    Unreleased,
}
