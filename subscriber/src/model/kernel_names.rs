//! Names of kernels as in the program's source, from the symbols of compilers.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::node_words::FREE_FUNCTION_PREFIX;
use crate::lines::readable;

const TYPE_NAME: &str = "_ZTS";

#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) name: Arc<str>,
    /// True if it is a mangled C++ symbol.
    pub(super) is_decorated: bool,
    /// True if the kernel was not compiled by a SYCL compiler: this name is better than the runtime's.
    pub(super) is_foreign: bool,
}

impl Kernel {
    pub(super) fn new(symbol: &str) -> Self {
        let is_decorated = symbol.starts_with("_Z");
        let is_foreign = !is_decorated && !symbol.starts_with(FREE_FUNCTION_PREFIX);
        Self { name: readable_kernel(symbol).into(), is_decorated, is_foreign }
    }
}

/// Names by the symbols in a device's records, which name a kernel on every run.
#[derive(Default)]
pub(super) struct KernelNames {
    names: FxHashMap<Box<str>, Arc<str>>,
}

impl KernelNames {
    pub(super) fn name(&mut self, symbol: &str) -> Arc<str> {
        if let Some(name) = self.names.get(symbol) {
            return Arc::clone(name);
        }
        let name: Arc<str> = readable_kernel(symbol).into();
        self.names.insert(symbol.into(), Arc::clone(&name));
        name
    }
}

/// Returns a kernel's name in the runtime's form, as returned by the C++ library: `typeinfo name for app::Kernel`.
fn readable_kernel(symbol: &str) -> String {
    let symbol = symbol.strip_prefix(FREE_FUNCTION_PREFIX).unwrap_or(symbol);
    if symbol.starts_with(TYPE_NAME) { readable_type(symbol) } else { readable(symbol.as_bytes()) }
}

fn readable_type(symbol: &str) -> String {
    let demangled = cpp_demangle::Symbol::new(symbol).ok().and_then(|symbol| symbol.demangle().ok());
    demangled.unwrap_or_else(|| symbol.to_owned())
}

/// Returns the label of a Kokkos kernel. If the program gives none, Kokkos uses the type of its functor and, after a
/// slash, that of its tag, both as returned by `std::type_info::name`.
pub(super) fn kokkos_label(label: &str) -> String {
    let parts = label.split('/').map(|part| {
        // `1D` and `3dim` would be types, too, but are more likely labels.
        let is_type = match part.as_bytes() {
            [b'N' | b'Z', ..] => true,
            [b'1'..=b'9', name @ ..] => name.len() > 3,
            _ => false,
        };
        if !is_type {
            return part.to_owned();
        }
        let name = readable_type(&format!("{TYPE_NAME}{part}"));
        name.strip_prefix("typeinfo name for ").unwrap_or(part).to_owned()
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named_as_the_runtime_names_them() {
        for (symbol, name, is_foreign) in [
            ("_ZTS4work", "typeinfo name for work", false),
            ("_ZTSN3app6KernelIfEE", "typeinfo name for app::Kernel<float>", false),
            ("_Z5scalePff", "scale", false),
            ("_ZTSnot a symbol", "_ZTSnot a symbol", false),
            ("__sycl_kernel_scale", "scale", false),
            ("triad", "triad", true),
        ] {
            let kernel = Kernel::new(symbol);
            assert_eq!((&*kernel.name, kernel.is_foreign), (name, is_foreign));
        }
    }

    #[test]
    fn a_device_s_records_name_kernels_alike_each_time() {
        let mut names = KernelNames::default();
        for _ in 0..2 {
            assert_eq!(&*names.name("__sycl_kernel_scale"), "scale");
            assert_eq!(&*names.name("_ZTSN3app6KernelE"), "typeinfo name for app::Kernel");
            assert_eq!(&*names.name(""), "");
        }
    }

    #[test]
    fn labels_of_kokkos_are_types_only_where_they_are_such() {
        for (label, shown) in [
            ("N4test4AxpyE", "test::Axpy"),
            ("4Axpy/N4test3TagE", "Axpy/test::Tag"),
            ("Z4mainEUlRKiE_", "main::{lambda(int const&)#1}"),
            ("Nightly", "Nightly"),
            ("1D", "1D"),
            ("3dim", "3dim"),
            ("Zones/2 of 3", "Zones/2 of 3"),
            ("axpy", "axpy"),
            ("", ""),
        ] {
            assert_eq!(kokkos_label(label), shown);
        }
    }
}
