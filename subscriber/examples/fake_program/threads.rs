//! Threads: many at once, and a reused id.

use crate::nodes::node;
use crate::runtime::trace_type::{TASK_BEGIN, TASK_END};
use crate::runtime::{Runtime, next_instance};

pub(crate) fn threads(runtime: &Runtime) {
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            scope.spawn(move || {
                for round in 0..2000_u64 {
                    let id = 1_000_000 * (thread + 1) + round % 7;
                    let event = node(runtime, id, "work", 5, next_instance());
                    let submission = next_instance();
                    runtime.sycl(TASK_BEGIN, Some(event), submission, None);
                    runtime.burst(5);
                    runtime.sycl(TASK_END, Some(event), submission, None);
                }
            });
        }
    });
}

/// Notifies when its thread ends: after the recorder's own destructor, because this value is older.
struct LastWords(&'static Runtime);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.burst(1);
    }
}

thread_local! {
    static LAST_WORDS: std::cell::OnceCell<LastWords> = const { std::cell::OnceCell::new() };
}

/// Plays an ended thread's id that is reused, and its open slice without an end.
pub(crate) fn thread_again(runtime: &'static Runtime) {
    let thread = std::thread::Builder::new().name("again".to_owned());
    let thread = thread.spawn(move || {
        LAST_WORDS.with(|words| {
            words.get_or_init(|| LastWords(runtime));
        });
        let event = node(runtime, 100, "lost", 11, 500);
        runtime.sycl(TASK_BEGIN, Some(event), 500, None);
        runtime.burst(1);
    });
    thread.unwrap().join().unwrap();
}
