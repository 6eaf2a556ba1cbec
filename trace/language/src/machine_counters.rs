//! Counters of process and machine that the recorder samples: their names and units.

/// Name of the track group of these counters.
pub const GROUP: &str = "process and machine";

/// Processor time of the process; 100 % is one processor.
pub const PROCESSOR_USE: &str = "process: processor use";
/// Page faults of the process.
pub const PAGE_FAULTS: &str = "process: page faults";
/// Memory of the process.
pub const RESIDENT_MEMORY: &str = "process: resident memory";
/// Power of a processor domain, from its energy counter; the domain's name follows.
pub const PROCESSOR_POWER: &str = "processor power: ";
/// Clock of an NVIDIA GPU's multiprocessors; the device's name follows this prefix and the prefixes below.
pub const SM_CLOCK: &str = "GPU SM clock: ";
/// Clock of an Intel GPU's cores.
pub const CORE_CLOCK: &str = "GPU clock: ";
/// Clock of a GPU's memory.
pub const MEMORY_CLOCK: &str = "GPU memory clock: ";
/// Power of a GPU.
pub const POWER: &str = "GPU power: ";
/// Temperature of a GPU.
pub const TEMPERATURE: &str = "GPU temperature: ";
/// Share of the time in which a GPU ran a kernel.
pub const UTILISATION: &str = "GPU utilisation: ";
/// Memory in use on a GPU, by any program.
pub const MEMORY_USED: &str = "GPU memory used: ";

const UNITS: [(&str, &str); 11] = [
    (PROCESSOR_USE, "%"),
    (PAGE_FAULTS, "/s"),
    (RESIDENT_MEMORY, "bytes"),
    (PROCESSOR_POWER, "W"),
    (SM_CLOCK, "MHz"),
    (CORE_CLOCK, "MHz"),
    (MEMORY_CLOCK, "MHz"),
    (POWER, "W"),
    (TEMPERATURE, "°C"),
    (UTILISATION, "%"),
    (MEMORY_USED, "bytes"),
];

/// True for a counter of the power of a GPU or of a processor domain.
pub fn is_power(name: &str) -> bool {
    name.starts_with(POWER) || name.starts_with(PROCESSOR_POWER)
}

/// Returns the unit of such a counter; `None` for other counters.
pub fn unit(name: &str) -> Option<&'static str> {
    let is_it =
        |counter: &str| if counter.ends_with(' ') { name.starts_with(counter) } else { name == counter };
    UNITS.iter().find(|(counter, _)| is_it(counter)).map(|(_, unit)| *unit)
}
