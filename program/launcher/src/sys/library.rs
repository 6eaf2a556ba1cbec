//! Loads shared libraries to check them and their functions. Use it only in a separate process: a library's
//! initialisation code runs here.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::NonNull;

/// A loaded library; it stays loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library(NonNull<c_void>);

impl Library {
    /// Loads a library with all its dependencies.
    ///
    /// # Errors
    /// Returns the dynamic loader's message if the library can't be loaded.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let text = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the path is NUL-terminated; the library's own code affects this process alone.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(handle).map(Self).ok_or_else(last_error)
    }

    pub(super) fn symbol(self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle came from `dlopen`, and the name is NUL-terminated.
        NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })
    }

    /// Calls a function that takes a path and returns a number; `None` if the library lacks it, or if the
    /// path contains a zero byte.
    pub(crate) fn call(self, name: &CStr, path: &Path) -> Option<i32> {
        let path = CString::new(path.as_os_str().as_bytes()).ok()?;
        let function = self.symbol(name)?;
        // SAFETY: the subscriber's function has this type; the path is NUL-terminated and outlives the call.
        unsafe {
            let function: unsafe extern "C" fn(*const c_char) -> c_int = std::mem::transmute(function);
            Some(function(path.as_ptr()))
        }
    }

    pub(crate) fn has(self, name: &str) -> bool {
        CString::new(name).is_ok_and(|name| self.symbol(&name).is_some())
    }
}

fn last_error() -> String {
    // SAFETY: the loader returns null or a NUL-terminated text that stays until its next call on this thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            "the loader gave no reason".to_owned()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}
