//! Checks for the counters of process and machine that recordings get here.

use std::path::Path;

use super::Check;
use super::probe;

const NAME: &str = "counters";
const OLD_LOADER: &str = "Level Zero's loader is too old";

pub(super) fn readable(subscriber: &Path, scratch: &Path) -> Check {
    match probe::try_counters(subscriber, &scratch.join("counters")) {
        Ok(answer) => check(&answer),
        Err(why) => Check::warning(
            NAME,
            format!("can't read any: {why}"),
            "record with --no-counters: a driver may be broken",
        ),
    }
}

fn check(answer: &str) -> Check {
    let lines = |word: &'static str| answer.lines().filter_map(move |line| line.strip_prefix(word));
    let mut says: Vec<String> = groups(lines("read "))
        .into_iter()
        .map(|(device, counters)| match device {
            Some(device) => format!("{device}: {}", counters.join(", ")),
            None => counters.join(", "),
        })
        .collect();
    says.extend(lines("lacks ").map(str::to_owned));
    let says = says.join("; ");
    match lines("lacks ").find(|why| why.contains(OLD_LOADER)) {
        None => Check::ok(NAME, says),
        Some(_) => Check::warning(
            NAME,
            says,
            "install a loader of version 1.9 or later (libze1 of Debian and Ubuntu, level-zero of Intel's packages)",
        ),
    }
}

/// Groups counters by device, those of a GPU without the word `GPU`.
fn groups<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(Option<&'a str>, Vec<&'a str>)> {
    let mut groups: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for name in names {
        let (device, counter) = match name.strip_prefix("GPU ").and_then(|rest| rest.split_once(": ")) {
            Some((counter, device)) => (Some(device), counter),
            None => (None, name.strip_prefix("process: ").unwrap_or(name)),
        };
        match groups.iter_mut().find(|(known, _)| *known == device) {
            Some((_, counters)) => counters.push(counter),
            None => groups.push((device, vec![counter])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn counters_are_listed_by_device_with_reasons_for_lacking_ones() {
        let answer = "read process: resident memory\nread process: processor use\nread GPU clock: Arc (0)\n\
                      read GPU power: Arc (0)\nread GPU clock: Arc (1)\nlacks not recorded of Arc (1): power (no)\n";
        let check = check(answer);
        assert_eq!((check.state, check.remedy), (State::Ok, None));
        assert_eq!(
            check.says,
            "resident memory, processor use; Arc (0): clock, power; Arc (1): clock; not recorded of Arc (1): power (no)"
        );
    }

    #[test]
    fn an_old_loader_has_a_remedy() {
        let why =
            "counters of Intel's GPUs are not recorded: Level Zero's loader is too old (it lacks zesInit)";
        let check = check(&format!("read process: resident memory\nlacks {why}\n"));
        assert_eq!(check.state, State::Warning);
        assert!(check.says.ends_with(why) && check.remedy.is_some_and(|remedy| remedy.contains("1.9")));
    }
}
