//! Scenarios, played in each format.

use syclscope_language::event::EventSink;

use crate::recorded::Recorded;
use crate::run::Run;

/// Plays a scenario in each format, and checks the recording and the events that `Told` collects.
pub(crate) fn played<Told: EventSink + Default + Send>(name: &str, check: impl Fn(&Recorded, &Told)) {
    for format in ["perfetto", "json"] {
        let run = Run::of(name).with("SYCLSCOPE_FORMAT", format).finished();
        let bytes = std::fs::read(run.output()).unwrap();
        let mut told = Told::default();
        syclscope_engine::import::read(&bytes, &mut told).unwrap();
        assert_eq!(run.import_problems(), 0, "{format}");
        check(&run.recorded(), &told);
    }
}
