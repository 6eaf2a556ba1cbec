//! Return addresses on the calling thread's stack, and the library of an address.

use std::ffi::{CStr, c_int, c_void};
use std::mem::size_of;

/// Maximum number of callers examined: the runtime has about ten between its tracepoint and the program.
const MAX_CALLERS: usize = 24;

/// Return addresses, the innermost one first.
pub(crate) struct Callers {
    addresses: [u64; MAX_CALLERS],
    count: usize,
}

// The same unwinder as the standard library's.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(context: *mut c_void, callers: *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

const GO_ON: c_int = 0;
const ENOUGH: c_int = 5;

extern "C" fn add(context: *mut c_void, callers: *mut c_void) -> c_int {
    // SAFETY: `here` passes its own value, which nothing else uses meanwhile.
    let callers = unsafe { &mut *callers.cast::<Callers>() };
    // SAFETY: the context is the unwinder's, valid during this call.
    let address = unsafe { _Unwind_GetIP(context) } as u64;
    let Some(place) = callers.addresses.get_mut(callers.count).filter(|_| address != 0) else {
        return ENOUGH;
    };
    *place = address;
    callers.count += 1;
    GO_ON
}

impl Callers {
    pub(crate) fn none() -> Self {
        Self { addresses: [0; MAX_CALLERS], count: 0 }
    }

    /// Returns the callers of the calling function. Takes a microsecond or two, no lock and no allocation, with glibc
    /// 2.35 or later and code loaded from files. Before that, the unwinder takes the loader's lock for a moment; if a
    /// just-in-time compiler has registered code, it takes a lock of its own, and the first caller allocates memory to
    /// sort the registrations.
    pub(crate) fn here() -> Self {
        let mut callers = Self::none();
        // SAFETY: `add` gets the type it expects; the unwinder reads the stack and writes nothing.
        unsafe { _Unwind_Backtrace(add, std::ptr::from_mut(&mut callers).cast()) };
        callers
    }

    pub(crate) fn addresses(&self) -> &[u64] {
        &self.addresses[..self.count]
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Module {
    pub(crate) path: String,
    /// Its base address.
    pub(crate) base: u64,
}

pub(crate) fn module_of(address: u64) -> Option<Module> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `found` is a valid place for the result; any address may be looked up.
    let is_known = unsafe { libc::dladdr(address as *const c_void, &mut found) } != 0;
    if !is_known || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of a loaded file, NUL-terminated.
    let path = unsafe { CStr::from_ptr(found.dli_fname) }.to_string_lossy().into_owned();
    Some(Module { path, base: found.dli_fbase as u64 })
}

pub(crate) fn program_base() -> Option<u64> {
    // SAFETY: returns a number.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    Some(module_of(entry)?.base)
}

pub(crate) fn recorder_base() -> Option<u64> {
    Some(module_of(module_of as *const () as u64)?.base)
}

/// Returns the number of modules unloaded so far. While it is unchanged, an address stays in the same module.
pub(crate) fn unloads() -> u64 {
    // Every module has the number.
    any_module(|info| Some(info.dlpi_subs)).unwrap_or(0)
}

pub(crate) fn module_count(begin: &str) -> usize {
    let mut count = 0;
    any_module(|info| -> Option<()> {
        // SAFETY: null or the loader's name of a loaded file, NUL-terminated.
        let path = (!info.dlpi_name.is_null()).then(|| unsafe { CStr::from_ptr(info.dlpi_name) })?;
        let name = path.to_bytes().rsplit(|byte| *byte == b'/').next()?;
        count += usize::from(name.starts_with(begin.as_bytes()));
        None
    });
    count
}

/// Returns the first result of `look` for a module. Does not take the loader's lock that is held during the
/// constructors of a module.
pub(super) fn any_module<T, Look: FnMut(&libc::dl_phdr_info) -> Option<T>>(look: Look) -> Option<T> {
    extern "C" fn each<T, Look: FnMut(&libc::dl_phdr_info) -> Option<T>>(
        info: *mut libc::dl_phdr_info,
        size: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: `any_module` passes its own pair, valid during its call.
        let (look, found) = unsafe { &mut *search.cast::<(Look, Option<T>)>() };
        if size < size_of::<libc::dl_phdr_info>() {
            return 1;
        }
        // SAFETY: the loader passes a description of that size.
        *found = look(unsafe { &*info });
        found.is_some().into()
    }
    let mut search = (look, None);
    // SAFETY: `each` gets the type it expects, valid during this call.
    unsafe { libc::dl_iterate_phdr(Some(each::<T, Look>), std::ptr::from_mut(&mut search).cast()) };
    search.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_where_its_code_is() {
        assert_eq!(program_base(), Some(module_of(program_base as *const () as u64).unwrap().base));
    }

    #[test]
    fn modules_are_counted_as_they_come_and_go() {
        let before = unloads();
        assert_eq!(module_count("libanl.so"), 0);
        // SAFETY: a library of the C library without constructors.
        unsafe {
            let library = libc::dlopen(c"libanl.so.1".as_ptr(), libc::RTLD_NOW);
            assert!(!library.is_null());
            assert_eq!(module_count("libanl.so"), 1);
            assert_eq!(libc::dlclose(library), 0);
        }
        assert_eq!(module_count("libanl.so"), 0);
        assert!(unloads() > before);
    }

    #[test]
    fn the_innermost_caller_is_in_this_program() {
        let callers = Callers::here();
        assert!(callers.addresses().len() > 2);
        let own = module_of(callers.addresses()[0]).unwrap();
        assert!(own.base > 0 && own.path.contains("subscriber"), "{own:?}");
        assert!(Callers::none().addresses().is_empty());
        assert!(module_of(8).is_none());
    }
}
