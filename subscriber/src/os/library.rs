//! Libraries of drivers, which the recorder loads if they are installed.

use std::ffi::{CStr, CString, OsString, c_void};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// A loaded library. It stays loaded.
#[derive(Clone, Copy)]
pub(super) struct Library(NonNull<c_void>);

impl Library {
    pub(super) fn open(path: &Path) -> Option<Self> {
        let path = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: a NUL-terminated path; the loaded file is a driver's library.
        NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) }).map(Self)
    }

    pub(super) fn symbol(self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: a handle of `dlopen`; the name is NUL-terminated.
        NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })
    }
}

/// Returns paths of a library: in `LD_LIBRARY_PATH`, which the loader reads only at the start of a process, and in the
/// loader's own search path.
pub(super) fn paths(name: &str) -> Vec<PathBuf> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = folders.as_bytes().split(|byte| *byte == b':');
    let listed = folders.filter_map(|folder| {
        let folder = PathBuf::from(OsString::from_vec(folder.to_vec()));
        in_folder(&folder, name)
    });
    listed.chain([name.into()]).collect()
}

pub(super) fn in_folder(folder: &Path, name: &str) -> Option<PathBuf> {
    Some(folder.join(name)).filter(|path| folder.is_absolute() && path.is_file())
}

/// Declares a library's functions as `struct Api`, whose `load` fails with the name of a missing one.
macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*);)+) => {
        struct Api {
            $($field: unsafe extern "C" fn($($argument),*) -> u32,)+
        }

        impl Api {
            fn load(library: $crate::os::library::Library) -> Result<Self, &'static std::ffi::CStr> {
                // SAFETY: each symbol has the type that the library's header declares for it.
                unsafe {
                    Ok(Self {
                        $($field: std::mem::transmute::<
                            std::ptr::NonNull<std::ffi::c_void>,
                            unsafe extern "C" fn($($argument),*) -> u32,
                        >(library.symbol($name).ok_or($name)?),)+
                    })
                }
            }
        }
    };
}
pub(super) use functions;

/// Returns the text in a C string buffer, without the white space around it.
pub(super) fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}
