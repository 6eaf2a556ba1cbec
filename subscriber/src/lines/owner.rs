//! Owners of code, by the paths of its files: the program, a package, the runtime, the system, an interpreter.

use std::path::Path;

use syclscope_language::event::FrameKind;

/// Beginnings of the file names of the runtime, its adapters and drivers.
const RUNTIME: &[&str] = &[
    "libsycl.",
    "libsycl-",
    "libpi_",
    "libur_",
    "libumf.",
    "libze_",
    "libOpenCL.",
    "libintelocl",
    "libcpu_device",
    "libtask_executor",
    "libtbb",
    "libcuda.",
    "libcudart.",
    "libcupti.",
    "libnvidia",
    "libamdhip",
    "libhsa",
    "libigc",
    "libigd",
    "libintel-ocl",
    "libhwloc.",
];
/// Prefix of the name of the runtime's library that calls the recorder.
const NOTIFIES: &str = "libxptifw.";
/// Beginnings of the file names of libraries of C and C++.
const SYSTEM: &[&str] = &[
    "libc.",
    "libc-",
    "libstdc++.",
    "libc++",
    "libm.",
    "libpthread",
    "libgcc_s.",
    "libdl.",
    "ld-linux",
    "libgomp.",
];
/// Part of the paths of the interpreter's own modules.
const OF_INTERPRETER: &str = "/lib-dynload/";
/// Parts of the paths of installed Python packages.
const INSTALLED: &[&str] = &["/site-packages/", "/dist-packages/", "/lib/python3."];
/// Folders of headers with inlined functions between the program and the runtime.
const HEADERS: &[&str] = &["/include/sycl/", "/include/c++/"];

pub(crate) fn is_installed(path: &str) -> bool {
    INSTALLED.iter().any(|part| path.contains(part))
}

/// True for the library that calls the recorder, which is not one of the program's callers.
pub(super) fn is_notifier(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(NOTIFIES))
}

pub(super) fn is_of_header(file: &str) -> bool {
    HEADERS.iter().any(|folder| file.contains(folder))
}

/// True if a source file may be the user's. The files of a module in a package must also exist on this machine: the
/// user may have installed an extension under development, but bindings are built elsewhere.
pub(super) fn is_users(file: &str, is_in_package: bool) -> bool {
    !is_installed(file) && (!is_in_package || Path::new(file).is_file())
}

pub(super) fn owner(path: &str) -> FrameKind {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let begins = |names: &[&str]| names.iter().any(|begin| name.starts_with(begin));
    // Builds without the global lock and for debugging have letters after their version (`python3.13td`).
    let is_python = name.strip_prefix("python").is_some_and(|rest| {
        let version = rest.trim_end_matches(['t', 'd', 'm']);
        version.is_empty() == rest.is_empty()
            && version.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'))
    });
    if begins(RUNTIME) || begins(&[NOTIFIES]) {
        FrameKind::Runtime
    } else if begins(SYSTEM) || path == "[vdso]" {
        FrameKind::System
    } else if name.starts_with("libpython3") || is_python || path.contains(OF_INTERPRETER) {
        FrameKind::Interpreter
    } else {
        FrameKind::Program
    }
}

/// Returns the owner of the code of a source file in a module of the program, which may be a header.
pub(super) fn kind_of_file(file: &str, is_in_package: bool) -> FrameKind {
    if file.contains(HEADERS[0]) {
        return FrameKind::Runtime;
    }
    if is_of_header(file) {
        return FrameKind::System;
    }
    let is_package = !file.is_empty() && !is_users(file, is_in_package);
    if is_package { FrameKind::Package } else { FrameKind::Program }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_shows_whose_code_it_is() {
        for (path, kind) in [
            ("/opt/lib/libsycl.so.8.0.0", FrameKind::Runtime),
            ("/opt/lib/libsycl-preview.so.9", FrameKind::Runtime),
            ("/usr/local/lib/libigc.so.2", FrameKind::Runtime),
            ("/opt/lib/libur_adapter_opencl.so.0", FrameKind::Runtime),
            ("/opt/lib/libxptifw.so", FrameKind::Runtime),
            ("/lib/x86_64-linux-gnu/libc.so.6", FrameKind::System),
            ("/usr/lib64/ld-linux-x86-64.so.2", FrameKind::System),
            ("/usr/bin/python3.11", FrameKind::Interpreter),
            ("/usr/bin/python3.13t", FrameKind::Interpreter),
            ("/usr/bin/python3.13d", FrameKind::Interpreter),
            ("/usr/bin/python3.13td", FrameKind::Interpreter),
            ("/usr/bin/python3.7dm", FrameKind::Interpreter),
            ("/usr/bin/python", FrameKind::Interpreter),
            ("/usr/lib/libpython3.12.so.1.0", FrameKind::Interpreter),
            ("/usr/lib/python3.11/lib-dynload/_ctypes.so", FrameKind::Interpreter),
            ("/home/a/pythonic", FrameKind::Program),
            ("/home/a/pythont", FrameKind::Program),
            ("/home/a/pythontd", FrameKind::Program),
            ("/home/a/solver", FrameKind::Program),
        ] {
            assert_eq!(owner(path), kind, "{path}");
        }
        assert_eq!(kind_of_file("/o/include/sycl/queue.hpp", false), FrameKind::Runtime);
        assert_eq!(kind_of_file("/usr/include/c++/12/bits/move.h", false), FrameKind::System);
        assert_eq!(kind_of_file("/gone/solver.cpp", false), FrameKind::Program);
        assert_eq!(kind_of_file("/gone/solver.cpp", true), FrameKind::Package);
    }

    #[test]
    fn a_line_of_a_package_is_the_users_where_its_source_is_here() {
        let folder = tempfile::tempdir().unwrap();
        let source = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (own, header) = (source("extension.cpp"), source("site-packages/pybind11/include/pybind11.h"));
        for (file, in_package, elsewhere) in
            [(own.as_str(), true, true), ("/gone/_queue.cpp", false, true), (header.as_str(), false, false)]
        {
            assert_eq!((is_users(file, true), is_users(file, false)), (in_package, elsewhere), "{file}");
        }
    }
}
