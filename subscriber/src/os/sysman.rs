//! Level Zero's sysman: the state of Intel's GPUs.
//!
//! The library is not needed to build. Signatures are those of `zes_api.h`. `zesInit`, which exists since version 1.5
//! of the specification, initialises sysman alone: it needs no environment variable, and the driver creates no context
//! on the device.

mod lack;
mod layout;

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{from_mut, null_mut};

pub(crate) use lack::Lack;
use lack::{SUCCESS, UNINITIALIZED};
pub(crate) use layout::Counter;
use layout::{
    DeviceProperties, EngineProperties, FrequencyProperties, FrequencyState, MemoryProperties, MemoryState,
    PciProperties, PowerDomain, PowerProperties, Structure, TemperatureProperties, empty,
};

use super::library::{Library, functions, paths, text};

const NAME: &str = "libze_loader.so.1";
/// Upper bound of the number of devices, and of a device's components.
const MAX_HANDLES: u32 = 1024;

/// `ZE_DEVICE_TYPE_GPU`
const GPU: u32 = 1;
/// `ZES_FREQ_DOMAIN_GPU`
const CORES: u32 = 0;
/// `ZES_MEM_LOC_DEVICE`
const ON_DEVICE: u32 = 1;

type Handle = *mut c_void;
type Answer<T> = Result<T, Lack>;
/// Components of a device that have a counter.
type Parts = Answer<Vec<Handle>>;
type Enumerate = unsafe extern "C" fn(Handle, *mut u32, *mut Handle) -> u32;
type Get<T> = unsafe extern "C" fn(Handle, *mut T) -> u32;

functions! {
    init c"zesInit": fn(u32);
    drivers c"zesDriverGet": fn(*mut u32, *mut Handle);
    devices c"zesDeviceGet": fn(Handle, *mut u32, *mut Handle);
    device_properties c"zesDeviceGetProperties": fn(Handle, *mut DeviceProperties);
    pci_properties c"zesDevicePciGetProperties": fn(Handle, *mut PciProperties);
    frequencies c"zesDeviceEnumFrequencyDomains": fn(Handle, *mut u32, *mut Handle);
    frequency_properties c"zesFrequencyGetProperties": fn(Handle, *mut FrequencyProperties);
    frequency_state c"zesFrequencyGetState": fn(Handle, *mut FrequencyState);
    powers c"zesDeviceEnumPowerDomains": fn(Handle, *mut u32, *mut Handle);
    power_properties c"zesPowerGetProperties": fn(Handle, *mut PowerProperties);
    energy c"zesPowerGetEnergyCounter": fn(Handle, *mut Counter);
    sensors c"zesDeviceEnumTemperatureSensors": fn(Handle, *mut u32, *mut Handle);
    sensor_properties c"zesTemperatureGetProperties": fn(Handle, *mut TemperatureProperties);
    temperature c"zesTemperatureGetState": fn(Handle, *mut f64);
    engines c"zesDeviceEnumEngineGroups": fn(Handle, *mut u32, *mut Handle);
    engine_properties c"zesEngineGetProperties": fn(Handle, *mut EngineProperties);
    activity c"zesEngineGetActivity": fn(Handle, *mut Counter);
    memories c"zesDeviceEnumMemoryModules": fn(Handle, *mut u32, *mut Handle);
    memory_properties c"zesMemoryGetProperties": fn(Handle, *mut MemoryProperties);
    memory_state c"zesMemoryGetState": fn(Handle, *mut MemoryState);
}

/// The initialised sysman. The library stays loaded.
pub(crate) struct Sysman(Api);

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    Missing,
    /// The loader lacks a function.
    Old(String),
    Driverless,
    Refused(Lack),
}

pub(crate) struct Device {
    pub(crate) name: String,
    /// Domain, bus, device and function; `None` if the driver does not report it.
    pub(crate) address: Option<[u32; 4]>,
    pub(crate) subdevices: u32,
    frequencies: Parts,
    powers: Parts,
    sensors: Parts,
    engines: Parts,
    memories: Parts,
}

pub(crate) struct State {
    /// Maximum over its tiles.
    pub(crate) mhz: Answer<f64>,
    /// Energy counters in µJ, one for each power domain used; the device's power follows from the sum of their
    /// increases.
    pub(crate) energy: Answer<Vec<Counter>>,
    /// Maximum over its tiles.
    pub(crate) celsius: Answer<f64>,
    /// One counter per group of engines.
    pub(crate) activity: Answer<Vec<Counter>>,
    pub(crate) used_bytes: Answer<u64>,
}

impl Sysman {
    /// Loads the program's loader, or else the one that the program would load, and initialises sysman.
    pub(crate) fn load(loaded: Option<PathBuf>) -> Result<Self, Unusable> {
        let mut paths = loaded.into_iter().chain(paths(NAME));
        let library = paths.find_map(|path| Library::open(&path)).ok_or(Unusable::Missing)?;
        let old = |name: &CStr| Unusable::Old(name.to_string_lossy().into_owned());
        Self::set_up(Api::load(library).map_err(old)?)
    }

