//! The Python line that the calling thread executes, read from the interpreter's own structures.
//!
//! Nothing here takes the interpreter's lock or changes a reference count. The Python stack of a thread does not change
//! while the thread is in native code, as it is during a notification. The only function called per notification,
//! `PyGILState_GetThisThreadState`, reads a thread-local variable and needs no lock.

mod frames;
mod layout;
mod line_table;
mod memo;
pub(crate) mod sampled;
mod text;
mod user_frame;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::callers;
use crate::flags::FLAGS;
use frames::Frame;
use layout::{Layout, Version};
pub(crate) use text::Text;

/// The interpreter of this process, null until one is found.
static INTERPRETER: AtomicPtr<Interpreter> = AtomicPtr::new(std::ptr::null_mut());
/// `Py_IsInitialized` of an interpreter that has not started, null until one is found.
static IS_INITIALIZED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
/// File name prefix of libraries that contain an interpreter.
const LIBRARY: &str = "libpython";
/// Number of such libraries at the last search for an interpreter, an impossible one before the first search.
static LIBRARIES: AtomicUsize = AtomicUsize::new(usize::MAX);

struct Interpreter {
    layout: Layout,
    this_thread: extern "C" fn() -> u64,
    is_finalizing: extern "C" fn() -> c_int,
    types: Types,
    /// Folder of the interpreter's executable, which contains the scripts of packages, with a trailing slash.
    scripts: Vec<u8>,
}

struct Types {
    code: u64,
    text: u64,
    bytes: u64,
}

pub(crate) enum Search {
    /// There is no interpreter, or it has not started.
    Absent,
    Found,
    /// The interpreter's structures are unknown.
    Unknown(String),
}

pub(crate) struct PythonLine<'a> {
    pub(crate) file: Text<'a>,
    pub(crate) function: Text<'a>,
    pub(crate) line: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct PythonFrame<'a> {
    pub(crate) file: Text<'a>,
    pub(crate) function: Text<'a>,
    /// 0 if unknown.
    pub(crate) line: u32,
    /// True if it was called by native code.
    pub(crate) is_entry: bool,
    pub(crate) is_users: bool,
}

impl<'a> PythonFrame<'a> {
    fn new(interpreter: &Interpreter, file: Text<'a>, line: Option<PythonLine<'a>>, is_entry: bool) -> Self {
        let is_users = file.utf8(|path| user_frame::is_users(path, &interpreter.scripts));
        let function = line.as_ref().map_or(file, |line| line.function);
        Self { file, function, line: line.map_or(0, |line| line.line), is_entry, is_users }
    }

    /// Returns a hash of the frame's contents.
    pub(crate) fn hash(&self) -> u64 {
        let flags = u64::from(self.line) | u64::from(self.is_entry) << 32;
        let file = self.file.utf8(|text| memo::hash(text));
        self.function.utf8(|text| memo::hash((text, file, flags)))
    }
}

/// Returns the interpreter if frames can be read: threads that still run while it shuts down may have lost their state.
fn interpreter() -> Option<&'static Interpreter> {
    let interpreter = INTERPRETER.load(Ordering::Acquire);
    // SAFETY: null, or a value that is never freed.
    let interpreter = unsafe { interpreter.as_ref() }?;
    ((interpreter.is_finalizing)() == 0).then_some(interpreter)
}

#[inline]
pub(crate) fn is_found() -> bool {
    FLAGS.has_python.load(Ordering::Relaxed)
}

pub(crate) fn search() -> Search {
    if is_found() {
        return Search::Found;
    }
    if !has_begun() {
        return Search::Absent;
    }
    match Interpreter::find() {
        Ok(found) => {
            // It stays for the rest of the process: a thread may be reading it.
            INTERPRETER.store(Box::into_raw(Box::new(found)), Ordering::Release);
            FLAGS.has_python.store(true, Ordering::Relaxed);
            Search::Found
        }
        Err(why) => Search::Unknown(why),
    }
}

