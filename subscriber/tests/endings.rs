//! Ends of programs: the file always has all notifications that had returned.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what a run can be asked")]
mod run;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use run::{Run, Scenario};
use syclscope_language::event::Category;

/// Number of kills: usual, and in `cargo xtask soak`.
const KILLS: u64 = 12;
const KILLS_OF_SOAK: u64 = 200;

fn scenario(name: &str) -> Scenario {
    Run::of(name).beside_another().with_file("completed", &"\0".repeat(16))
}

/// Returns the number of returned calls of each thread when the program ended, the fewest first.
fn completed(folder: &Path) -> Vec<u64> {
    let bytes = std::fs::read(folder.join("completed")).unwrap();
    let mut counts: Vec<u64> =
        bytes.chunks_exact(8).map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap())).collect();
    counts.sort_unstable();
    counts
}

#[track_caller]
fn nothing_is_lost(run: &Run) {
    let completed = completed(run.folder());
    let recorded = run.recorded();
    assert_eq!(recorded.dropped, []);
    let mut by_thread = BTreeMap::<u64, u64>::new();
    for slice in recorded.slices_of(Category::Call).filter(|slice| slice.end.is_some()) {
        *by_thread.entry(slice.track).or_default() += 1;
    }
    let mut ended: Vec<u64> = by_thread.into_values().collect();
    ended.resize(2, 0);
    ended.sort_unstable();
    for (ended, completed) in ended.iter().zip(&completed) {
        // The program may have been stopped between the last return and counting it.
        assert!((*completed..=completed + 1).contains(ended), "{ended} calls of {completed}");
    }
    assert_eq!(run.status()["complete"], true);
    assert_eq!(run.status()["finished"], false);
}

#[test]
fn a_program_that_is_killed_loses_nothing() {
    let kills = if std::env::var_os("SYCLSCOPE_SOAK").is_some() { KILLS_OF_SOAK } else { KILLS };
    for kill in 0..kills {
        // Some moment early in the run.
        let moment = Duration::from_micros(300 + kill * 7_919 % 40_000);
        let scenario = scenario("until_killed");
        nothing_is_lost(&scenario.killed_after(moment));
    }
}

#[test]
fn what_there_is_no_room_for_goes_to_a_disk_and_into_the_file() {
    let scenario = Run::of("burst").beside_another().with("SYCLSCOPE_BUFFER_SIZE", "4K");
    let run = scenario.whose_writer_rests().finished();
    let recorded = run.recorded();
    assert_eq!((recorded.slices_of(Category::Call).count(), recorded.dropped.len()), (20_000, 0));
    assert!(run.status()["spilled_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn a_program_that_crashes_loses_nothing() {
    nothing_is_lost(&scenario("until_abort").ended());
}

#[test]
fn a_program_that_exits_at_once_loses_nothing() {
    nothing_is_lost(&scenario("until_exit").ended_with(3));
}

#[test]
fn a_thread_that_was_never_notified_of_anything_may_end_the_program() {
    for beside in [false, true] {
        let scenario = Run::of("exit_elsewhere");
        let run = if beside { scenario.beside_another() } else { scenario }.ended_with(0);
        let recorded = run.recorded();
        assert_eq!(recorded.executions.len(), 1, "the times are read as the process exits");
        assert_eq!(recorded.dropped, []);
        assert_eq!(run.status()["device_times"], 1);
    }
}

#[test]
fn a_program_whose_place_another_takes_loses_nothing() {
    nothing_is_lost(&scenario("until_exec").ended_with(0));
}

#[test]
fn a_program_goes_on_when_nobody_empties_its_buffers_any_more() {
    for fault in ["writer", "writer_is_killed"] {
        let scenario = Run::of("burst")
            .beside_another()
            .with("SYCLSCOPE_ON_FULL", "wait")
            .with("SYCLSCOPE_FAULT", fault);
        let begin = std::time::Instant::now();
        let run = scenario.with("SYCLSCOPE_BUFFER_SIZE", "4K").leaves(fault != "writer").finished();
        // A program that waited at each full buffer would take hours.
        assert!(begin.elapsed() < Duration::from_secs(600), "it waits for nobody: {:?}", begin.elapsed());
        assert_eq!(run.folder().join("rings").exists(), fault != "writer", "what nobody has written is kept");
    }
}

#[test]
fn what_a_killed_writer_has_left_is_made_a_file_later() {
    let scenario = scenario("until_abort");
    let run = scenario.with("SYCLSCOPE_FAULT", "writer_is_killed").leaves(true).ended();
    // The writer adopts the program's environment, which contains the fault: remove it.
    let rings = run.folder().join("rings");
    for file in std::fs::read_dir(&rings)
        .unwrap()
        .flatten()
        .filter(|file| file.path().extension() == Some("process".as_ref()))
    {
        let text = std::fs::read(file.path()).unwrap();
        let fault = b"writer_is_killed";
        let place = text.windows(fault.len()).position(|window| window == fault).unwrap();
        let mut text = text;
        text[place..place + fault.len()].fill(b'x');
        std::fs::write(file.path(), text).unwrap();
    }
    run::Drain::again(&rings).end();
    let completed: u64 = completed(run.folder()).iter().sum();
    let calls = |path: &Path| {
        let recorded = recorded::Recorded::read(path);
        recorded.slices_of(Category::Call).filter(|slice| slice.end.is_some()).count() as u64
    };
    let files: Vec<_> =
        run.other_files().into_iter().filter(|file| file.extension() == Some("pftrace".as_ref())).collect();
    let recovered: u64 = files.iter().map(|file| calls(file)).sum();
    assert!(
        (completed..=completed + 2).contains(&recovered),
        "{recovered} calls of {completed} in {files:?}"
    );
}

#[test]
fn what_another_version_has_left_is_kept() {
    let scenario = scenario("until_abort");
    let run = scenario.with("SYCLSCOPE_FAULT", "writer_is_killed").leaves(true).ended();
    let rings = run.folder().join("rings");
    let pages: Vec<_> = std::fs::read_dir(&rings)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension() == Some("link".as_ref()))
        .collect();
    assert_eq!(pages.len(), 1);
    // The first word of the page is the version of its layout.
    let mut page = std::fs::read(&pages[0]).unwrap();
    page[..8].copy_from_slice(&1_u64.to_ne_bytes());
    std::fs::write(&pages[0], page).unwrap();
    run::Drain::again(&rings).leave();
    assert!(pages[0].exists(), "who has the other version can still read it");
}
