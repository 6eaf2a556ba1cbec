//! Work on the wrong device: on the processor despite an accelerator, or on one of several identical devices.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{Category, NodeKind};

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::time;
use crate::graph::commands::Change;
use crate::id::{LocationId, some};
use crate::query::report::copies::number;
use crate::store::table::Table as _;

/// Minimum share of one device in the time of all kernels, in percent.
const MIN_BUSY_PERCENT: u64 = 90;
/// Maximum share of an idle device, in percent.
const MAX_IDLE_PERCENT: u64 = 5;

#[derive(Clone, Debug)]
struct Device {
    handle: u64,
    name: String,
    device_type: String,
    has_queue: bool,
    /// Time in which at least one of its kernels ran.
    busy_ns: u64,
    /// Time of command graphs whose kernels have no times of their own; `u64::MAX` if any work has no time at all.
    beside_ns: u64,
    /// Its kernels, by queue and start.
    kernels: Vec<Command>,
}

impl Device {
    fn is(&self, part: &str) -> bool {
        self.device_type.to_ascii_uppercase().contains(part)
    }

    fn ran_ns(&self) -> u64 {
        self.busy_ns.saturating_add(self.beside_ns)
    }
}

/// Processes in which one device does nearly all work.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    // Kernels that were left out may have run on any device.
    if run.trace.kernels_left_out().next().is_some() {
        return Vec::new();
    }
    let parted = parted(run);
    let mut findings = Vec::new();
    for (process, devices) in devices(run) {
        let total: u64 = devices.iter().map(|device| device.busy_ns).sum();
        let Some(busiest) = devices.iter().max_by_key(|device| device.busy_ns) else { continue };
        if busiest.busy_ns < total / 100 * MIN_BUSY_PERCENT || !run.is_worth(busiest.busy_ns) {
            continue;
        }
        let is_idle = |device: &&Device| device.ran_ns() <= total / 100 * MAX_IDLE_PERCENT;
        let accelerator =
            devices.iter().find(|device| (device.is("GPU") || device.is("ACC")) && is_idle(device));
        if let Some(idle) = accelerator.filter(|_| busiest.is("CPU")) {
            let message = format!(
                "The CPU ({}) ran the kernels for {} while {} ({}) was nearly idle.",
                busiest.name,
                time(busiest.busy_ns),
                idle.name,
                idle.device_type
            );
            let change = Err("The speed of the kernels on the other device is unknown.");
            let remedy = "Select the device (sycl::gpu_selector_v, ONEAPI_DEVICE_SELECTOR) and check that its driver is found.";
            findings.push(finding(process, "cpu_instead_of_gpu", (message, remedy), busiest, idle, change));
        }
        let is_equal = |device: &&Device| {
            device.has_queue
                && !parted.contains(&(process, device.handle))
                && (&device.name, &device.device_type) == (&busiest.name, &busiest.device_type)
        };
        let equal: Vec<&Device> = devices.iter().filter(is_equal).collect();
        let idle = equal.iter().find(|device| is_idle(device));
        if let Some(idle) = idle.filter(|_| is_equal(&busiest)) {
            let message = format!(
                "One of {} identical devices ({}) ran the kernels for {} while another one with a queue was nearly idle.",
                equal.len(),
                busiest.name,
                time(busiest.busy_ns)
            );
            let takes_ns = split_evenly(run, &busiest.kernels, equal.len() as u64);
            let change = Ok(Change { takes_ns, ..Change::default() });
            let remedy = if equal.len() > 2 {
                "Distribute the work over all of them."
            } else {
                "Distribute the work over both."
            };
            findings.push(finding(process, "device_left_idle", (message, remedy), busiest, idle, change));
        }
    }
    findings
}

/// Returns the durations of commands whose kernels are split evenly over some devices, by node. The kernels of a
/// command graph share its node; its other pieces stay.
fn split_evenly(run: &Run<'_>, kernels: &[Command], devices: u64) -> FxHashMap<u32, u64> {
    let mut ran: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
    for kernel in kernels {
        ran.entry(kernel.node).or_default().extend(kernel.execution.map(|execution| execution.span()));
    }
    let takes_ns = |(node, spans): (u32, Vec<(u64, u64)>)| {
        let kernels_ns = touched::busy(spans.into_iter());
        let whole = some(run.trace.nodes.execution.at(node as usize))?;
        let whole_ns = run.trace.slices.duration.at(whole as usize);
        Some((node, whole_ns.saturating_sub(kernels_ns - kernels_ns / devices)))
    };
    ran.into_iter().filter_map(takes_ns).collect()
}

