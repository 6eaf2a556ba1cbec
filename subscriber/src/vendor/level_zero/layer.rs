//! The tracing layer's own functions.
#![expect(unsafe_code, reason = "functions of a C interface")]

use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

use super::calls::{OnCall, Traced};
use crate::xpti::symbol;

type Handle = *mut c_void;

/// `zel_tracer_dditable_t`; filled in by the layer.
#[repr(C)]
#[derive(Default)]
struct Table {
    create: Option<unsafe extern "C" fn(*const Description, *mut Handle) -> i32>,
    destroy: Option<unsafe extern "C" fn(Handle) -> i32>,
    set_prologues: Option<unsafe extern "C" fn(Handle, *mut c_void) -> i32>,
    set_epilogues: Option<unsafe extern "C" fn(Handle, *mut c_void) -> i32>,
    set_enabled: Option<unsafe extern "C" fn(Handle, u8) -> i32>,
}

/// `zel_tracer_desc_t`
#[repr(C)]
struct Description {
    kind: u32,
    next: *const c_void,
    user_data: *mut c_void,
}

/// `ZEL_STRUCTURE_TYPE_TRACER_DESC`
const DESCRIPTION: u32 = 1;
/// `ZE_API_VERSION_1_0`: the table is unchanged since.
const FIRST_VERSION: u32 = 1 << 16;
/// `zel_tracer_reg_t`
const PROLOGUE: u32 = 0;
const EPILOGUE: u32 = 1;

type GetTable = unsafe extern "C" fn(u32, *mut Table) -> i32;
/// `zelTracer…RegisterCallback`, which differ only in the type of the callback's first parameter.
type Register = unsafe extern "C" fn(Handle, u32, OnCall) -> i32;

/// Makes the layer call our functions around every call that it knows, permanently; fails with the reason.
pub(super) fn trace(layer: *mut c_void, functions: &[Traced]) -> Result<(), String> {
    const OLD: &str = "the tracing layer of its loader is older than that of 1.4";
    let get_table = symbol(layer, c"zelGetTracerApiProcAddrTable").ok_or(OLD)?;
    let mut table = Table::default();
    // SAFETY: the layer's function, which has this type; a valid place for the table.
    let result =
        unsafe { std::mem::transmute::<*mut c_void, GetTable>(get_table)(FIRST_VERSION, &mut table) };
    let (Some(create), Some(set_enabled)) = (table.create, table.set_enabled) else {
        return Err(refusal("zelGetTracerApiProcAddrTable", result));
    };
    let mut tracer = null_mut();
    // The layer requires some address.
    static USER_DATA: u8 = 0;
    let description = Description {
        kind: DESCRIPTION,
        next: null_mut(),
        user_data: (&raw const USER_DATA).cast_mut().cast(),
    };
    // SAFETY: the layer's function; both places are valid.
    let result = unsafe { create(&description, &mut tracer) };
    if result != 0 || tracer.is_null() {
        return Err(refusal("zelTracerCreate", result));
    }
    let registered = functions.iter().filter(|function| register(layer, tracer, function)).count();
    if registered == 0 {
        return Err(OLD.to_owned());
    }
    // SAFETY: the layer's function and our own tracer.
    let result = unsafe { set_enabled(tracer, 1) };
    if result == 0 { Ok(()) } else { Err(refusal("zelTracerSetEnabled", result)) }
}

/// Registers our functions for a call; false if the layer doesn't know it.
fn register(layer: *mut c_void, tracer: Handle, function: &Traced) -> bool {
    let Some(name) = function.name.strip_prefix("ze") else { return false };
    let Ok(name) = CString::new(format!("zelTracer{name}RegisterCallback")) else { return false };
    let Some(register) = symbol(layer, name.as_c_str() as &CStr) else { return false };
    // SAFETY: the layer's function, our own tracer, which is not enabled yet, and functions that live as long as this
    // library, which is pinned.
    unsafe {
        let register = std::mem::transmute::<*mut c_void, Register>(register);
        register(tracer, PROLOGUE, function.on_begin) == 0 && register(tracer, EPILOGUE, function.on_end) == 0
    }
}

fn refusal(function: &str, result: i32) -> String {
    format!("the tracing layer of its loader refuses ({function}: {result:#x})")
}
