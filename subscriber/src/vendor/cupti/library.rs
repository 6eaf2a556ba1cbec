//! Paths of the CUPTI library.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// File names under which it is installed; adapters load the first one.
const NAMES: [&str; 4] = ["libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"];
const TOOLKIT: &str = "/usr/local/cuda";

/// Returns the names for `dlopen` in this order: a library that is loaded already or found by the loader, then those of
/// a toolkit or of a Python environment's packages.
pub(super) fn candidates() -> Vec<CString> {
    let mut paths: Vec<PathBuf> = NAMES.iter().map(PathBuf::from).collect();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    for toolkit in toolkits.chain([PathBuf::from(TOOLKIT)]) {
        for folder in ["extras/CUPTI/lib64", "lib64"] {
            paths.extend(NAMES.iter().map(|name| toolkit.join(folder).join(name)));
        }
    }
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os);
    for environment in environments {
        for packages in python_packages(Path::new(&environment)) {
            for folder in ["nvidia/cu13/lib", "nvidia/cuda_cupti/lib"] {
                paths.extend(NAMES.iter().map(|name| packages.join(folder).join(name)));
            }
        }
    }
    let is_name = |path: &PathBuf| path.components().count() == 1;
    paths.retain(|path| is_name(path) || path.is_file());
    paths.into_iter().filter_map(|path| CString::new(OsString::from(path).into_vec()).ok()).collect()
}

/// Returns the folders `lib/python3*/site-packages` of an environment.
fn python_packages(environment: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let is_python = |name: &OsString| name.to_string_lossy().starts_with("python3");
    let folders = found.filter(|entry| is_python(&entry.file_name()));
    folders.map(|entry| entry.path().join("site-packages")).collect()
}