fn finding(
    process: u32,
    kind: &'static str,
    (message, remedy): (String, &str),
    busiest: &Device,
    idle: &Device,
    change: Result<Change, &'static str>,
) -> Draft {
    let told = |device: &Device| {
        format!(
            "{} ({}, {:#x}): {} kernels, {}.",
            device.name,
            device.device_type,
            device.handle,
            device.kernels.len(),
            time(device.busy_ns)
        )
    };
    Draft {
        kind,
        message,
        remedy: remedy.to_owned(),
        evidence: vec![told(busiest), told(idle)],
        process,
        location: busiest.kernels.first().map_or(LocationId(0), |kernel| kernel.location),
        slices: busiest.kernels.iter().filter_map(|kernel| Some(kernel.execution?.slice)).collect(),
        nodes: busiest.kernels.iter().map(|kernel| kernel.node).collect(),
        count: busiest.kernels.len() as u64,
        touches_ns: busiest.busy_ns,
        change,
        bytes: 0,
        how: "At most: the run replayed with each of its kernels split evenly over all identical devices.",
        filter: "category:kernel".to_owned(),
    }
}

/// Returns the partitioned devices, by process and handle. Their sub-devices are the same hardware.
fn parted(run: &Run<'_>) -> FxHashSet<(u32, u64)> {
    let trace = run.trace;
    let mut names: FxHashMap<u32, bool> = FxHashMap::default();
    let rows = (0..trace.slices.len()).filter(|row| {
        let name = trace.slices.name.at(*row);
        trace.slices.category(*row) == Category::Call
            && *names.entry(name.0).or_insert_with(|| trace.strings.get(name).contains("DevicePartition"))
    });
    let parted = rows.filter_map(|row| {
        let track = trace.tracks.of_lane(trace.slices.lane_of(row));
        Some((trace.tracks.process.at(track), number(trace, row, "hDevice")?))
    });
    parted.collect()
}

/// Returns the devices of each process with their work.
fn devices(run: &Run<'_>) -> Vec<(u32, Vec<Device>)> {
    let trace = run.trace;
    let text = |id| trace.strings.get(id).to_owned();
    let mut known: FxHashMap<(u32, u64), usize> = FxHashMap::default();
    let mut processes: Vec<(u32, Vec<Device>)> = Vec::new();
    let mut add = |process: u32, device: Device, processes: &mut Vec<(u32, Vec<Device>)>| {
        let at = processes.iter().position(|(number, _)| *number == process).unwrap_or_else(|| {
            processes.push((process, Vec::new()));
            processes.len() - 1
        });
        let devices = &mut processes[at].1;
        let place = *known.entry((process, device.handle)).or_insert_with(|| {
            devices.push(device.clone());
            devices.len() - 1
        });
        devices[place].has_queue |= device.has_queue;
        (at, place)
    };
    for row in trace.machine.devices.iter() {
        let (name, device_type) = (text(row.name), text(row.device_type));
        let device = Device {
            handle: row.handle,
            name,
            device_type,
            has_queue: false,
            busy_ns: 0,
            beside_ns: 0,
            kernels: Vec::new(),
        };
        add(row.process, device, &mut processes);
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    for queue in trace.queues.iter() {
        let process = trace.tracks.get(queue.track).map_or(0, |track| track.process);
        let (name, device_type) = (text(queue.device), text(queue.device_type));
        let device = Device {
            handle: queue.device_handle,
            name,
            device_type,
            has_queue: true,
            busy_ns: 0,
            beside_ns: 0,
            kernels: Vec::new(),
        };
        places.push(add(process, device, &mut processes));
    }
    for kernel in run.kernels() {
        if let Some((process, device)) = places.get(kernel.queue as usize) {
            processes[*process].1[*device].kernels.push(kernel);
        }
    }
    // Kernels that ran at once count once.
    for device in processes.iter_mut().flat_map(|(_, devices)| devices) {
        let ran = device.kernels.iter().filter_map(|kernel| Some(kernel.execution?.span()));
        device.busy_ns = touched::busy(ran);
    }
    for command in run.commands() {
        let Some((process, device)) = places.get(command.queue as usize) else { continue };
        let beside_ns = &mut processes[*process].1[*device].beside_ns;
        *beside_ns = match (command.kind, command.execution) {
            (NodeKind::Kernel | NodeKind::CommandGraph, None) => u64::MAX,
            (NodeKind::CommandGraph, Some(execution))
                if !trace.executions.in_pieces.at(execution.slice as usize) =>
            {
                beside_ns.saturating_add(execution.duration())
            }
            _ => continue,
        };
    }
    processes
}
