//! Calls by name.

use syclscope_engine::builder::TraceBuilder;
use syclscope_language::event::{
    Category, Event, EventSink as _, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::CallsQuestion;
use syclscope_language::time::Timestamp;

/// A call: its category, name, start, end if it returned, and result if recorded.
type Call<'a> = (Category, &'a str, u64, Option<u64>, Option<Value<'a>>);

#[test]
fn calls_are_summed_by_name_and_kind() {
    let ur = Category::Call;
    let calls: &[Call<'_>] = &[
        (ur, "urEventWait", 0, Some(10), None),
        (ur, "urEventWait", 20, Some(25), Some(Value::Int(0))),
        (ur, "urEventWait", 30, Some(33), Some(Value::Int(-5))),
        (ur, "urProgramBuildExp", 40, Some(41), Some(Value::Str("UR_RESULT_ERROR_UNSUPPORTED_FEATURE"))),
        (ur, "urProgramBuildExp", 50, Some(51), Some(Value::Str("UR_RESULT_SUCCESS"))),
        (Category::Native, "zeInit", 60, Some(80), Some(Value::Uint(7))),
        (Category::Native, "cuInit", 90, Some(92), Some(Value::Str("CUDA_SUCCESS"))),
        (Category::Wait, "urEventWait", 94, Some(95), Some(Value::Int(1))),
        (ur, "urQueueFinish", 96, None, None),
        (Category::Submission, "kernel", 100, Some(110), None),
    ];
    let mut builder = TraceBuilder::new();
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "t",
        tid: 1,
    }));
    for (category, name, start, end, result) in calls {
        builder.event(&Event::SliceBegin(SliceBegin {
            track: 1,
            at: Timestamp(*start),
            category: *category,
            name,
            node: None,
            location: SourceLocation::default(),
            args: &[("queue", Value::Uint(1))],
        }));
        if let Some(end) = end {
            let args: Vec<_> = result.iter().map(|value| ("result", *value)).collect();
            builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(*end), args: &args }));
        }
    }
    let trace = builder.build();
    let calls = trace.calls(&CallsQuestion::default());
    let told: Vec<_> = calls
        .iter()
        .map(|call| (call.name.as_str(), call.count, call.errors, call.total_ns, call.mean_ns()))
        .collect();
    assert_eq!(
        told,
        [
            ("zeInit", 1, 1, 20, 20),
            ("urEventWait", 3, 1, 18, 6),
            ("urQueueFinish", 1, 0, 14, 14),
            ("cuInit", 1, 0, 2, 2),
            ("urProgramBuildExp", 2, 1, 2, 1),
        ]
    );
    let wait = &calls[1];
    assert_eq!((wait.min_ns, wait.max_ns, wait.category, wait.unfinished), (3, 10, ur, 0));
    assert_eq!(calls[2].unfinished, 1, "its time counts up to the end of the recording");
    assert_eq!(calls[0].category, Category::Native);
    #[cfg(feature = "tables")]
    the_table_has_errors_by_number_and_by_name(&trace);
}

#[cfg(feature = "tables")]
fn the_table_has_errors_by_number_and_by_name(trace: &syclscope_engine::store::Trace) {
    let table = syclscope_engine::tables::parquet::tables(trace)
        .into_iter()
        .find(|table| table.name() == "calls")
        .unwrap();
    let cell = |row: usize, name: &str| {
        let column = table.columns().position(|column| column.name == name).unwrap();
        format!("{:?}", table.cell(column, row))
    };
    let errors: Vec<_> = (0..table.rows()).filter(|row| cell(*row, "is_error") == "Integer(1)").collect();
    let results: Vec<_> =
        errors.iter().map(|row| (cell(*row, "result"), cell(*row, "result_name"))).collect();
    let text = |(code, name): (&str, &str)| (code.to_owned(), format!("Text({name:?})"));
    assert_eq!(
        results,
        [("Integer(-5)", ""), ("Null", "UR_RESULT_ERROR_UNSUPPORTED_FEATURE"), ("Integer(7)", "")].map(text)
    );
}

#[test]
fn a_trace_without_calls_has_none() {
    assert_eq!(TraceBuilder::new().build().calls(&CallsQuestion::default()), []);
}
