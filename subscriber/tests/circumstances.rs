//! Bad circumstances: the program runs as usual, and as much as possible is recorded.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use recorded::Recorded;
use run::Run;
use syclscope_language::event::Category;

fn calls(recorded: &Recorded) -> usize {
    recorded.slices_of(Category::Call).count()
}

#[test]
fn sixty_four_processes_at_once_are_all_recorded() {
    let run = Run::of("many_processes").beside_another().finished();
    assert_eq!(calls(&run.recorded()), 10);
    let files = run.other_files();
    let children: Vec<Recorded> = files.iter().map(|file| Recorded::read(file)).collect();
    assert_eq!(children.len(), 63);
    for child in &children {
        assert_eq!((calls(child), child.dropped.len(), child.is_finished), (100, 0, true), "{}", child.pid);
    }
}

#[test]
fn a_sandbox_that_allows_no_new_file_gets_no_recording_and_no_word() {
    // `finished` checks that the program prints and ends as usual.
    let run = Run::of("no_new_files").beside_another().finished();
    assert!(!run.output().exists());
    assert_eq!(run.other_files(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn a_sandbox_that_allows_no_shared_memory_is_recorded_by_the_program_itself() {
    let run = Run::of("no_shared_memory").beside_another().finished();
    let recorded = run.recorded();
    assert_eq!((calls(&recorded), recorded.dropped.len(), recorded.is_finished), (20_000, 0, true));
}
