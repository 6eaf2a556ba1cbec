//! Settings from the variable `ZE_TEST_DRIVER`: words such as `devices=2`, separated by semicolons.
//!
//! The README lists the words. An unknown word ends the process, so that no test relies on an ignored setting.

use std::collections::BTreeMap;
use std::sync::OnceLock;

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) log: Option<String>,
    pub(crate) devices: u32,
    pub(crate) tiles: u32,
    pub(crate) device_id: u32,
    pub(crate) ip_version: u32,
    /// Major, minor, build.
    pub(crate) version: [u32; 3],
    pub(crate) hertz: u64,
    pub(crate) bits: u32,
    pub(crate) kernel_bits: u32,
    pub(crate) wrap_after_ms: Option<u64>,
    pub(crate) drift_ppm: f64,
    pub(crate) slow_reading_us: u64,
    pub(crate) kernel_us: u64,
    pub(crate) kernels_us: BTreeMap<String, u64>,
    pub(crate) copy_megabytes_per_second: u64,
    pub(crate) memory_mb: u64,
    /// Maximum memory of other programs.
    pub(crate) others_mb: u64,
    pub(crate) compute_engines: u32,
    pub(crate) copy_engines: u32,
    pub(crate) link_engines: u32,
    pub(crate) has_counting_events: bool,
    pub(crate) has_peer_access: bool,
    pub(crate) fails: Vec<Fail>,
    pub(crate) late: Vec<Late>,
    /// A call of this function ends its process.
    pub(crate) crash: Option<String>,
    /// The device is lost after this number of commands.
    pub(crate) lost_after: Option<u64>,
    /// The command with this number, from 1, never ends.
    pub(crate) stuck_at: Option<u64>,
}

/// The call with this number, from 1, of a function fails.
#[derive(Clone, Debug)]
pub(crate) struct Fail {
    pub(crate) call: String,
    pub(crate) number: u64,
    pub(crate) code: u32,
}

/// Each call of a function begins this much later.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    pub(crate) call: String,
    pub(crate) by_us: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            log: None,
            devices: 1,
            tiles: 0,
            // A Data Center GPU Max: the kind of device that has every kind of engine.
            device_id: 0x0bd5,
            ip_version: 0x030f_0007,
            version: [1, 6, 33578],
            hertz: 12_500_000,
            bits: 36,
            kernel_bits: 32,
            wrap_after_ms: None,
            drift_ppm: 0.0,
            slow_reading_us: 0,
            kernel_us: 200,
            kernels_us: BTreeMap::new(),
            copy_megabytes_per_second: 10_000,
            memory_mb: 1024,
            others_mb: 0,
            compute_engines: 1,
            copy_engines: 1,
            link_engines: 2,
            has_counting_events: true,
            has_peer_access: true,
            fails: Vec::new(),
            late: Vec::new(),
            crash: None,
            lost_after: None,
            stuck_at: None,
        }
    }
}

impl Settings {
    /// Returns the settings of this process.
    pub(crate) fn get() -> &'static Self {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(|| {
            let words = std::env::var("ZE_TEST_DRIVER").unwrap_or_default();
            Self::parse(&words).unwrap_or_else(|wrong| {
                eprintln!("ZE_TEST_DRIVER: `{wrong}` is not understood; see e2e/driver/README.md");
                std::process::exit(97);
            })
        })
    }

    /// Parses the words; an error is the first unknown word.
    fn parse(words: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for word in words.split(';').filter(|word| !word.trim().is_empty()) {
            settings.take(word.trim()).ok_or_else(|| word.to_owned())?;
        }
        Ok(settings)
    }

    fn take(&mut self, word: &str) -> Option<()> {
        let (name, value) = word.split_once('=')?;
        let count = || number(value);
        match name {
            "log" => self.log = Some(value.to_owned()),
            "devices" => self.devices = count()? as u32,
            "tiles" => self.tiles = count()? as u32,
            "device_id" => self.device_id = count()? as u32,
            "ip_version" => self.ip_version = count()? as u32,
            "version" => {
                let parts: Option<Vec<u32>> = value.split('.').map(|part| part.parse().ok()).collect();
                self.version = parts?.try_into().ok()?;
            }
            "hertz" => self.hertz = count().filter(|hertz| *hertz > 0)?,
            "bits" => self.bits = count()? as u32,
            "kernel_bits" => self.kernel_bits = count()? as u32,
            "wrap_after_ms" => self.wrap_after_ms = Some(count()?),
            "drift_ppm" => self.drift_ppm = value.parse().ok()?,
            "slow_reading_us" => self.slow_reading_us = count()?,
            "kernel_us" => match value.split_once(':') {
                Some((kernel, value)) => {
                    self.kernels_us.insert(kernel.to_owned(), number(value)?);
                }
                None => self.kernel_us = count()?,
            },
            "copy_megabytes_per_second" => self.copy_megabytes_per_second = count()?.max(1),
            "memory_mb" => self.memory_mb = count()?,
            "others_mb" => self.others_mb = count()?,
            "compute_engines" => self.compute_engines = count()?.max(1) as u32,
            "copy_engines" => self.copy_engines = count()? as u32,
            "link_engines" => self.link_engines = count()? as u32,
            "counting_events" => self.has_counting_events = count()? != 0,
            "peer_access" => self.has_peer_access = count()? != 0,
            "fail" => {
                let [call, nth, code] = value.split(':').collect::<Vec<_>>().try_into().ok()?;
                self.fails.push(Fail {
                    call: call.to_owned(),
                    number: number(nth)?,
                    code: number(code)? as u32,
                });
            }
            "late" => {
                let (call, by) = value.split_once(':')?;
                self.late.push(Late { call: call.to_owned(), by_us: number(by)? });
            }
            "crash" => self.crash = Some(value.to_owned()),
            "lost_after" => self.lost_after = Some(count()?),
            "stuck_at" => self.stuck_at = Some(count()?),
            _ => return None,
        }
        Some(())
    }

    /// Returns the duration of a kernel in nanoseconds.
    pub(crate) fn kernel_ns(&self, name: &str) -> u64 {
        let known = self.kernels_us.iter().find(|(part, _)| name.contains(part.as_str()));
        known.map_or(self.kernel_us, |(_, us)| *us) * 1000
    }

    /// Returns the duration of a copy in nanoseconds.
    pub(crate) fn copy_ns(&self, bytes: usize) -> u64 {
        2_000 + bytes as u64 * 1000 / self.copy_megabytes_per_second
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_a_wrong_one_is_named() {
        let words =
            "devices=2;kernel_us=50;kernel_us=add:900;fail=zeMemAllocDevice:3:0x70000003;drift_ppm=-20.5";
        let settings = Settings::parse(words).unwrap();
        assert_eq!((settings.devices, settings.drift_ppm), (2, -20.5));
        assert_eq!((settings.kernel_ns("__sycl_kernel_add"), settings.kernel_ns("fill")), (900_000, 50_000));
        assert_eq!(settings.fails[0].code, 0x7000_0003);
        assert_eq!(Settings::parse("devices=2;device=3").unwrap_err(), "device=3");
    }
}
