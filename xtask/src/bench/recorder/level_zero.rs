//! Cost of recording a command on Level Zero, without an Intel GPU: the real adapters and loader on the tests' own
//! driver.
//!
//! The driver is no device, and its own part of a command is more than a real one's. So the ratio counts: a command's
//! cost on the submitting thread, recorded and not.

use std::ffi::OsString;
use std::path::Path;

use super::TURNS;
use super::subject::{Costs, Recorded, Subject, Tracing};
use crate::artefacts::test_driver;
use crate::bench::figure::Figure;
use crate::failure::Result;
use crate::say;
use crate::setup::{level_zero, sycl};
use crate::workspace::Workspace;

/// The two adapters, with the values that select them.
const ADAPTERS: [(&str, &str); 2] = [("v1", "0"), ("v2", "1")];

/// Commands that take next to no time, on both adapters; empty without a loader.
pub(super) fn figures(tracing: &Tracing<'_>, program: &Path) -> Result<Vec<Figure>> {
    let loader = match level_zero::LOADER.find(tracing.workspace) {
        Ok(loader) => loader,
        Err(missing) => {
            say::begins("left out", "Level Zero", &missing);
            return Ok(Vec::new());
        }
    };
    let driver = test_driver::build(tracing.workspace)?;
    let mut figures = Vec::new();
    for (adapter, choice) in ADAPTERS {
        let subject = Subject {
            program: program.to_owned(),
            arguments: vec!["20", "500", "1", "unchecked"],
            environment: environment(tracing.workspace, &loader, &driver, choice),
        };
        figures.extend(of_adapter(tracing, &subject, &format!("short kernels on Level Zero {adapter}"))?);
    }
    Ok(figures)
}

fn of_adapter(tracing: &Tracing<'_>, subject: &Subject<'_>, name: &str) -> Result<Vec<Figure>> {
    say::begins("measuring", name, &format!("{TURNS} turns"));
    let mut least = [Costs::MOST; 2];
    for _ in 0..TURNS {
        for (least, kind) in least.iter_mut().zip([Recorded::Not, Recorded::Beside]) {
            *least = least.min(tracing.round_costs(subject, kind)?);
        }
    }
    let [plain, recorded] = least;
    Ok(vec![
        Figure::new(format!("{name}: not recorded, submitting thread"), plain.threads_ns, "ns"),
        Figure::new(format!("{name}: recorded from beside, submitting thread"), recorded.threads_ns, "ns")
            .with_baseline(plain.threads_ns),
        Figure::new(
            format!("{name}: recorded, to not recorded"),
            recorded.threads_ns / plain.threads_ns,
            "×",
        ),
        Figure::new(
            format!("{name}: recorded, to not recorded, wall time"),
            recorded.wall_ns / plain.wall_ns,
            "×",
        ),
    ])
}

fn environment(
    workspace: &Workspace,
    loader: &Path,
    driver: &Path,
    choice: &str,
) -> Vec<(&'static str, OsString)> {
    let mut libraries = sycl::runtime(workspace).link.join("lib").into_os_string();
    libraries.push(":");
    libraries.push(loader);
    vec![
        ("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu".into()),
        ("LD_LIBRARY_PATH", libraries),
        ("ZE_ENABLE_ALT_DRIVERS", driver.into()),
        ("ZE_TEST_DRIVER", "kernel_us=1".into()),
        ("SYCL_UR_USE_LEVEL_ZERO_V2", choice.into()),
    ]
}
