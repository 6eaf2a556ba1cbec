use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::json;
use syclscope_language::api::*;

use crate::data::json::tests::same;
use crate::data::json::{Value, read};

type Compare = fn(&str);

/// The engine's answers for a small trace: lines of a query, a tab and the answer.
const ANSWERS: &str = include_str!("../../../../trace/engine/tests/data/answers.txt");

fn answers() -> Vec<(&'static str, Compare)> {
    let answer = |line: &'static str| {
        let (question, answer) = line.split_once('\t').unwrap();
        let check: Compare = match question {
            "" => same::<TraceInfo>,
            "slices/1" => same::<SliceDetail>,
            "slices?limit=10" => same::<SliceList>,
            "graph" => same::<GraphView>,
            "tiles/timeline/0/0/0" => same::<TimelineTile>,
            other => panic!("a type for {other} is missing here"),
        };
        (answer, check)
    };
    ANSWERS.lines().map(answer).collect()
}

#[test]
fn answers_of_a_trace_are_read() {
    assert!(!answers().is_empty());
    for (text, check) in answers() {
        check(text);
    }
    same::<Vec<ArgValue>>(
        "[{\"value\":1,\"type\":\"int\"},{\"type\":\"float\",\"value\":\"NaN\"}]"
            .replace("NaN", "inf")
            .as_str(),
    );
}

#[test]
fn answers_that_are_cut_or_changed_are_no_reason_to_panic() {
    for (text, _) in answers() {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let cut = &text[..at];
            assert!(read::<TraceInfo>(cut).is_err() && read::<GraphView>(cut).is_err(), "{cut}");
            for other in ["\"", "\\", "{", "]", "9", "-", "ä"] {
                let changed = format!("{}{other}{}", &text[..at], text.get(at + 1..).unwrap_or_default());
                // Some of these are valid values, too.
                let _ = read::<TraceInfo>(&changed);
                let _ = read::<SliceDetail>(&changed);
                let _ = read::<GraphView>(&changed);
                let _ = read::<TimelineTile>(&changed);
            }
        }
    }
}

fn compare<T: Value + serde::Serialize + DeserializeOwned + PartialEq + Debug>() {
    let mut written = serde_json::to_value(T::blank()).unwrap();
    same::<T>(&written.to_string());
    let names: Vec<String> = written.as_object().unwrap().keys().cloned().collect();
    for (number, name) in names.iter().enumerate() {
        let guesses = match &written[name] {
            serde_json::Value::Array(_) => {
                vec![json!([number + 1]), json!(["text"]), json!([["a", "b"]]), json!(["kernel"])]
            }
            serde_json::Value::Object(_) => vec![],
            _ => vec![json!(number + 1), json!(true), json!(format!("text {number}")), json!(0.5)],
        };
        for guess in guesses {
            let before = std::mem::replace(&mut written[name], guess);
            if serde_json::from_value::<T>(written.clone()).is_ok() {
                break;
            }
            written[name] = before;
        }
    }
    same::<T>(&written.to_string());
    for name in names {
        let mut lacking = written.clone();
        lacking.as_object_mut().unwrap().remove(&name);
        let expected = serde_json::from_value::<T>(lacking.clone());
        assert_eq!(read::<T>(&lacking.to_string()).ok(), expected.ok(), "without {name}: {lacking}");
    }
}

