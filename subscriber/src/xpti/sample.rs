//! Simulated notifications, to measure the cost of handling them.

use std::ffi::{CStr, c_void};

use syclscope_language::event::Notified;

use super::framework::Callback;
use super::layout::FunctionWithArgs;
use super::streams::StreamId;
use super::subscription::callback_of_recorded;
use super::trace_type::{
    FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END, NODE_CREATE, SIGNAL, TASK_BEGIN, TASK_END, WAIT_BEGIN,
    WAIT_END,
};

pub(crate) struct Sample<'a> {
    pub(crate) notified: Notified,
    callback: Callback,
    trace_type: u16,
    user_data: *const c_void,
    /// Call with the user data.
    call: &'a Call,
}

impl Sample<'_> {
    /// Passes the notification to the callback. It belongs to no event, so that the framework is not queried.
    pub(crate) fn give(&self) {
        let (none, instance) = (std::ptr::null(), 1);
        std::hint::black_box(self.call);
        // SAFETY: the callback accepts null for events; the user data has the type for this stream and trace type, and
        // lives as long as the call.
        unsafe { (self.callback)(self.trace_type, none, none, instance, self.user_data) }
    }
}

/// A function whose calls have no further meaning for a recording.
const FUNCTION: &CStr = c"urKernelSetArgValue";
const PLUGIN_FUNCTION: &CStr = c"piKernelSetArg";
/// A number that runtimes don't use yet.
const FUNCTION_ID: u32 = 1023;
/// As long as a typical name of a kernel and its file.
const NODE: &CStr = c"typeinfo name for matrix_product(sycl::queue&, float*, float*, float*)::{lambda(sycl::nd_item<2>)#1} of project/app.cpp";
const WAIT: &CStr = c"event.wait[0x7f0012345678]";
static SUCCESS: i32 = 0;
/// The maximum number of parameters of any function.
const PARAMETERS: usize = 32;

/// A call as reported by a tracing layer: its parameters next to the array of pointers to them.
pub(crate) struct Call {
    row: [*mut c_void; PARAMETERS],
    parameters: [u64; PARAMETERS],
}

/// Calls `each` with notifications of the recorded streams, in the order of a submission.
pub(crate) fn with_samples<T>(each: impl FnOnce(&[Sample<'_>]) -> T) -> T {
    let mut call = Call { row: [std::ptr::null_mut(); PARAMETERS], parameters: [0; PARAMETERS] };
    for (pointer, parameter) in call.row.iter_mut().zip(&mut call.parameters) {
        *pointer = std::ptr::from_mut(parameter).cast();
    }
    let is_plugin = callback_of_recorded(StreamId::UR_CALL).is_none();
    let name = if is_plugin { PLUGIN_FUNCTION } else { FUNCTION };
    let data = FunctionWithArgs {
        function_id: FUNCTION_ID,
        name: name.as_ptr(),
        args: if is_plugin { call.parameters.as_ptr().cast() } else { call.row.as_ptr() },
        result: &raw const SUCCESS,
        user_data: std::ptr::null(),
    };
    let (call, data) = (&call, (&raw const data).cast::<c_void>());
    let calls = if is_plugin { StreamId::PI } else { StreamId::UR_CALL };
    let (node, wait, handle) = (NODE.as_ptr().cast(), WAIT.as_ptr().cast(), std::ptr::null());
    let kinds = [
        (Notified::Node, StreamId::SYCL, NODE_CREATE, node),
        (Notified::SubmissionBegins, StreamId::SYCL, TASK_BEGIN, handle),
        (Notified::CallBegins, calls, FUNCTION_WITH_ARGS_BEGIN, data),
        (Notified::CallEnds, calls, FUNCTION_WITH_ARGS_END, data),
        (Notified::Signal, StreamId::SYCL, SIGNAL, handle),
        (Notified::SubmissionEnds, StreamId::SYCL, TASK_END, handle),
        (Notified::WaitBegins, StreamId::SYCL, WAIT_BEGIN, wait),
        (Notified::WaitEnds, StreamId::SYCL, WAIT_END, handle),
    ];
    let samples: Vec<Sample<'_>> = kinds
        .into_iter()
        .filter_map(|(notified, stream, trace_type, user_data)| {
            let callback = callback_of_recorded(stream)?;
            Some(Sample { notified, callback, trace_type, user_data, call })
        })
        .collect();
    each(&samples)
}
