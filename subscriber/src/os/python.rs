//! The line of Python that the calling thread executes, read from the interpreter's own structures.
//!
//! Nothing here takes the interpreter's lock or changes a reference count. The stack of Python frames of a thread stays as
//! it is while the thread is in native code, and a notification comes from there. The only function called per
//! notification, `PyGILState_GetThisThreadState`, reads a thread-local variable and needs no lock.

mod file;
mod frames;
mod layout;
mod line_table;
mod memo;
mod text;

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use frames::Frame;
use layout::Layout;
pub(crate) use text::Text;

/// The interpreter of this process, null as long as none was found.
static INTERPRETER: AtomicPtr<Interpreter> = AtomicPtr::new(std::ptr::null_mut());

/// An interpreter whose structures are known.
struct Interpreter {
    layout: Layout,
    this_thread: extern "C" fn() -> u64,
    is_finalizing: extern "C" fn() -> c_int,
    types: Types,
    /// Folder of the interpreter's executable, where the scripts of packages lie, with a slash at its end.
    scripts: Vec<u8>,
}

/// Addresses of the types of objects that are read.
struct Types {
    code: u64,
    text: u64,
    bytes: u64,
}

/// Result of looking for an interpreter.
pub(crate) enum Search {
    /// There is none, or it has not begun.
    Absent,
    Found,
    /// Its structures are unknown.
    Unknown(String),
}

/// A line that a Python program executes.
pub(crate) struct PythonLine<'a> {
    pub(crate) file: Text<'a>,
    pub(crate) function: Text<'a>,
    pub(crate) line: u32,
}

/// True if lines of Python can be read in this process.
#[inline]
pub(crate) fn is_found() -> bool {
    !INTERPRETER.load(Ordering::Acquire).is_null()
}

/// Looks for the interpreter of this process.
pub(crate) fn search() -> Search {
    if is_found() {
        return Search::Found;
    }
    match Interpreter::find() {
        Ok(Some(found)) => {
            // It stays for the rest of the process: a thread may be reading it.
            INTERPRETER.store(Box::into_raw(Box::new(found)), Ordering::Release);
            Search::Found
        }
        Ok(None) => Search::Absent,
        Err(why) => Search::Unknown(why),
    }
}

/// Returns the line that stands for the calling thread: the innermost one of the user's code.
///
/// What it borrows is the interpreter's, and stays while the calling thread is in its notification.
pub(crate) fn line<'a>() -> Option<PythonLine<'a>> {
    let interpreter = INTERPRETER.load(Ordering::Acquire);
    // SAFETY: null, or a value that is never freed.
    let interpreter = unsafe { interpreter.as_ref() }?;
    // Threads that still run while the interpreter ends may have lost their state.
    if (interpreter.is_finalizing)() != 0 {
        return None;
    }
    let thread = (interpreter.this_thread)();
    // SAFETY: null or the state of the calling thread, which is in native code.
    let frames = unsafe { frames::Frames::of(interpreter, thread) }?;
    let frame = file::users(frames, &interpreter.scripts)?;
    let Frame { file, code, position } = frame;
    // SAFETY: a code object of that stack.
    unsafe { code.line(interpreter, file, position) }
}

impl Interpreter {
    /// The interpreter, once it has begun.
    fn find() -> Result<Option<Self>, String> {
        // SAFETY: these functions of CPython have these types in all versions since 3.7, and may be called at any time.
        unsafe {
            let Some(this_thread) = function(c"PyGILState_GetThisThreadState") else { return Ok(None) };
            let Some(is_begun) = function(c"Py_IsInitialized") else { return Ok(None) };
            if std::mem::transmute::<*const c_void, extern "C" fn() -> c_int>(is_begun)() == 0 {
                return Ok(None);
            }
            let layout = layout()?;
            let lacks = || format!("a symbol of Python 3.{} is missing", layout.minor);
            let symbol = |name| function(name).ok_or_else(lacks);
            // A program that embeds Python could unload it.
            super::pin(this_thread);
            let is_finalizing = symbol(c"Py_IsFinalizing").or_else(|_| symbol(c"_Py_IsFinalizing"))?;
            let address = |name| symbol(name).map(|found| found as u64);
            Ok(Some(Self {
                this_thread: std::mem::transmute::<*const c_void, extern "C" fn() -> u64>(this_thread),
                is_finalizing: std::mem::transmute::<*const c_void, extern "C" fn() -> c_int>(is_finalizing),
                types: Types {
                    code: address(c"PyCode_Type")?,
                    text: address(c"PyUnicode_Type")?,
                    bytes: address(c"PyBytes_Type")?,
                },
                scripts: scripts(),
                layout,
            }))
        }
    }
}

/// The address of a symbol of the program or of a library that it is linked with.
fn function(name: &CStr) -> Option<*const c_void> {
    // SAFETY: a terminated name; the loader looks it up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found.cast_const())
}

/// The layout of the interpreter's structures.
fn layout() -> Result<Layout, String> {
    // Builds that count all references have other structures.
    if function(c"_Py_NegativeRefcount").is_some() {
        return Err("a debug build of Python".to_owned());
    }
    let minor = minor_version().ok_or("a Python of unknown version")?;
    let runtime = function(c"_PyRuntime").filter(|_| minor >= layout::FIRST_WITH_OFFSETS);
    // SAFETY: since 3.13 the runtime's structure begins with a table that is longer than this.
    let table = runtime.map(|runtime| unsafe { &*runtime.cast::<layout::Table>() });
    Layout::of(minor, table)
}

/// The second number of the interpreter's version.
fn minor_version() -> Option<u32> {
    if let Some(version) = function(c"Py_Version") {
        // SAFETY: a constant of this type, since 3.11.
        let version = unsafe { *version.cast::<c_ulong>() };
        return (version >> 24 == 3).then_some((version >> 16 & 0xff) as u32);
    }
    let version = function(c"Py_GetVersion")?;
    // SAFETY: a function without arguments that returns a terminated text which stays.
    let text = unsafe {
        CStr::from_ptr(std::mem::transmute::<*const c_void, extern "C" fn() -> *const c_char>(version)())
    };
    text.to_str().ok()?.strip_prefix("3.")?.split('.').next()?.parse().ok()
}

/// The folder of the interpreter's executable, as `sys.executable` names it; empty if it is unknown.
fn scripts() -> Vec<u8> {
    let Some(path) = function(c"Py_GetProgramFullPath") else { return Vec::new() };
    // SAFETY: a function without arguments that returns null or a terminated text of wide characters, which stays.
    let mut character =
        unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> *const u32>(path)() };
    let mut text = String::new();
    while !character.is_null() && text.len() < layout::MOST_TEXT {
        // SAFETY: no further than the zero at the end.
        let code = unsafe { *character };
        if code == 0 {
            break;
        }
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        // SAFETY: the text goes on behind a character that isn't zero.
        character = unsafe { character.add(1) };
    }
    text.rfind('/').map(|end| text.as_bytes()[..=end].to_vec()).unwrap_or_default()
}

/// Reads a word of a structure, unless there can't be one at that address.
///
/// # Safety
/// The address is that of such a structure, or nonsense that no address can be.
unsafe fn word(structure: u64, offset: u64) -> Option<u64> {
    let address = structure.checked_add(offset)?;
    let is_address = address.is_multiple_of(8) && (1 << 12..1 << 47).contains(&address);
    // SAFETY: the caller's promise.
    is_address.then(|| unsafe { *(address as *const u64) })
}
