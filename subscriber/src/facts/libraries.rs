//! Libraries of the runtime and its drivers, from the memory map of the process.

use std::path::Path;

const NAMES: [&str; 17] = [
    "libsycl.so",
    "libsycl-preview.so",
    "libsycl-jit.so",
    "libur_loader.so",
    "libur_adapter_",
    "libpi_",
    "libxptifw.so",
    "libumf.so",
    "libOpenCL.so",
    "libintelocl.so",
    "libigdrcl.so",
    "libigc.so",
    "libze_loader.so",
    "libze_intel_gpu.so",
    "libcuda.so",
    "libamdhip64.so",
    "libhsa-runtime64.so",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// File name up to `.so`.
    pub(super) name: String,
    /// Text after the name, empty if there is none.
    pub(super) version: String,
    pub(super) path: String,
}

/// Returns the distinct libraries of the runtime in a text like `/proc/self/maps`.
pub(super) fn of_runtime(maps: &str) -> Vec<Library> {
    let mut found: Vec<Library> = Vec::new();
    for line in maps.lines() {
        let Some(start) = line.find('/') else { continue };
        let path = line[start..].trim_end_matches(" (deleted)");
        let file = path.rsplit('/').next().unwrap_or(path);
        let is_wanted = NAMES.iter().any(|name| file.starts_with(name));
        if !is_wanted || found.iter().any(|library| library.path == path) {
            continue;
        }
        if let Some((name, version)) = file.split_once(".so") {
            let version = version.trim_start_matches('.').to_owned();
            found.push(Library { name: name.to_owned(), version, path: path.to_owned() });
        }
    }
    found
}

/// Python packages that contain a library, by the library's name.
const PACKAGES: [(&str, &str); 2] = [("libsycl", "intel_sycl_rt"), ("libintelocl", "intel_opencl_rt")];

/// Returns the package that installed a library and its version, if it was installed by Python's tools.
pub(super) fn package_of(library: &Library) -> Option<(String, String)> {
    let (_, package) = PACKAGES.iter().find(|(name, _)| *name == library.name)?;
    let folder = Path::new(&library.path).parent()?;
    let pythons = std::fs::read_dir(folder).ok()?.flatten();
    let mut pythons = pythons.filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    pythons.find_map(|python| {
        let packages = std::fs::read_dir(python.path().join("site-packages")).ok()?.flatten();
        packages.into_iter().find_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            let version = file.strip_prefix(package)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
            Some((package.replace('_', "-"), version.to_owned()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_once_with_their_version() {
        let maps = "\
7f1 r--p 00000000 fe:01 1 /opt/venv/lib/libsycl.so.9.0.0
7f2 r-xp 00000000 fe:01 1 /opt/venv/lib/libsycl.so.9.0.0
7f3 r--p 00000000 fe:01 2 /usr/lib/libc.so.6
7f4 rw-p 00000000 00:00 0 [heap]
7f5 r--p 00000000 fe:01 3 /opt/with blank/libur_adapter_opencl.so.0.12.0 (deleted)
7f6 r--p 00000000 fe:01 4 /opt/venv/lib/libintelocl.so
";
        let found = of_runtime(maps);
        let found: Vec<_> =
            found.iter().map(|library| (library.name.as_str(), library.version.as_str())).collect();
        assert_eq!(found, [("libsycl", "9.0.0"), ("libur_adapter_opencl", "0.12.0"), ("libintelocl", "")]);
    }

    #[test]
    fn the_package_is_found_beside_the_library() {
        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("lib/python3.11/site-packages");
        std::fs::create_dir_all(packages.join("intel_sycl_rt-2026.2.0.dist-info")).unwrap();
        let path = folder.path().join("lib/libsycl.so.9").display().to_string();
        let library = Library { name: "libsycl".to_owned(), version: "9".to_owned(), path };
        let package = package_of(&library).unwrap();
        assert_eq!(package, ("intel-sycl-rt".to_owned(), "2026.2.0".to_owned()));
        assert_eq!(package_of(&Library { name: "libOpenCL".to_owned(), ..library }), None);
    }
}
