//! Texts of any form, in any field: no part of them is left.

use proptest::prelude::*;
use syclscope_engine::budget::Budget;
use syclscope_engine::clean::{self, Key};
use syclscope_engine::export::perfetto;
use syclscope_engine::import;
use syclscope_language::event::{
    Category, Event, EventSink as _, Process, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::formats::Format;
use syclscope_language::time::Timestamp;

use super::{Written, cleaned, everything, holds};

/// Forms of a text: `#` represents its private part.
const LOOKS: &[&str] = &[
    "#",
    "SECRET_#",
    "A_# | B_#",
    "# × #",
    "[#, #]",
    "0170-#",
    "thread #",
    "memory in use: #",
    "free memory: #",
    "queue # · in-order",
    "CPU #",
    "true #",
    "größe # \"quoted\" \\ and / more",
    "line\n#\t",
    "/home/#/#.cpp",
    "#: #",
    "%#",
    "host → # device",
    "__sycl_kernel_#",
    "Memory Transfer (#)",
    "# - 日本",
    "&lt;#&gt;",
];

const KEYS: &[&str] = &[
    "from",
    "to",
    "reason",
    "result",
    "launch",
    "graph",
    "direction",
    "update",
    "format",
    "arg0",
    "bytes",
    "pOptions",
    "global_size",
    "flags",
    "stream",
    "sycl_device_type",
];

fn mark(number: usize) -> String {
    format!("98765432{number:05}")
}

struct Texts {
    looks: Vec<prop::sample::Index>,
    used: usize,
}

impl Texts {
    fn next(&mut self) -> String {
        let look = self.looks[self.used % self.looks.len()].get(LOOKS);
        self.used += 1;
        look.replace('#', &mark(self.used))
    }

    fn json(&mut self) -> String {
        serde_json::to_string(&self.next()).unwrap()
    }
}

/// Returns another tool's trace with texts in every field that may have one.
fn foreign(texts: &mut Texts) -> Vec<u8> {
    let mut events = Vec::new();
    for pid in [1, 2] {
        for what in ["process_name", "thread_name"] {
            let name = texts.json();
            events.push(format!(
                r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":1,"args":{{"name":{name}}}}}"#
            ));
        }
    }
    let heads = [
        r#""ph":"X","dur":5,"cat":"kernel""#,
        r#""ph":"X","dur":5,"cat":"gpu_memcpy""#,
        r#""ph":"X","dur":5,"cat":"cuda_runtime""#,
        r#""ph":"X","dur":5,"cat":"cpu_op""#,
        r#""ph":"X","dur":5"#,
        r#""ph":"i","s":"t""#,
        r#""ph":"b","id":7,"cat":"c""#,
        r#""ph":"e","id":7,"cat":"c""#,
        r#""ph":"s","id":9,"cat":"c""#,
        r#""ph":"f","id":9,"cat":"c","bp":"e""#,
    ];
    for (at, head) in heads.iter().enumerate() {
        let mut args: Vec<String> = KEYS.iter().map(|key| format!(r#""{key}":{}"#, texts.json())).collect();
        args.push(format!("{}:{}", texts.json(), texts.json()));
        args.push(format!("{}:12", texts.json()));
        args.push(format!(r#""deep":{{{}:[{}]}}"#, texts.json(), texts.json()));
        let (name, args) = (texts.json(), args.join(","));
        events
            .push(format!(r#"{{{head},"ts":{},"pid":1,"tid":1,"name":{name},"args":{{{args}}}}}"#, at * 10));
    }
    let (name, series) = (texts.json(), texts.json());
    events.push(format!(r#"{{"ph":"C","ts":3,"pid":2,"name":{name},"args":{{{series}:4}}}}"#));
    format!("[{}]", events.join(",")).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_another_tools_texts_is_left(looks in prop::collection::vec(any::<prop::sample::Index>(), 40..200)) {
        let mut texts = Texts { looks, used: 0 };
        let trace = import::open(&foreign(&mut texts)).unwrap();
        for format in [Format::Perfetto, Format::Json] {
            let copy = Written::default();
            let (out, budget) = (Box::new(copy.clone()), Budget::unlimited());
            clean::write(&trace, everything(), Key::new("key"), format, out, &budget).unwrap();
            let copy = copy.bytes();
            for number in 1..=texts.used {
                prop_assert!(!holds(&copy, &mark(number)), "{} in {format:?}", mark(number));
            }
        }
    }

    #[test]
    fn nothing_that_the_recorder_did_not_choose_is_left(looks in prop::collection::vec(any::<prop::sample::Index>(), 20..60)) {
        let mut texts = Texts { looks, used: 0 };
        let keys = ["pOptions", "pPropValue", "flags", "pKernelName", "name"];
        let calls: Vec<Vec<(&str, String)>> =
            (0..6).map(|_| keys.iter().map(|key| (*key, texts.next())).collect()).collect();
        let play = |take: &mut dyn FnMut(&Event<'_>)| {
            take(&Event::Process(Process { pid: 7, recorder: "syclscope 0.1.0", ..Process::default() }));
            let (kind, name) = (TrackKind::Thread, "main thread");
            take(&Event::Track(Track { track: 2, parent: None, kind, name, tid: 7 }));
            for (at, call) in (0..).zip(&calls) {
                let args: Vec<(&str, Value<'_>)> = call.iter().map(|(key, text)| (*key, Value::Str(text))).collect();
                let (category, location) = (Category::Call, SourceLocation::default());
                let (at, name) = (Timestamp(at * 10), "urProgramBuild");
                take(&Event::SliceBegin(SliceBegin { track: 2, at, category, name, node: None, location, args: &args }));
                take(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(at.0 + 5), args: &[] }));
            }
            take(&Event::Finish { at: Timestamp(100) });
        };
        let bytes = {
            let mut writer = perfetto::Writer::new();
            play(&mut |event| writer.event(event));
            use syclscope_engine::export::Exporter as _;
            writer.take_bytes()
        };
        for format in [Format::Perfetto, Format::Json] {
            let copy = cleaned(&bytes, everything(), "key", format).unwrap();
            for number in 1..=texts.used {
                prop_assert!(!holds(&copy, &mark(number)), "{} in {format:?}", mark(number));
            }
        }
    }
}