/// Returns the representative line of the calling thread: the innermost one of the user's code.
///
/// File and function are the interpreter's memory, which is valid during the calling thread's notification.
pub(crate) fn line<'a>() -> Option<PythonLine<'a>> {
    let interpreter = interpreter()?;
    let thread = (interpreter.this_thread)();
    // SAFETY: null or the state of the calling thread, which is in native code.
    let frames = unsafe { frames::Frames::new(interpreter, thread) }?;
    let frame = user_frame::users(frames, &interpreter.scripts)?;
    let Frame { file, code, position, .. } = frame;
    // SAFETY: a code object of that stack.
    unsafe { code.line(interpreter, file, position) }
}

/// Returns the Python frames of the calling thread, the innermost one first. Their texts are as in [`line()`].
pub(crate) fn stack<'a>() -> Option<impl Iterator<Item = PythonFrame<'a>>> {
    let interpreter = interpreter()?;
    let thread = (interpreter.this_thread)();
    // SAFETY: null or the state of the calling thread, which is in native code.
    let mut frames = unsafe { frames::Frames::new(interpreter, thread) }?;
    // SAFETY: as above.
    let mut step = move || unsafe { frames.step() };
    let mut next = step();
    Some(std::iter::from_fn(move || {
        loop {
            let current = next.take()?;
            next = step();
            let Some(frame) = current else { continue };
            // Since 3.12 a frame without code marks a call by native code.
            let is_entry = frame.is_entry || !matches!(next, Some(Some(_)));
            // SAFETY: a code object of that stack.
            let line = unsafe { frame.code.line(interpreter, frame.file, frame.position) };
            return Some(PythonFrame::new(interpreter, frame.file, line, is_entry));
        }
    }))
}

/// True if there is an interpreter and it has started.
///
/// Looking up symbols waits for the loader, which is busy while a module's constructor runs. So symbols are looked up
/// at the start, and later only if an interpreter's library was loaded.
fn has_begun() -> bool {
    let mut is_initialized = IS_INITIALIZED.load(Ordering::Relaxed).cast_const();
    if is_initialized.is_null() {
        let libraries = callers::module_count(LIBRARY);
        if LIBRARIES.swap(libraries, Ordering::Relaxed) == libraries {
            return false;
        }
        let Some(found) = function(c"Py_IsInitialized") else { return false };
        // A program that embeds Python could unload it.
        super::pin(found);
        IS_INITIALIZED.store(found.cast_mut(), Ordering::Relaxed);
        is_initialized = found;
    }
    // SAFETY: a function of this type that may be called at any time, in a library that stays loaded.
    unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> c_int>(is_initialized)() != 0 }
}

impl Interpreter {
    fn find() -> Result<Self, String> {
        let library = Library::of_interpreter()?;
        let version = library.version()?;
        let layout = library.layout(version)?;
        // The name has no underscore since 3.13.
        let is_finalizing = library.get(c"Py_IsFinalizing").or_else(|_| library.get(c"_Py_IsFinalizing"))?;
        // SAFETY: these functions of CPython have these types in all versions since 3.7.
        let (this_thread, is_finalizing) = unsafe {
            (
                std::mem::transmute::<*const c_void, extern "C" fn() -> u64>(library.this_thread),
                std::mem::transmute::<*const c_void, extern "C" fn() -> c_int>(is_finalizing),
            )
        };
        let address = |name| library.data(name).map(|found| found as u64);
        let types = Types {
            code: address(c"PyCode_Type")?,
            text: address(c"PyUnicode_Type")?,
            bytes: address(c"PyBytes_Type")?,
        };
        Ok(Self { layout, this_thread, is_finalizing, types, scripts: library.scripts() })
    }
}

/// The module that contains the interpreter. Symbols of other modules, such as a second libpython, don't count.
struct Library {
    base: u64,
    this_thread: *const c_void,
}