#[test]
fn each_member_is_read_as_serde_reads_it() {
    macro_rules! compare {
        ($($name:ident),+ $(,)?) => {
            $(compare::<$name>();)+
        };
    }
    compare!(
        AccessorCount,
        AccessorDetail,
        ActivityCounter,
        AllocationItem,
        AllocationList,
        Amount,
        Anchor,
        CallGroup,
        CallNode,
        CallSummary,
        CallTree,
        ClockInfo,
        CommandReport,
        ComparedEdge,
        ComparedEdges,
        ComparedGraph,
        ComparedIterations,
        ComparedLoop,
        ComparedLoopTimes,
        ComparedMemory,
        ComparedNode,
        ComparedReason,
        ComparedRegion,
        ComparedRow,
        ComparedSide,
        CommandEnergy,
        Comparison,
        ComparisonNote,
        Concurrency,
        CopyReport,
        CounterInfo,
        CounterTile,
        Counterpart,
        Counts,
        CriticalPath,
        CriticalStep,
        DensityTile,
        Dependence,
        Dependences,
        DeviceInfo,
        DeviceTime,
        DiagnosticInfo,
        DurationBins,
        EdgeDetail,
        Energy,
        EnergyCounter,
        EnergyRest,
        ErrorBody,
        ErrorInfo,
        ExecutionDetail,
        ExecutionPoints,
        ExecutionStats,
        FactDifference,
        FactInfo,
        FigureChange,
        FileCost,
        FileLines,
        Finding,
        Findings,
        FlowDetail,
        Found,
        FreeMemory,
        Gain,
        GraphChangeDetail,
        GraphCommandDetail,
        GraphComponent,
        GraphComponents,
        GraphMember,
        GraphMembers,
        GraphRunDetail,
        GraphView,
        HostTaskEstimate,
        HostTaskReport,
        Growth,
        Histogram,
        KernelProfile,
        KernelSummary,
        LeakPlace,
        Leaks,
        LeftOut,
        Life,
        Line,
        LineCost,
        LiveMemory,
        LocationInfo,
        MatchedCommand,
        MatchedCommands,
        MemoryAt,
        MemoryBlock,
        MemoryChange,
        MemoryMoment,
        MemoryPeak,
        MemoryPlace,
        MemoryRegion,
        MemoryReport,
        MemorySeries,
        MemorySpace,
        MemoryTile,
        MemoryUse,
        Misuse,
        NativeHandleDetail,
        NativeMemory,
        NodeDetail,
        NodeRef,
        ObjectDetail,
        ObjectEvent,
        ObjectHistory,
        ObjectItem,
        ObjectList,
        ObjectMemory,
        PartitionDetail,
        PauseInfo,
        Phase,
        PlaceChange,
        Placement,
        ProcessInfo,
        QueueExecutions,
        QueueIdle,
        QueueInfo,
        RecordingCost,
        RegionReport,
        RegionSide,
        Regions,
        Report,
        IdleTime,
        Build,
        Builds,
        Iteration,
        IterationMark,
        IterationStats,
        IterationStep,
        Iterations,
        StartUp,
        StepSum,
        Gap,
        GapClassTime,
        GapPart,
        Gaps,
        RowSide,
        RunSplit,
        SampledPlace,
        Sandwich,
        Selected,
        Serialised,
        SerialisedCommand,
        SerialisedPair,
        SerialisedWait,
        SizeExecutions,
        SliceDetail,
        SliceGroup,
        SliceItem,
        SliceList,
        SliceRef,
        SliceStats,
        SourceInfo,
        SourceText,
        SqlColumn,
        SqlRows,
        StepSamples,
        Stepped,
        TileLane,
        TimeChange,
        TimelineTile,
        TraceEntry,
        TraceInfo,
        TrackInfo,
        TrackMatches,
        Transfer,
        TransferCause,
        TransferList,
        TransferSums,
        UnreleasedReport,
        ViewEdge,
        ViewFrame,
        ViewLoop,
        ViewNode,
        WaitReport,
        WaterfallPart,
        WhatIf,
        WhatIfPiece,
        WhatIfQueue,
        WhatIfSchedule,
    );
}

#[test]
fn cells_of_sql_are_read_as_serde_reads_them() {
    let rows = "[[null],[-5],[2.5],[1e3],[\"x\"],[9223372036854775807],[18446744073709551615]]";
    same::<SqlRows>(&format!(
        "{{\"columns\":[{{\"name\":\"a\",\"kind\":\"text\"}}],\"rows\":{rows},\"is_cut\":true}}"
    ));
}

#[test]
fn each_word_is_read_as_serde_reads_it() {
    macro_rules! compare {
        ($($name:ident { $($word:literal),+ })+) => {
            $(same::<Vec<$name>>(&json!([$($word),+]).to_string());)+
        };
    }
    compare! {
        SqlKind { "null", "integer", "number", "text" }
        GapClass {
            "wait", "synchronisation", "build", "memory", "call", "submission", "host", "sampled", "dependence", "device_busy", "launch", "paused",
            "unknown"
        }
        EnergyRestReason { "device", "paused", "lost" }
        BuildAgain { "context", "device", "options", "same" }
        BuildSource { "spir_v", "binary", "programs", "unknown" }
        IterationMarkKind { "region", "command" }
        FigureUnit { "count", "bytes" }
        Likeness { "same", "moved", "other_queue", "renamed", "split" }
        PartKind {
            "kernel", "copy", "command", "submission", "call", "build", "wait", "host", "start", "end", "delay"
        }
        Presence { "both", "only_a", "only_b" }
        Verdict { "faster", "slower", "same", "undecided", "incomparable" }
        ActivityKind { "kernels_in_flight", "queue_depth", "transfer_rate", "memory" }
        MisuseKind { "double_release", "unknown_release", "inner_release", "use_after_release", "release_during_use", "new" }
        Need { "needed", "unchanged", "never_read", "unknown", "new" }
        ObjectEventKind {
            "made", "allocated", "copy_in", "copy_out", "copy_within", "fill", "read", "write", "read_write", "map",
            "unmap", "host_access", "advice", "released", "gone", "other", "new"
        }
        ObjectProblem { "unused", "oversize", "unreleased", "released_late" }
        ObjectWhat { "buffer", "sub_buffer", "image", "device", "shared", "host", "other", "new" }
        PhaseKind { "submission", "dependences", "hand_over", "start", "execution", "return" }
        SerialReason { "false_dependence", "in_order_queue", "host_wait", "same_engine" }
        Severity { "info", "data_loss", "error" }
        Side { "host", "device", "both", "shared", "nowhere", "unknown", "new" }
        StepKind { "command", "host", "wait", "submission", "call" }
        TransferCauseKind { "program", "accessor", "host_accessor", "write_back", "unknown", "new" }
    }
}
