//! Power of the processor's domains, from the energy counters of the kernel's power capping (RAPL of Intel and AMD).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use syclscope_language::machine_counters::PROCESSOR_POWER;

use super::Batch;

const FOLDER: &str = "/sys/class/powercap";

struct Part {
    name: String,
    file: PathBuf,
    /// Value at which its counter wraps.
    range_microjoules: u64,
    /// Time and value of the last sample.
    last: Option<(u64, u64)>,
}

#[derive(Default)]
pub(super) struct Energy {
    parts: Vec<Part>,
    /// Reason why some domains can't be read, for the first sample.
    lacks: Option<String>,
}

impl Energy {
    pub(super) fn of_machine() -> Self {
        Self::of_folder(Path::new(FOLDER))
    }

    fn of_folder(folder: &Path) -> Self {
        let mut energy = Self::default();
        let zones = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut zones: Vec<PathBuf> = zones.filter(|path| is_package(path)).collect();
        zones.sort();
        for zone in zones {
            let file = zone.join("energy_uj");
            match std::fs::read_to_string(&file) {
                Ok(_) => {
                    let text = |name: &str| std::fs::read_to_string(zone.join(name)).unwrap_or_default();
                    let range = text("max_energy_range_uj").trim().parse().unwrap_or(u64::MAX);
                    let name = text("name").trim().to_owned();
                    energy.parts.push(Part { name, file, range_microjoules: range, last: None });
                }
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    let file = file.display();
                    energy.lacks =
                        Some(format!("the processor's power is not recorded: only root may read {file}"));
                }
                Err(_) => {}
            }
        }
        energy
    }

    /// Reads the mean power since the last sample.
    pub(super) fn read(&mut self, batch: &mut Batch) {
        batch.lacks.extend(self.lacks.take());
        for part in &mut self.parts {
            let text = std::fs::read_to_string(&part.file).unwrap_or_default();
            let Ok(now) = text.trim().parse::<u64>() else { continue };
            let Some((at_ns, before)) = part.last.replace((batch.at_ns, now)) else { continue };
            let microjoules = match now.checked_sub(before) {
                Some(used) => used,
                None => part.range_microjoules.saturating_sub(before).saturating_add(now),
            };
            let nanoseconds = batch.at_ns.saturating_sub(at_ns);
            if nanoseconds > 0 {
                let watts = microjoules as f64 * 1e3 / nanoseconds as f64;
                batch.samples.push((format!("{PROCESSOR_POWER}{}", part.name), watts));
            }
        }
    }
}

/// True for `intel-rapl:0`, not for its domains `intel-rapl:0:0`, nor for its duplicate by memory-mapped registers.
fn is_package(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix("intel-rapl:").is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(at_ns: u64) -> Batch {
        Batch { at_ns, samples: Vec::new(), lacks: Vec::new() }
    }

    #[test]
    fn power_is_the_change_of_energy_also_where_the_counter_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        for zone in ["intel-rapl", "intel-rapl:0", "intel-rapl:0:0", "intel-rapl-mmio:0"] {
            std::fs::create_dir(folder.path().join(zone)).unwrap();
        }
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join("intel-rapl:0").join(name), text);
        write("name", "package-0\n").unwrap();
        write("max_energy_range_uj", "1000000\n").unwrap();
        write("energy_uj", "100000\n").unwrap();
        let mut energy = Energy::of_folder(folder.path());
        let mut read = |at_ns: u64, microjoules: &str| {
            write("energy_uj", microjoules).unwrap();
            let mut batch = batch(at_ns);
            energy.read(&mut batch);
            batch.samples
        };
        assert_eq!(read(0, "100000\n"), []);
        let power = |watts: f64| vec![("processor power: package-0".to_owned(), watts)];
        assert_eq!(read(1_000_000_000, "600000\n"), power(0.5));
        assert_eq!(read(2_000_000_000, "100000\n"), power(0.5));
        assert_eq!(read(2_500_000_000, "gone\n"), []);
    }
}
