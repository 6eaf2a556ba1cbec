//! Remedies that are environment variables of the runtime. `docs/TRY.md` lists them.

use std::ffi::OsString;
use std::path::Path;

use syclscope_report::trial::Measurement;

/// Part of the platform names of Level Zero devices, without the dash or blank.
const LEVEL_ZERO: &str = "level zero";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Remedy {
    /// Cache built programs on disk: SYCL_CACHE_PERSISTENT
    PersistentCache,
    /// Offer GPUs only: ONEAPI_DEVICE_SELECTOR
    Gpu,
    /// Submit each command at once (Level Zero): UR_L0_USE_IMMEDIATE_COMMANDLISTS
    ImmediateCommandLists,
    /// Submit commands in batches (Level Zero): UR_L0_USE_IMMEDIATE_COMMANDLISTS
    BatchedCommandLists,
    /// Copy on all copy engines (Level Zero): UR_L0_USE_COPY_ENGINE
    AllCopyEngines,
    /// Use host memory of buffers in place (Level Zero): SYCL_USM_HOSTPTR_IMPORT
    HostPointerImport,
    /// Run host tasks on all processors: SYCL_QUEUE_THREAD_POOL_SIZE
    HostTaskThreads,
}

impl Remedy {
    const ALL: [Self; 7] = [
        Self::PersistentCache,
        Self::Gpu,
        Self::ImmediateCommandLists,
        Self::BatchedCommandLists,
        Self::AllCopyEngines,
        Self::HostPointerImport,
        Self::HostTaskThreads,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PersistentCache => "persistent-cache",
            Self::Gpu => "gpu",
            Self::ImmediateCommandLists => "immediate-command-lists",
            Self::BatchedCommandLists => "batched-command-lists",
            Self::AllCopyEngines => "all-copy-engines",
            Self::HostPointerImport => "host-pointer-import",
            Self::HostTaskThreads => "host-task-threads",
        }
    }

    pub(super) fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::PersistentCache => &["build_inside_run", "slow_start"],
            Self::Gpu => &["cpu_instead_of_gpu"],
            Self::ImmediateCommandLists => {
                &["wait_after_kernel", "blocking_host_accessor", "blocking_destructor", "blocking_read"]
            }
            Self::BatchedCommandLists => &["kernels_too_short"],
            Self::AllCopyEngines | Self::HostPointerImport => &["implicit_copies"],
            Self::HostTaskThreads => &["work_in_host_tasks"],
        }
    }

    /// Returns the only backend that it affects; `None` for all.
    pub(super) fn backend(self) -> Option<&'static str> {
        match self {
            Self::PersistentCache | Self::Gpu | Self::HostTaskThreads => None,
            Self::ImmediateCommandLists
            | Self::BatchedCommandLists
            | Self::AllCopyEngines
            | Self::HostPointerImport => Some("Level Zero"),
        }
    }

    pub(super) fn variables(self) -> Vec<(&'static str, String)> {
        let one = |name, value: &str| vec![(name, value.to_owned())];
        match self {
            // intel/llvm, sycl/doc/EnvironmentVariables.md: "Controls persistent device compiled code cache."
            Self::PersistentCache => one("SYCL_CACHE_PERSISTENT", "1"),
            // Ibid.: "`*:gpu` matches all GPU devices in all backends".
            Self::Gpu => one("ONEAPI_DEVICE_SELECTOR", "*:gpu"),
            // unified-runtime, core/LEVEL_ZERO.rst: "1: Immediate command lists are used per queue."
            Self::ImmediateCommandLists => one("UR_L0_USE_IMMEDIATE_COMMANDLISTS", "1"),
            // Ibid.: "0: Immediate command lists are not used." Commands are batched then
            // (EnvironmentVariables.md, SYCL_PI_LEVEL_ZERO_USE_IMMEDIATE_COMMANDLISTS).
            Self::BatchedCommandLists => one("UR_L0_USE_IMMEDIATE_COMMANDLISTS", "0"),
            // Ibid.: "1: All available copy engines can be used." With immediate command lists the default is
            // one engine (EnvironmentVariables.md, SYCL_PI_LEVEL_ZERO_USE_COPY_ENGINE: 0:0).
            Self::AllCopyEngines => one("UR_L0_USE_COPY_ENGINE", "1"),
            // EnvironmentVariables.md: "Buffers created with a host pointer will result in host data promotion to USM
            // […] also set SYCL_HOST_UNIFIED_MEMORY=1". Read by unified-runtime's Level Zero adapter only
            // (setZeUSMImport).
            Self::HostPointerImport => {
                vec![
                    ("SYCL_USM_HOSTPTR_IMPORT", "1".to_owned()),
                    ("SYCL_HOST_UNIFIED_MEMORY", "1".to_owned()),
                ]
            }
            // EnvironmentVariables.md: "Number of threads in thread pool of queue."
            Self::HostTaskThreads => {
                let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                one("SYCL_QUEUE_THREAD_POOL_SIZE", &threads.to_string())
            }
        }
    }

    /// Returns the variables for its runs: its own, and others that protect the user's files.
    pub(super) fn variables_of_runs(self, scratch: &Path) -> Vec<(&'static str, OsString)> {
        let own = self.variables().into_iter().map(|(name, value)| (name, value.into()));
        let cache =
            (self == Self::PersistentCache).then(|| ("SYCL_CACHE_DIR", scratch.as_os_str().to_owned()));
        own.chain(cache).collect()
    }

    /// True if a first run has to fill a cache for the others.
    pub(super) fn has_warm_up(self) -> bool {
        self == Self::PersistentCache
    }

    pub(super) fn is_set(self) -> bool {
        self.variables().iter().all(|(name, value)| std::env::var_os(name).is_some_and(|own| own == **value))
    }

    pub(super) fn works_on(self, measurement: &Measurement) -> bool {
        let is_level_zero =
            |platform: &String| platform.to_lowercase().replace('-', " ").contains(LEVEL_ZERO);
        self.backend().is_none() || measurement.platforms.iter().any(is_level_zero)
    }
}

