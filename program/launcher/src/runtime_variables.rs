//! Variables without which a program does not find its runtime's libraries, or the CPU device in the
//! runtime's folder.
//!
//! Runtimes from PyPI and conda bring Intel's OpenCL driver for the CPU in their own folder, where OpenCL's
//! loader does not look. Without a variable, a program then fails with "No device of requested type
//! available".

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::linked;
use syclscope_text::shell_word;

/// Variable with driver files for OpenCL's loader.
const DRIVERS: &str = "OCL_ICD_FILENAMES";
/// Variable with the folder where OpenCL's loader finds lists of drivers.
const VENDORS: &str = "OCL_ICD_VENDORS";
const SYSTEM_VENDORS: &str = "/etc/OpenCL/vendors";
const CPU_DRIVER: &str = "libintelocl.so";
const LIBRARIES: &str = "LD_LIBRARY_PATH";

/// Variables to set for a program, each with its complete value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeVariables(Vec<(&'static str, OsString)>);

impl RuntimeVariables {
    /// Returns the variables that `program` lacks on this machine for the runtime in the framework's folder.
    pub(super) fn find(
        framework: &Path,
        program: &Path,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Self {
        let missing = linked::missing_runtime(program);
        Self::in_folder(
            framework.parent().unwrap_or(Path::new("/")),
            missing.as_deref(),
            Path::new(SYSTEM_VENDORS),
            variable,
        )
    }

    fn in_folder(
        runtime: &Path,
        missing: Option<&str>,
        vendors: &Path,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Self {
        let mut variables = Vec::new();
        if missing.is_some_and(|name| runtime.join(name).is_file()) {
            let others = variable(LIBRARIES).filter(|value| !value.is_empty());
            let folders = others.iter().flat_map(std::env::split_paths);
            let joined = std::env::join_paths(std::iter::once(runtime.to_owned()).chain(folders));
            variables.extend(joined.ok().map(|value| (LIBRARIES, value)));
        }
        let driver = runtime.join(CPU_DRIVER);
        // An empty variable is deliberate, too.
        let is_chosen = [DRIVERS, VENDORS].iter().any(|name| variable(name).is_some());
        // The variable is a list separated by colons.
        let is_one = !driver.as_os_str().as_encoded_bytes().contains(&b':');
        if !is_chosen && is_one && driver.is_file() && !has_driver(vendors) {
            variables.push((DRIVERS, driver.into()));
        }
        Self(variables)
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        self.0.iter().cloned()
    }

    /// Returns a note with the line to type for a run without syclscope; `None` if nothing is set.
    pub(super) fn note(&self) -> Option<String> {
        let (first, _) = self.0.first()?;
        let fails = if *first == LIBRARIES { "does not start" } else { "finds no CPU device" };
        let set: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{name}={}", shell_word(&value.to_string_lossy())))
            .collect();
        Some(format!("set for the program, which {fails} without it: export {}", set.join(" ")))
    }
}

/// True if a list in the folder names Intel's driver for the CPU. Other drivers, such as NVIDIA's, provide no
/// CPU device.
fn has_driver(vendors: &Path) -> bool {
    let files = std::fs::read_dir(vendors).into_iter().flatten().flatten().map(|entry| entry.path());
    let lists = files.filter(|file| file.extension().is_some_and(|ending| ending == "icd"));
    let named = lists.filter_map(|list| std::fs::read_to_string(list).ok());
    let name = CPU_DRIVER.trim_end_matches(".so");
    // The dynamic loader searches for a name without a folder.
    named.into_iter().map(|driver| PathBuf::from(driver.trim())).any(|driver| {
        driver.file_name().is_some_and(|own| own.to_string_lossy().starts_with(name))
            && (driver.components().count() == 1 || driver.is_file())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Machine {
        root: tempfile::TempDir,
    }

    impl Machine {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            for folder in ["runtime", "vendors"] {
                fs::create_dir(root.path().join(folder)).unwrap();
            }
            for name in ["libsycl.so.9", CPU_DRIVER] {
                fs::write(root.path().join("runtime").join(name), "").unwrap();
            }
            Self { root }
        }

        fn runtime(&self) -> PathBuf {
            self.root.path().join("runtime")
        }

        fn asked(&self, missing: Option<&str>, set: &[(&str, &str)]) -> Vec<(&'static str, OsString)> {
            let variable =
                |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, value)| OsString::from(value));
            let vendors = self.root.path().join("vendors");
            RuntimeVariables::in_folder(&self.runtime(), missing, &vendors, &variable).0
        }
    }

    #[test]
    fn the_driver_beside_the_runtime_is_named_where_there_is_no_other() {
        let machine = Machine::new();
        let driver = machine.runtime().join(CPU_DRIVER);
        assert_eq!(machine.asked(None, &[]), [(DRIVERS, driver.clone().into())]);
        for set in [[(DRIVERS, "")], [(DRIVERS, "/other.so")], [(VENDORS, "/vendors")]] {
            assert_eq!(machine.asked(None, &set), [], "{set:?}");
        }
        let list = machine.root.path().join("vendors/intel.icd");
        fs::write(&list, "/no/such/driver.so\n").unwrap();
        assert_eq!(machine.asked(None, &[]).len(), 1, "a list of a driver that is gone");
        fs::write(&list, driver.display().to_string()).unwrap();
        assert_eq!(machine.asked(None, &[]), []);
        fs::write(&list, "libintelocl.so\n").unwrap();
        assert_eq!(machine.asked(None, &[]), []);
        fs::write(&list, "libnvidia-opencl.so.1\n").unwrap();
        assert_eq!(machine.asked(None, &[]).len(), 1, "a driver of other devices");
        fs::remove_file(list).unwrap();
        fs::remove_file(driver).unwrap();
        assert_eq!(machine.asked(None, &[]), []);
    }

    #[test]
    fn a_runtime_that_the_loader_does_not_find_is_put_before_other_folders() {
        let machine = Machine::new();
        let runtime = machine.runtime();
        let set = [(DRIVERS, ""), (LIBRARIES, "/a:/b")];
        let joined = std::env::join_paths([runtime.as_path(), Path::new("/a"), Path::new("/b")]).unwrap();
        assert_eq!(machine.asked(Some("libsycl.so.9"), &set), [(LIBRARIES, joined)]);
        assert_eq!(machine.asked(Some("libsycl.so.8"), &set), [], "another version");
    }

    #[test]
    fn a_value_that_a_shell_would_split_is_quoted() {
        assert_eq!(shell_word("/opt/a-1.2/lib:/b"), "/opt/a-1.2/lib:/b");
        assert_eq!(shell_word("/my rt/it's"), r"'/my rt/it'\''s'");
    }

    #[test]
    fn the_note_is_the_line_to_type() {
        assert_eq!(RuntimeVariables::default().note(), None);
        let note =
            RuntimeVariables(vec![(LIBRARIES, "/rt".into()), (DRIVERS, "/rt/a.so".into())]).note().unwrap();
        assert_eq!(
            note,
            "set for the program, which does not start without it: export LD_LIBRARY_PATH=/rt OCL_ICD_FILENAMES=/rt/a.so"
        );
    }
}