    fn set_up(api: Api) -> Result<Self, Unusable> {
        // SAFETY: it takes flags; there are none.
        match unsafe { (api.init)(0) } {
            SUCCESS => Ok(Self(api)),
            UNINITIALIZED => Err(Unusable::Driverless),
            result => Err(Unusable::Refused(Lack { call: "zesInit", result })),
        }
    }

    /// Returns all GPUs of the machine, in the drivers' order.
    pub(crate) fn gpus(&self) -> Answer<Vec<Device>> {
        let api = &self.0;
        // SAFETY: valid places for `count` handles.
        let drivers = list("zesDriverGet", |count, places| unsafe { (api.drivers)(count, places) })?;
        let mut found: Vec<Device> = Vec::new();
        for driver in drivers {
            // SAFETY: as above, with a handle of this library.
            let get = |count: *mut u32, places: *mut Handle| unsafe { (api.devices)(driver, count, places) };
            for device in list("zesDeviceGet", get)?.into_iter().filter_map(|handle| self.gpu(handle)) {
                // Two drivers may report the same device.
                let is_known =
                    device.address.is_some() && found.iter().any(|other| other.address == device.address);
                if !is_known {
                    found.push(device);
                }
            }
        }
        Ok(found)
    }

    fn gpu(&self, handle: Handle) -> Option<Device> {
        let api = &self.0;
        let mut place = empty::<DeviceProperties>();
        place.core.head.number = layout::CoreProperties::NUMBER;
        let DeviceProperties { core, subdevices, .. } =
            read_into(place, api.device_properties, "", handle).ok()?;
        if core.device_type != GPU {
            return None;
        }
        let address = properties(api.pci_properties, handle).map(|pci| pci.address);
        Some(Device {
            name: text(&core.name),
            address,
            subdevices,
            frequencies: parts("zesDeviceEnumFrequencyDomains", api.frequencies, handle, |part| {
                let domain = properties(api.frequency_properties, part)?.domain;
                (domain == CORES).then_some(0)
            }),
            powers: parts("zesDeviceEnumPowerDomains", api.powers, handle, |part| {
                let mut domain = empty::<PowerDomain>();
                let mut place = empty::<PowerProperties>();
                place.head.next = from_mut(&mut domain).cast();
                // The call may fail because of power limits, which are not needed, after filling in the rest. SAFETY: a
                // handle of this library, and valid places.
                unsafe { (api.power_properties)(part, &mut place) };
                power_rank(place.on_subdevice != 0, domain.domain)
            }),
            sensors: parts("zesDeviceEnumTemperatureSensors", api.sensors, handle, |part| {
                sensor_rank(properties(api.sensor_properties, part)?.sensor)
            }),
            engines: parts("zesDeviceEnumEngineGroups", api.engines, handle, |part| {
                engine_rank(properties(api.engine_properties, part)?.group)
            }),
            memories: parts("zesDeviceEnumMemoryModules", api.memories, handle, |part| {
                let location = properties(api.memory_properties, part)?.location;
                (location == ON_DEVICE).then_some(0)
            }),
        })
    }

    pub(crate) fn state(&self, gpu: &Device) -> State {
        let api = &self.0;
        let highest = |values: Vec<f64>| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let mhz = each(&gpu.frequencies, |part| {
            let call = "zesFrequencyGetState";
            let actual = get(api.frequency_state, call, part)?.actual;
            // A negative value means unknown.
            if actual < 0.0 { Err(Lack { call, result: SUCCESS }) } else { Ok(actual) }
        });
        let used = each(&gpu.memories, |part| {
            let state = get(api.memory_state, "zesMemoryGetState", part)?;
            Ok(state.size.saturating_sub(state.free))
        });
        State {
            mhz: mhz.map(highest),
            energy: each(&gpu.powers, |part| read(api.energy, "zesPowerGetEnergyCounter", part)),
            celsius: each(&gpu.sensors, |part| read(api.temperature, "zesTemperatureGetState", part))
                .map(highest),
            activity: each(&gpu.engines, |part| read(api.activity, "zesEngineGetActivity", part)),
            used_bytes: used.map(|bytes| bytes.iter().sum()),
        }
    }
}

/// Order in which a device's power is taken from its domains: the card, the package, an unnamed one, the chip; else the
/// sum of its tiles.
fn power_rank(is_on_tile: bool, domain: u32) -> Option<u32> {
    /// `zes_power_domain_t`
    const CARD_PACKAGE_UNKNOWN_GPU: [u32; 4] = [1, 2, 0, 5];
    let rank = CARD_PACKAGE_UNKNOWN_GPU.iter().position(|other| *other == domain)? as u32;
    Some(if is_on_tile { 4 + rank } else { rank })
}