/// Returns the remedies for the findings of a measurement, except for those that are already set.
pub(super) fn fitting(measurement: &Measurement) -> Vec<Remedy> {
    let is_for = |remedy: Remedy| {
        measurement.findings.iter().any(|finding| remedy.kinds().contains(&finding.kind.as_str()))
    };
    let fits = |remedy: &Remedy| is_for(*remedy) && remedy.works_on(measurement) && !remedy.is_set();
    Remedy::ALL.into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use syclscope_report::trial::LedgerFinding;

    use super::*;

    fn measurement(platform: &str, kinds: &[&str]) -> Measurement {
        let finding = |kind: &&str| LedgerFinding { kind: (*kind).to_owned(), ..LedgerFinding::default() };
        Measurement {
            platforms: vec![platform.to_owned()],
            findings: kinds.iter().map(finding).collect(),
            ..Measurement::default()
        }
    }

    #[test]
    fn remedies_fit_findings_and_backends() {
        let gpu = "Intel(R) oneAPI Unified Runtime over Level-Zero V2";
        assert_eq!(fitting(&measurement(gpu, &["kernels_too_short"])), [Remedy::BatchedCommandLists]);
        assert_eq!(
            fitting(&measurement(gpu, &["implicit_copies"])),
            [Remedy::AllCopyEngines, Remedy::HostPointerImport]
        );
        assert_eq!(fitting(&measurement("Intel(R) OpenCL", &["implicit_copies", "copy_unchanged"])), []);
        assert_eq!(
            fitting(&measurement("Intel(R) OpenCL", &["build_inside_run", "work_in_host_tasks"])),
            [Remedy::PersistentCache, Remedy::HostTaskThreads]
        );
    }

    #[test]
    fn the_users_cache_stays_untouched() {
        let variables = Remedy::PersistentCache.variables_of_runs(Path::new("/scratch"));
        assert_eq!(
            variables,
            [("SYCL_CACHE_PERSISTENT", "1".into()), ("SYCL_CACHE_DIR", OsString::from("/scratch"))]
        );
        let names = |remedy: Remedy| {
            remedy.variables_of_runs(Path::new("/scratch")).into_iter().map(|(name, _)| name)
        };
        assert!(Remedy::ALL[1..].iter().all(|remedy| names(*remedy).all(|name| name != "SYCL_CACHE_DIR")));
    }

    #[test]
    fn names_are_those_of_the_command_line_and_of_the_manual() {
        let manual = include_str!("../../../../docs/TRY.md");
        let rules = include_str!("../../../../docs/FINDINGS.md");
        assert_eq!(Remedy::value_variants(), Remedy::ALL);
        for remedy in Remedy::ALL {
            let option = remedy.to_possible_value().unwrap();
            assert_eq!(option.get_name(), remedy.name());
            let row = manual.lines().find(|line| line.starts_with(&format!("| `{}` |", remedy.name())));
            let row = row.unwrap_or_else(|| panic!("{} has no row", remedy.name()));
            assert!(row.contains(remedy.backend().unwrap_or("all")), "{row}");
            for (name, value) in remedy.variables() {
                let value = if remedy == Remedy::HostTaskThreads { "N".to_owned() } else { value };
                assert!(row.contains(&format!("`{name}={value}`")), "{row} lacks {name}={value}");
            }
            for kind in remedy.kinds() {
                assert!(row.contains(&format!("`{kind}`")), "{row} lacks {kind}");
                assert!(rules.contains(&format!("| `{kind}` |")), "{kind} is no finding");
            }
        }
    }
}
