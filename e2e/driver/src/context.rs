//! Contexts.

use std::ffi::c_void;
use std::sync::Arc;

use crate::call::calls;
use crate::caller::write;
use crate::fault;
use crate::objects::{self, Handle};

/// A context. It has no state, because all contexts share the memory.
struct Context(#[expect(dead_code, reason = "objects must have an address of their own")] u8);

calls! {
    fn create "zeContextCreate" (_driver: Handle, _desc: *const c_void, context: *mut Handle) {
        write(context, objects::give(Arc::new(Context(0))))?;
    }

    fn create_ex "zeContextCreateEx"
        (_driver: Handle, _desc: *const c_void, _count: u32, _devices: *const Handle, context: *mut Handle) {
        write(context, objects::give(Arc::new(Context(0))))?;
    }

    fn destroy "zeContextDestroy" (context: Handle) {
        objects::take::<Context>(context)?;
    }

    fn status "zeContextGetStatus" (context: Handle) {
        objects::get::<Context>(context)?;
        fault::device_is_there()?;
    }

    fn barrier "zeContextSystemBarrier" (context: Handle, _device: Handle) {
        objects::get::<Context>(context)?;
    }
}