impl Library {
    fn of_interpreter() -> Result<Self, String> {
        let found = function(c"PyGILState_GetThisThreadState");
        let found = found.and_then(|found| Some((base_of(found)?, found)));
        let (base, this_thread) = found.ok_or("a Python without its functions")?;
        Ok(Self { base, this_thread })
    }

    fn get(&self, name: &CStr) -> Result<*const c_void, String> {
        self.find(name, &[self.base])
    }

    /// Returns a variable of this module. The linker may have moved it to a program that uses it.
    fn data(&self, name: &CStr) -> Result<*const c_void, String> {
        self.find(name, &[self.base, callers::program_base().unwrap_or(self.base)])
    }

    fn find(&self, name: &CStr, bases: &[u64]) -> Result<*const c_void, String> {
        let found =
            function(name).ok_or_else(|| format!("Python's {} is missing", name.to_string_lossy()))?;
        let is_of_it = base_of(found).is_some_and(|base| bases.contains(&base));
        if is_of_it { Ok(found) } else { Err("two interpreters of Python".to_owned()) }
    }

    fn version(&self) -> Result<Version, String> {
        let version = self.get(c"Py_GetVersion")?;
        // SAFETY: a function without arguments that returns a NUL-terminated static text.
        let text = unsafe {
            CStr::from_ptr(std::mem::transmute::<*const c_void, extern "C" fn() -> *const c_char>(version)())
        };
        let text = text.to_string_lossy();
        Version::read(&text).ok_or_else(|| format!("a Python of unknown version ({text})"))
    }

    fn layout(&self, version: Version) -> Result<Layout, String> {
        // Debug builds that count all references have other structures.
        if self.get(c"_Py_NegativeRefcount").is_ok() {
            return Err("a debug build of Python".to_owned());
        }
        let has_offsets = version.minor >= layout::FIRST_WITH_OFFSETS;
        let runtime = if has_offsets { Some(self.data(c"_PyRuntime")?) } else { None };
        // SAFETY: since 3.13 the runtime's structure starts with a table that is longer than this.
        let table = runtime.map(|runtime| unsafe { &*runtime.cast::<layout::Table>() });
        Layout::new(version, table)
    }

    /// Returns the folder of the interpreter's executable (`sys.executable`); empty if unknown.
    fn scripts(&self) -> Vec<u8> {
        let Ok(path) = self.get(c"Py_GetProgramFullPath") else { return Vec::new() };
        // SAFETY: a function without arguments that returns null or a NUL-terminated static text of wide characters.
        let mut character =
            unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> *const u32>(path)() };
        let mut text = String::new();
        while !character.is_null() && text.len() < layout::MAX_TEXT_BYTES {
            // SAFETY: not beyond the terminating zero.
            let code = unsafe { *character };
            if code == 0 {
                break;
            }
            text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            // SAFETY: the text continues after a character that isn't zero.
            character = unsafe { character.add(1) };
        }
        text.rfind('/').map(|end| text.as_bytes()[..=end].to_vec()).unwrap_or_default()
    }
}

/// Returns the address of a symbol of the program or of a library that it is linked with.
fn function(name: &CStr) -> Option<*const c_void> {
    // SAFETY: a NUL-terminated name; the loader looks it up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found.cast_const())
}

fn base_of(symbol: *const c_void) -> Option<u64> {
    Some(callers::module_of(symbol as u64)?.base)
}

/// Reads a word of a structure, unless the address is impossible.
///
/// # Safety
/// The address is that of such a structure, or impossible.
unsafe fn word(structure: u64, offset: u64) -> Option<u64> {
    let address = structure.checked_add(offset)?;
    let is_address = address.is_multiple_of(8) && (1 << 12..1 << 47).contains(&address);
    // SAFETY: the caller's promise.
    is_address.then(|| unsafe { *(address as *const u64) })
}
