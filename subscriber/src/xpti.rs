//! The runtime's own memory and functions: the layouts of XPTI's structures, the parameters of calls, and the functions
//! of libxptifw and of the Unified Runtime.
//!
//! Results are copies, or are borrowed for the duration of a callback. XPTI calls `entry`.
#![expect(unsafe_code, reason = "the one place that reads what the runtime hands over")]

mod adapter;
mod contexts;
mod device_info;
mod edit;
mod framework;
mod functions;
pub(crate) mod layout;
mod metadata;
mod notification;
mod objects;
mod params;
mod sample;
mod streams;
mod subscription;
pub(crate) mod trace_type;
mod ur_api;
mod values;

pub(crate) use adapter::Adapter;
pub(crate) use device_info::Answer;
pub(crate) use framework::{Framework, loaded, symbol};
pub(crate) use functions::command_kind;
pub(crate) use functions::{
    Function, Interface, Names, Pointee, Property, Role, Scalar, Shape, Slot, Structure, described,
    function_at, is_described, number_of,
};
pub(crate) use metadata::{Key, MetadataValue};
pub(crate) use notification::{Notification, text};
pub(crate) use objects::{AccessorMade, ObjectMade};
pub(crate) use params::{FunctionCall, list_length};
pub(crate) use sample::{Sample, with_samples};
pub(crate) use streams::{StreamId, is_runtime_stream, recorded_streams, set_recorded};
pub(crate) use subscription::{Callbacks, STANDARD_TYPES, Subscribed, follow_debug_streams, subscribe};
#[cfg(test)]
pub(crate) use ur_api::driven;
pub(crate) use ur_api::{EventState, ProfilingTimes, UrApi};
