//! GPUs that the program may use: clocks, power, temperature, utilisation, memory.

mod intel;
mod nvidia;

use syclscope_language::machine_counters::{MEMORY_CLOCK, MEMORY_USED, POWER, TEMPERATURE, UTILISATION};

use super::Batch;
use crate::target_process;
use intel::Intel;
use nvidia::Nvidia;

/// Maximum number of samples between two searches of a program for a driver's libraries: a minute.
const LOOK_EVERY: u32 = 600;

/// The GPUs that the program may use, once it uses any.
#[derive(Default)]
pub(super) struct Gpus {
    nvidia: Search<Nvidia>,
    intel: Search<Intel>,
    samples: u32,
    /// The sample at which the program is checked next.
    next_look: u32,
}

trait Vendor: Sized {
    /// Libraries of a program that uses such GPUs.
    const SIGNS: &'static [&'static str];

    fn find(maps: &str) -> Result<Self, Missing>;

    fn read(&mut self, batch: &mut Batch);
}

enum Missing {
    Library(String),
    Gpu(String),
    Refused(String),
}

#[derive(Default)]
enum Search<V> {
    #[default]
    Pending,
    Found(V),
    Over,
}

/// A GPU with its number among all GPUs of its driver.
struct Numbered<G> {
    number: u32,
    name: String,
    gpu: G,
}

/// State of a GPU; missing values are absent.
#[derive(Default)]
struct State {
    mhz: Option<f64>,
    memory_mhz: Option<f64>,
    watts: Option<f64>,
    celsius: Option<f64>,
    percent: Option<f64>,
    used_bytes: Option<f64>,
}

impl Gpus {
    /// Finds all GPUs of the machine, whatever the program uses. Adds the reasons for missing ones to the batch.
    pub(super) fn of_machine(batch: &mut Batch) -> Self {
        let mut gpus = Self::default();
        gpus.nvidia.settle("", |missing| batch.lacks.extend(missing.of_machine()));
        gpus.intel.settle("", |missing| batch.lacks.extend(missing.of_machine()));
        gpus
    }

    pub(super) fn read(&mut self, batch: &mut Batch) {
        if self.nvidia.is_pending() || self.intel.is_pending() {
            self.find(batch);
        }
        self.nvidia.read(batch);
        self.intel.read(batch);
    }

    fn find(&mut self, batch: &mut Batch) {
        self.samples = self.samples.saturating_add(1);
        if self.samples < self.next_look {
            return;
        }
        self.next_look = look_after(self.samples);
        let maps = std::fs::read(target_process::file("maps")).unwrap_or_default();
        let maps = String::from_utf8_lossy(&maps);
        self.nvidia.look(&maps, batch);
        self.intel.look(&maps, batch);
    }
}

impl<V: Vendor> Search<V> {
    fn is_pending(&self) -> bool {
        matches!(self, Self::Pending)
    }

    fn look(&mut self, maps: &str, batch: &mut Batch) {
        if self.is_pending() && V::SIGNS.iter().any(|library| maps.contains(library)) {
            self.settle(maps, |missing| batch.lacks.extend(missing.of_program()));
        }
    }

    fn settle(&mut self, maps: &str, tell: impl FnOnce(Missing)) {
        *self = match V::find(maps) {
            Ok(gpus) => Self::Found(gpus),
            Err(missing) => {
                tell(missing);
                Self::Over
            }
        };
    }

    fn read(&mut self, batch: &mut Batch) {
        if let Self::Found(gpus) = self {
            gpus.read(batch);
        }
    }
}

impl Missing {
    /// Returns the reason for a program. Without a GPU there is none to report: a program may load a driver and use no
    /// GPU.
    fn of_program(self) -> Option<String> {
        match self {
            Self::Library(why) | Self::Refused(why) => Some(why),
            Self::Gpu(_) => None,
        }
    }

    /// Returns the reason for a machine. Without a library there is none to report: the machine may lack the vendor's
    /// GPUs.
    fn of_machine(self) -> Option<String> {
        match self {
            Self::Gpu(why) | Self::Refused(why) => Some(why),
            Self::Library(_) => None,
        }
    }
}

impl State {
    fn push(self, clock: &str, name: &str, batch: &mut Batch) {
        let counters = [
            (clock, self.mhz),
            (MEMORY_CLOCK, self.memory_mhz),
            (POWER, self.watts),
            (TEMPERATURE, self.celsius),
            (UTILISATION, self.percent),
            (MEMORY_USED, self.used_bytes),
        ];
        let samples =
            counters.into_iter().filter_map(|(counter, value)| Some((format!("{counter}{name}"), value?)));
        batch.samples.extend(samples);
    }
}

/// Returns the number of the sample at which to check a program again: a tenth more samples have passed then. The
/// longer a program has used no GPU, the less likely it is to use one.
fn look_after(sample: u32) -> u32 {
    sample.saturating_add((sample / 10).clamp(1, LOOK_EVERY))
}

/// Appends their numbers to the names of GPUs of the same name.
fn with_names<G>(gpus: Vec<Numbered<G>>) -> Vec<(G, String)> {
    let names: Vec<String> = gpus.iter().map(|gpu| gpu.name.clone()).collect();
    let is_one = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let name = |gpu: Numbered<G>| {
        let Numbered { number, name, gpu } = gpu;
        let name = if is_one(&name) { name } else { format!("{name} ({number})") };
        (gpu, name)
    };
    gpus.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::{Numbered, look_after, with_names};

    #[test]
    fn a_program_without_a_gpu_is_looked_at_less_and_less() {
        let looks = |samples: u32| {
            std::iter::successors(Some(1), |sample| Some(look_after(*sample)))
                .take_while(|at| *at <= samples)
                .count()
        };
        assert_eq!(looks(20), 20, "in the first two seconds with every sample");
        assert!(looks(600) < 60, "in the first minute");
        assert_eq!(looks(72_000) - looks(36_000), 60, "in the second hour");
    }

    #[test]
    fn gpus_of_one_name_have_numbers() {
        let gpus = [(0, "H100"), (1, "L4"), (3, "H100")];
        let gpus = gpus.map(|(number, name)| Numbered { number, name: name.to_owned(), gpu: number });
        let names = with_names(gpus.into()).into_iter();
        let expected = [(0, "H100 (0)"), (1, "L4"), (3, "H100 (3)")];
        assert!(names.eq(expected.map(|(gpu, name)| (gpu, name.to_owned()))));
    }
}
