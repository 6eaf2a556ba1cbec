//! Memory limit of this process: the machine's memory, or less if a control group (a container, a batch job)
//! or the process's own limit is lower.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

/// Limit in bytes if neither the machine nor a limit gives a number.
const UNKNOWN: u64 = 4 << 30;

/// Returns the memory limit of this process in bytes.
pub fn machine_bytes() -> u64 {
    let read = |path: &Path| fs::read_to_string(path).ok();
    // Growing lists and threads take more address space than memory.
    let addresses = getrlimit(Resource::As).current.map(|bytes| bytes / 2);
    let limits = [total(&read), group(&read), addresses];
    limits.into_iter().flatten().min().unwrap_or(UNKNOWN)
}

pub(super) fn are_addresses_limited() -> bool {
    getrlimit(Resource::As).current.is_some()
}

fn total(read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let text = read(Path::new("/proc/meminfo"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Returns the lowest limit of the process's control groups: each one limits the groups below it. Above
/// `memory.high` the kernel slows a group down until it hardly runs.
fn group(read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let limits = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let (root, files) = if controllers.is_empty() {
            ("/sys/fs/cgroup", ["memory.max", "memory.high"].as_slice())
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes"].as_slice())
        } else {
            return None;
        };
        let within = Path::new(path.trim_start_matches('/'));
        let limit = |path: &Path| read(path)?.trim().parse::<u64>().ok();
        let of_group = |group: &Path| {
            let folder = Path::new(root).join(group);
            files.iter().filter_map(|file| limit(&folder.join(file))).min()
        };
        within.ancestors().filter_map(of_group).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    fn reader(files: &'static [(&'static str, &'static str)]) -> impl Fn(&Path) -> Option<String> {
        move |path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
    }

    #[test]
    fn the_machine_tells_how_much_it_has() {
        let read = reader(&[("/proc/meminfo", "MemTotal:       24032132 kB\nMemFree: 1 kB\n")]);
        assert_eq!(total(&read), Some(24_032_132 << 10));
        assert_eq!(total(&reader(&[])), None);
    }

    #[test]
    fn the_lowest_limit_of_the_groups_around_counts() {
        let second = reader(&[
            ("/proc/self/cgroup", "0::/system.slice/syclscope.service\n"),
            ("/sys/fs/cgroup/system.slice/syclscope.service/memory.max", "max\n"),
            ("/sys/fs/cgroup/system.slice/memory.max", "4294967296\n"),
            ("/sys/fs/cgroup/memory.max", "max\n"),
        ]);
        assert_eq!(group(&second), Some(4 << 30));
        let first = reader(&[
            ("/proc/self/cgroup", "5:devices:/\n4:memory:/job\n0::/\n"),
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        assert_eq!(group(&first), Some(1 << 30));
        assert_eq!(group(&reader(&[("/proc/self/cgroup", "0::/\n")])), None);
    }

    /// Nested groups with any limits, of both versions: the lowest limit of a group that contains the process counts,
    /// and no other.
    #[test]
    fn of_any_groups_the_lowest_limit_around_counts() {
        let limit = || proptest::option::of(1..1_u64 << 40);
        let groups = proptest::collection::vec((limit(), limit(), limit()), 1..6);
        let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
        TestRunner::new(config)
            .run(&(groups, proptest::bool::ANY), |(groups, is_hybrid)| {
                let mut files = HashMap::new();
                let mut path = PathBuf::new();
                for (depth, (max, high, first)) in groups.iter().enumerate() {
                    let say = |limit: &Option<u64>, none: &str| match limit {
                        Some(bytes) => format!("{bytes}\n"),
                        None => format!("{none}\n"),
                    };
                    let second = Path::new("/sys/fs/cgroup").join(&path);
                    files.insert(second.join("memory.max"), say(max, "max"));
                    files.insert(second.join("memory.high"), say(high, "max"));
                    files.insert(second.join("beside/memory.max"), "1\n".to_owned());
                    let old = Path::new("/sys/fs/cgroup/memory").join(&path);
                    files.insert(old.join("memory.limit_in_bytes"), say(first, "9223372036854771712"));
                    if depth + 1 < groups.len() {
                        path.push(format!("group{depth}"));
                    }
                }
                let old =
                    if is_hybrid { format!("4:cpu,memory:/{}\n", path.display()) } else { String::new() };
                files.insert("/proc/self/cgroup".into(), format!("{old}0::/{}\n", path.display()));
                let read = |path: &Path| files.get(path).cloned();
                let second = groups.iter().flat_map(|(max, high, _)| [*max, *high]);
                let first = groups.iter().map(|(.., first)| Some(first.unwrap_or(9223372036854771712)));
                let all = second.chain(first.filter(|_| is_hybrid));
                prop_assert_eq!(group(&read), all.flatten().min());
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn this_machine_has_some() {
        assert!(machine_bytes() >= 64 << 20);
    }
}
