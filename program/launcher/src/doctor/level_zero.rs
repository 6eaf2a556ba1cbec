//! Checks Level Zero's loader, through which calls of Level Zero are recorded.

use std::path::Path;

use super::Check;
use super::probe;

const LOADER: &str = "libze_loader.so.1";
const LAYER: &str = "libze_tracing_layer.so.1";
/// A function of loaders since 1.18.
const NEWER: &str = "zeInitDrivers";
/// Function by which tools register with the layer.
const TRACER: &str = "zelGetTracerApiProcAddrTable";

/// Checks the loader; nothing where there is none, and so no GPU of Intel's.
pub(super) fn loader() -> Option<Check> {
    const NAME: &str = "level zero";
    probe::try_loading(Path::new(LOADER), &[]).ok()?;
    if probe::try_loading(Path::new(LOADER), &[NEWER]).is_err() {
        return Some(Check::warning(
            NAME,
            "its loader is older than 1.18: programs crash under it that use both adapters of a newer runtime",
            "install a newer one (libze1 of Debian and Ubuntu, level-zero of Intel's packages)",
        ));
    }
    Some(match probe::try_loading(Path::new(LAYER), &[TRACER]) {
        Ok(()) => Check::ok(NAME, "its loader has the tracing layer: record --streams native has its calls"),
        Err(why) => Check::warning(
            NAME,
            format!("its calls can't be recorded, because its loader has no tracing layer: {why}"),
            format!("put the {LAYER} of the same version beside {LOADER}, if you want --streams native"),
        ),
    })
}
