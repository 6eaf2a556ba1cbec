//! Everything that touches foreign memory: XPTI's structures, the parameters of Unified Runtime calls, the functions
//! of both libraries, and the few calls of the operating system that the standard library does not have.
//!
//! Nothing outside this module is unsafe. What it hands out is either copied, or borrowed for the length of a callback.
#![expect(unsafe_code, reason = "the one place that reads what the runtime hands over")]

pub(crate) mod counter;
mod device_info;
mod edit;
mod entry;
mod framework;
mod functions;
mod layout;
mod notification;
mod objects;
mod params;
mod streams;
pub(crate) mod sys;
mod ur_api;
mod values;
mod words;

pub(crate) use device_info::Answer;
pub(crate) use entry::adopt_debug_streams;
pub(crate) use framework::Framework;
pub(crate) use functions::command_kind;
pub(crate) use functions::{
    Function, Interface, Names, Property, Role, Scalar, Shape, Slot, Structure, function_at,
};
pub(crate) use notification::{Key, MetadataValue, Notification};
pub(crate) use objects::{AccessorMade, ObjectMade};
pub(crate) use params::{FunctionCall, list_length};
pub(crate) use streams::{StreamId, recorded_streams};
pub(crate) use ur_api::{EventState, ProfilingTimes, UrApi};
pub(crate) use words::{Published, Words};