/// Order of sensors: the chip's, then the whole device's.
fn sensor_rank(sensor: u32) -> Option<u32> {
    /// `zes_temp_sensors_t`
    const GPU_GLOBAL: [u32; 2] = [1, 0];
    GPU_GLOBAL.iter().position(|other| *other == sensor).map(|rank| rank as u32)
}

/// Order of groups of engines: all engines, all compute engines, single compute engines. Some drivers only have single
/// ones.
fn engine_rank(group: u32) -> Option<u32> {
    match group {
        // `ZES_ENGINE_GROUP_ALL`
        0 => Some(0),
        // `ZES_ENGINE_GROUP_COMPUTE_ALL`
        1 => Some(1),
        // `ZES_ENGINE_GROUP_COMPUTE_SINGLE`, `ZES_ENGINE_GROUP_RENDER_SINGLE`
        4 | 5 => Some(2),
        _ => None,
    }
}

fn list(call: &'static str, get: impl Fn(*mut u32, *mut Handle) -> u32) -> Answer<Vec<Handle>> {
    let mut count = 0;
    let done = |result: u32| if result == SUCCESS { Ok(()) } else { Err(Lack { call, result }) };
    done(get(&mut count, null_mut()))?;
    let mut handles = vec![null_mut(); count.min(MAX_HANDLES) as usize];
    count = handles.len() as u32;
    if count > 0 {
        done(get(&mut count, handles.as_mut_ptr()))?;
    }
    handles.truncate(count as usize);
    handles.retain(|handle: &Handle| !handle.is_null());
    Ok(handles)
}

fn parts(
    call: &'static str,
    enumerate: Enumerate,
    device: Handle,
    rank: impl Fn(Handle) -> Option<u32>,
) -> Parts {
    // SAFETY: a handle of this library, and valid places for `count` handles.
    let all = list(call, |count, places| unsafe { enumerate(device, count, places) })?;
    let ranked: Vec<(u32, Handle)> = all.into_iter().filter_map(|part| Some((rank(part)?, part))).collect();
    let lowest = ranked.iter().map(|(rank, _)| *rank).min().ok_or(Lack { call, result: SUCCESS })?;
    Ok(ranked.into_iter().filter(|(rank, _)| *rank == lowest).map(|(_, part)| part).collect())
}

fn each<T>(parts: &Parts, read: impl Fn(Handle) -> Answer<T>) -> Answer<Vec<T>> {
    parts.as_ref().map_err(|lack| *lack)?.iter().map(|part| read(*part)).collect()
}

fn properties<T: Structure>(function: Get<T>, handle: Handle) -> Option<T> {
    read_into(empty(), function, "", handle).ok()
}

fn get<T: Structure>(function: Get<T>, call: &'static str, handle: Handle) -> Answer<T> {
    read_into(empty(), function, call, handle)
}

fn read<T: Default>(function: Get<T>, call: &'static str, handle: Handle) -> Answer<T> {
    read_into(T::default(), function, call, handle)
}

fn read_into<T>(mut place: T, function: Get<T>, call: &'static str, handle: Handle) -> Answer<T> {
    // SAFETY: a handle of this library, and a valid place.
    match unsafe { function(handle, &mut place) } {
        SUCCESS => Ok(place),
        result => Err(Lack { call, result }),
    }
}

/// Returns the path of the loader in a process's maps.
pub(crate) fn loaded(maps: &str) -> Option<PathBuf> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let is_loader = |path: &&Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libze_loader.so"))
    };
    paths.into_iter().find(is_loader).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_a_device_is_its_cards_or_else_the_sum_of_its_tiles() {
        let [unknown, card, package, stack, memory, gpu] = [0, 1, 2, 3, 4, 5];
        let order =
            [(false, card), (false, package), (false, unknown), (false, gpu), (true, package), (true, gpu)];
        let ranks: Vec<_> = order.iter().map(|(on_tile, domain)| power_rank(*on_tile, *domain)).collect();
        assert!(ranks.is_sorted() && ranks.iter().all(Option::is_some), "{ranks:?}");
        assert_eq!([stack, memory].map(|domain| power_rank(false, domain)), [None, None]);
    }

    #[test]
    fn the_loader_of_a_program_is_in_its_maps() {
        let maps = "55e0-55e1 r--p 00000000 fe:00 12 /usr/bin/python3.12\n\
                    7f00-7f01 rw-p 00000000 00:00 0 \n\
                    7f02-7f03 r-xp 00001000 fe:00 14                    /opt/my env/lib/libze_loader.so.1.20.1\n";
        assert_eq!(loaded(maps), Some(PathBuf::from("/opt/my env/lib/libze_loader.so.1.20.1")));
        assert_eq!(loaded("7f00-7f01 r--p 0 fe:00 1 /usr/lib/libze_tracing_layer.so.1\n"), None);
    }
}
