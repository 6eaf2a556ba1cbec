use syclscope_language::api::{ClockInfo, DeviceInfo};

use crate::components::facts::{Fact, argument_lines};
use crate::format;
use crate::reactive::*;

/// Devices of the recording. `processes` are the names of the processes, if there are several.
#[component]
pub(super) fn Devices(devices: Vec<DeviceInfo>, processes: Vec<String>) -> impl IntoView {
    let titles: Vec<String> = devices.iter().map(|device| device.title(&devices)).collect();
    let devices = devices.into_iter().zip(titles).map(|(mut device, title)| {
        device.name = title;
        let process = processes.get(device.process as usize).cloned().unwrap_or_default();
        view! { <Device device process/> }
    });
    devices.collect_view()
}

#[component]
fn Device(device: DeviceInfo, process: String) -> impl IntoView {
    let DeviceInfo { name, device_type, platform, driver, handle, args, clock, .. } = device;
    let texts = [
        ("Process", process),
        ("Type", device_type),
        ("Platform", platform),
        ("Driver", driver),
        ("Handle", handle),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let count = format::counted(args.len() as u64, "property", "properties");
    let properties = (!args.is_empty()).then(|| {
        view! {
            <details class="more">
                <summary>{count}</summary>
                <dl class="facts">{argument_lines(args)}</dl>
            </details>
        }
    });
    view! {
        <section data-testid="device">
            <h3>{name}</h3>
            <dl class="facts">
                {texts.map(|(name, text)| view! { <Fact name=name>{text}</Fact> }).collect_view()}
                {clock.map(|clock| view! { <Fact name="Clock">{clock_line(&clock)}</Fact> })}
            </dl>
            {properties}
        </section>
    }
}

fn clock_line(clock: &ClockInfo) -> String {
    let ClockInfo { mappings, pairs, offset_ns, drift_ppb, residual_ns } = clock;
    if *pairs == 0 {
        return "the host's own, by the times of the first command; the device gave no timestamp pairs"
            .to_owned();
    }
    let residual = format::duration(*residual_ns as f64);
    let pairs = format::counted(*pairs, "timestamp pair", "timestamp pairs");
    let again = if *mappings > 1 {
        format!(", calibrated {} times", format::count(*mappings))
    } else {
        String::new()
    };
    format!("accurate to ±{residual} ({pairs}, offset {offset_ns} ns, drift {drift_ppb} ppb{again})")
}
