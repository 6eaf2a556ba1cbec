//! Device work in other programs' files: kernels, copies by direction, calls, waits and queues as in our own
//! recordings. `tests/data/README.md` lists the origins of the files.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::emit::emit;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{SliceDetail, TraceInfo};
use syclscope_language::event::{
    Category, Event, EventSink as _, Node, NodeKind, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::producer::Producer;
use syclscope_language::question::{CallTreeQuestion, RegionsQuestion};
use syclscope_language::time::Timestamp;

fn open(bytes: impl AsRef<[u8]>) -> Trace {
    import::open(bytes.as_ref()).unwrap()
}

fn queues(info: &TraceInfo) -> Vec<(&str, &str)> {
    let queues = info.tracks.iter().filter(|track| track.kind == TrackKind::Queue);
    queues.map(|track| (&*info.tracks[track.parent.unwrap() as usize].name, &*track.name)).collect()
}

type NameAndType<'a> = (&'a str, &'a str);

/// Returns the devices with their types, and those of the queues.
fn devices(info: &TraceInfo) -> [Vec<NameAndType<'_>>; 2] {
    let devices = info.devices.iter().map(|device| (&*device.name, &*device.device_type));
    let of_queues = info.queues.iter().map(|queue| (&*queue.device, &*queue.device_type));
    [devices.collect(), of_queues.collect()]
}

fn slice(trace: &Trace, name: &str) -> SliceDetail {
    let count = trace.info().counts.slices as u32;
    let mut slices = (0..count).map(|slice| trace.slice(slice).unwrap());
    slices.find(|slice| slice.name == name).unwrap_or_else(|| panic!("no slice {name}"))
}

/// Returns source and destination of copies, their number, and their bytes.
fn copies(trace: &Trace) -> Vec<(String, String, u64, u64)> {
    trace.report().copies.into_iter().map(|copy| (copy.from, copy.to, copy.count, copy.bytes)).collect()
}

fn waits(trace: &Trace) -> Vec<(String, u64)> {
    trace.report().waits.into_iter().map(|wait| (wait.name, wait.count)).collect()
}

/// Checks that each launched slice of a device's queue has its call, and the call its command; returns their number.
fn assert_launches(trace: &Trace, calls: &[&str]) -> usize {
    let executions = trace.info().counts.executions as u32;
    let launched = (0..executions).map(|row| trace.slice(row).unwrap()).filter(|slice| {
        let node = slice.node.as_ref().unwrap();
        assert_eq!((&node.name, node.execution.map(|run| run.at)), (&slice.name, Some(slice.at)));
        let Some(call) = node.submission else { return false };
        let call = trace.slice(call.slice).unwrap();
        assert!(calls.contains(&call.name.as_str()), "{} launched {}", call.name, slice.name);
        assert_eq!(call.node.as_ref().map(|node| node.id), Some(node.id));
        assert!(call.at.start_ns <= slice.at.start_ns, "{} starts before its launch", slice.name);
        true
    });
    launched.count()
}

#[test]
fn pytorch_on_cuda() {
    let trace = open(include_bytes!("../data/foreign/pytorch-a100.json.gz"));
    let info = trace.info();
    assert_eq!(info.producer(), Some(Producer::PyTorch));
    assert!(info.is_foreign());
    assert_eq!((info.process.name.as_str(), info.process.pid), ("python3.10", 2_869_224));
    let device = "GPU 0 · NVIDIA A100-PG509-200";
    assert_eq!(queues(&info), [(device, "stream 7"), (device, "stream 20")]);
    let devices: Vec<_> = info.devices.iter().map(|device| (&*device.name, &*device.device_type)).collect();
    assert_eq!(devices, [(device, "GPU")], "the seven that did nothing are left out");
    // The file has 79 kernels, 16 copies and 3 fills, and 361 calls of CUDA, 21 of which are waits.
    let count = |kind| trace.commands().iter().filter(|c| c.kind == kind).map(|c| c.count).sum::<u64>();
    assert_eq!((count(NodeKind::Kernel), count(NodeKind::Copy), count(NodeKind::Fill)), (79, 16, 3));
    assert_eq!(info.counts.native_calls, 340);
    assert_eq!(
        waits(&trace),
        [("cudaDeviceSynchronize".to_owned(), 5), ("cudaStreamSynchronize".to_owned(), 16)]
    );
    assert_eq!(copies(&trace), [("host".to_owned(), "device".to_owned(), 16, 244_403_360)]);
    let commands = trace.commands();
    let gemm = commands.iter().find(|command| command.name == "ampere_sgemm_32x32_sliced1x4_tn").unwrap();
    assert_eq!((gemm.count, gemm.total_ns, gemm.p95_ns), (6, 2_621_000, 822_000));
    assert_eq!(assert_launches(&trace, &["cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"]), 98);
    let sync = slice(&trace, "Stream Sync");
    let track = &info.tracks[sync.at.track as usize];
    assert_eq!((&*track.name, track.kind), ("synchronisation of stream 7", TrackKind::Other));
    assert_eq!(sync.flows_in[0].slice, "cudaStreamSynchronize");
    assert_eq!(slice(&trace, "[param|cuda]").category, Category::User);
}

#[test]
fn the_span_of_the_profiler_itself_is_no_thread_of_the_program() {
    let trace = open(include_bytes!("../data/foreign/pytorch-a100.json.gz"));
    let span = slice(&trace, "PyTorch Profiler (0)");
    assert_eq!(trace.info().tracks[span.at.track as usize].kind, TrackKind::Other);
    let question = CallTreeQuestion { limit: 10_000, ..CallTreeQuestion::default() };
    let tree = trace.call_tree(&question).unwrap();
    let [group] = &tree.groups[..] else { panic!("one group, not {}", tree.groups.len()) };
    // The span lasts as long as all calls together, and would be half of a flame graph.
    assert_eq!(group.threads, 1);
    assert!(group.total_ns <= trace.info().duration_ns, "{} ns on one thread", group.total_ns);
    assert!(!tree.names.contains(&span.name));
}

#[test]
fn what_lies_on_a_device_is_no_call_even_if_the_file_names_the_device_last() {
    let file = r#"[{"ph":"X","cat":"gpu_op","pid":9,"tid":1,"ts":0,"dur":50,"name":"marker"},
        {"ph":"X","cat":"cpu_op","pid":8,"tid":1,"ts":0,"dur":7,"name":"zeCommandQueueSynchronize"},
        {"ph":"M","pid":9,"tid":0,"name":"process_name","args":{"name":"GPU"}},
        {"ph":"M","pid":9,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}}]"#;
    let trace = open(file);
    let question = CallTreeQuestion { limit: 10_000, ..CallTreeQuestion::default() };
    let tree = trace.call_tree(&question).unwrap();
    assert_eq!(tree.names, ["zeCommandQueueSynchronize"]);
}

#[test]
fn pytorch_on_several_streams() {
    let trace = open(include_bytes!("../data/foreign/pytorch-streams.json.gz"));
    let info = trace.info();
    let names: Vec<_> = queues(&info).into_iter().map(|(_, queue)| queue).collect();
    assert_eq!(names, ["stream 20", "stream 24", "stream 28"]);
    let numbers: Vec<_> =
        info.queues.iter().map(|queue| (queue.id, &*info.tracks[queue.track as usize].name)).collect();
    assert_eq!(numbers, [(20, "stream 20"), (28, "stream 28"), (24, "stream 24")], "the numbers of the tool");
    let named: Vec<_> = info.queues.iter().map(|queue| info.queue_name(queue.id)).collect();
    assert_eq!(named, ["stream 20", "stream 28", "stream 24"], "and its names");
    assert_eq!(info.queue_name(7), "queue 7", "one that is not there has its number");
    assert_eq!(assert_launches(&trace, &["cudaLaunchKernel", "cudaMemsetAsync"]), 6);
}

#[test]
fn pytorch_on_hip() {
    let trace = open(include_bytes!("../data/foreign/pytorch-mi250.json.gz"));
    let info = trace.info();
    assert_eq!(queues(&info), [("GPU 2 · AMD Radeon Graphics", "stream 0")]);
    assert_eq!((info.counts.executions, info.counts.native_calls), (16, 20));
    assert_eq!(waits(&trace), [("hipDeviceSynchronize".to_owned(), 1)]);
    // Only the calls that submit them have sizes, as text.
    assert_eq!(copies(&trace), [("host".to_owned(), "device".to_owned(), 2, 2 * 2560)]);
    let launches = ["hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyWithStream"];
    assert_eq!(assert_launches(&trace, &launches), 16);
    let annotation = (0..info.counts.slices as u32)
        .map(|row| trace.slice(row).unwrap())
        .find(|slice| &*info.tracks[slice.at.track as usize].name == "annotations of stream 0");
    assert_eq!(annotation.map(|slice| slice.category), Some(Category::Other));
    // The file has this step as a region of a thread and as an annotation of a stream.
    let regions = trace.regions(&RegionsQuestion { limit: 10, ..RegionsQuestion::default() }).regions;
    let count = |path: &[&str]| {
        regions.iter().filter(|region| region.path == path).map(|region| region.count).sum::<u64>()
    };
    assert_eq!((count(&["ProfilerStep#1"]), count(&["ProfilerStep#1", "Optimizer.step#SGD.step"])), (1, 1));
    assert_eq!(info.counts.regions, 3);
}

#[test]
fn jax_on_cuda() {
    let trace = open(include_bytes!("../data/foreign/jax-gpu.json"));
    let info = trace.info();
    assert_eq!(info.producer(), Some(Producer::Xla));
    assert_eq!(info.process.name, "", "a device is no program");
    let device = "/device:GPU:0";
    assert_eq!(queues(&info), [(device, "Stream #13(Compute)"), (device, "Stream #14(MemcpyH2D,Memset)")]);
    let commands: Vec<_> =
        trace.commands().into_iter().map(|c| (c.name, c.kind, c.count, c.total_ns)).collect();
    let expected = [
        ("loop_multiply_fusion", NodeKind::Kernel, 100_000),
        ("input_reduce_fusion", NodeKind::Kernel, 40_500),
        ("MemcpyH2D", NodeKind::Copy, 20_000),
        ("Memset 64 bytes", NodeKind::Fill, 2_000),
    ];
    // XLA's duplicates of its operations count once.
    assert_eq!(commands, expected.map(|(name, kind, ns)| (name.to_owned(), kind, 1, ns)));
    assert_eq!(copies(&trace), [("host".to_owned(), "device".to_owned(), 1, 4096)]);
    assert_eq!(waits(&trace), [("cuStreamSynchronize".to_owned(), 1)]);
    assert_eq!(assert_launches(&trace, &["cuLaunchKernel", "cuMemcpyHtoDAsync_v2"]), 3);
    assert!(slice(&trace, "loop_multiply_fusion").args.iter().any(|(key, _)| key == "hlo_op"));
}

#[test]
fn unitrace() {
    let trace = open(include_bytes!("../data/foreign/unitrace.json"));
    let info = trace.info();
    assert_eq!(info.producer(), Some(Producer::Unitrace));
    assert_eq!((info.process.name.as_str(), info.process.host.as_str()), ("", "node1"));
    let names: Vec<_> = queues(&info).into_iter().map(|(_, queue)| queue).collect();
    // Two threads of this name represent overlapping work of one queue.
    assert_eq!(names, ["Thread 4242 COMPUTE<0,0>"]);
    let kernel = &trace.commands()[0];
    assert_eq!(
        (kernel.name.as_str(), kernel.count, kernel.total_ns),
        ("gemm(float*, float*, int)", 2, 170_500)
    );
    assert_eq!(copies(&trace), [("host".to_owned(), "device".to_owned(), 1, 8192)]);
    assert_eq!(waits(&trace), [("zeCommandQueueSynchronize".to_owned(), 1)]);
    let launches = ["zeCommandListAppendLaunchKernel", "zeCommandListAppendMemoryCopy"];
    assert_eq!(assert_launches(&trace, &launches), 3);
}

#[test]
fn what_ran_on_devices_outlives_a_conversion() {
    use syclscope_engine::cut::{self, Part};
    use syclscope_engine::export::{Exporter as _, chrome_json, perfetto};
    use syclscope_language::formats::Format;
    for file in ["pytorch-a100.json.gz", "pytorch-mi250.json.gz", "jax-gpu.json", "unitrace.json"] {
        let trace = open(std::fs::read(format!("tests/data/foreign/{file}")).unwrap());
        let mut perfetto = perfetto::Writer::new();
        emit(&trace, &mut perfetto);
        let mut json = chrome_json::Writer::new();
        emit(&trace, &mut json);
        let (mut part, whole) = (Vec::new(), Part::new(0, trace.info().duration_ns + 1).unwrap());
        cut::write(&trace, whole, Format::Perfetto, Box::new(&mut part)).unwrap();
        for bytes in [perfetto.take_bytes(), json.take_bytes(), part] {
            let again = open(bytes);
            assert_eq!(again.commands(), trace.commands(), "{file}");
            assert_eq!(copies(&again), copies(&trace), "{file}");
            assert_eq!(queues(&again.info()), queues(&trace.info()), "{file}");
            assert_eq!(devices(&again.info()), devices(&trace.info()), "{file}");
        }
    }
}

#[test]
fn numbers_below_zero_stay_below_zero() {
    let trace = open(r#"[{"ph":"X","name":"a","pid":-1,"tid":-7,"ts":1,"dur":1}]"#);
    let names: Vec<_> = trace.info().tracks.into_iter().map(|track| track.name).collect();
    assert_eq!(names, ["process -1", "thread -7"]);
}

#[test]
fn a_word_of_others_makes_no_device() {
    let trace = open(r#"[{"ph":"X","cat":"kernel","name":"irq","pid":1,"tid":2,"ts":1,"dur":1}]"#);
    let info = trace.info();
    assert_eq!((info.counts.executions, info.producer()), (0, None));
}

#[test]
fn a_profile_of_xla_is_refused_by_name() {
    let error =
        import::open(b"\x0a\x0b\x12\x09/host:CPU\x0a\x0f\x12\x0d/device:GPU:0").unwrap_err().to_string();
    assert!(error.contains("(.xplane.pb)") && error.contains(".trace.json.gz"), "{error}");
}

#[test]
fn a_begin_alone_is_of_its_thread() {
    let file = r#"[
        {"ph":"X","name":"cudaMemcpyAsync","cat":"cuda_runtime","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation":5}},
        {"ph":"B","name":"cudaMalloc","cat":"cuda_runtime","pid":1,"tid":1,"ts":4,"args":{"correlation":6}},
        {"ph":"E","pid":1,"tid":1,"ts":6},
        {"ph":"B","name":"no copy","cat":"gpu_memcpy","pid":1,"tid":3,"ts":8,"args":{"correlation":5,"device":0}},
        {"ph":"E","pid":1,"tid":3,"ts":9},
        {"ph":"X","name":"Memcpy HtoD","cat":"gpu_memcpy","pid":2,"tid":7,"ts":10,"dur":2,"args":{"correlation":5,"device":0}}
    ]"#;
    let trace = open(file);
    assert_eq!(slice(&trace, "no copy").category, Category::Other);
    assert_eq!(slice(&trace, "cudaMalloc").category, Category::Native);
    let arrows = |name: &str| {
        let slice = slice(&trace, name);
        (slice.flows_in.len(), slice.flows_out.len())
    };
    assert_eq!(
        [arrows("cudaMemcpyAsync"), arrows("no copy"), arrows("Memcpy HtoD")],
        [(0, 1), (0, 0), (1, 0)]
    );
}

#[test]
fn a_call_that_launches_a_graph_leads_to_each_of_its_kernels() {
    let file = r#"[
        {"ph":"X","name":"cudaGraphLaunch","cat":"cuda_runtime","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation":5}},
        {"ph":"X","name":"first","cat":"kernel","pid":0,"tid":7,"ts":10,"dur":2,"args":{"correlation":5,"device":0}},
        {"ph":"X","name":"second","cat":"kernel","pid":0,"tid":7,"ts":20,"dur":2,"args":{"correlation":5,"device":0}},
        {"ph":"X","name":"third","cat":"kernel","pid":0,"tid":9,"ts":21,"dur":2,"args":{"correlation":5,"device":0}}
    ]"#;
    let trace = open(file);
    let launch = slice(&trace, "cudaGraphLaunch");
    let targets: Vec<_> = launch.flows_out.iter().map(|flow| flow.slice.as_str()).collect();
    assert_eq!(targets, ["first", "second", "third"]);
    assert_eq!(slice(&trace, "second").flows_in.iter().map(|flow| flow.at).collect::<Vec<_>>(), [launch.at]);
}

#[test]
fn commands_get_numbers_that_the_file_does_not_use() {
    // Commands of ours, with the numbers at which those of the other tool would start.
    let mut builder = TraceBuilder::new();
    let (args, location) = (&[][..], SourceLocation::default());
    for number in 0..3 {
        let (node, kind, name, queue, tid) = (4 + number, NodeKind::Kernel, "ours", Some(4 + number), 1);
        builder.event(&Event::Node(Node { node, at: Timestamp(1), kind, name, queue, tid, location, args }));
    }
    for track in 1..4 {
        let (parent, kind, tid) = (None, TrackKind::Queue, 0);
        let name = ["compute", "copies", "graphics"][track as usize - 1];
        builder.event(&Event::Track(Track { track, parent, kind, name, tid }));
        for at in [Timestamp(10 * track), Timestamp(10 * track + 5)] {
            let (category, name, node) = (Category::Kernel, "theirs", None);
            builder.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
            builder.event(&Event::SliceEnd(SliceEnd { track, at, args }));
        }
    }
    let trace = builder.build();
    let mut queues: Vec<u64> = trace.info().queues.iter().map(|queue| queue.id).collect();
    queues.sort_unstable();
    assert_eq!(queues, [4, 5, 6, 7, 8, 9]);
    let nodes: Vec<u64> = (0..6).map(|slice| trace.slice(slice).unwrap().node.unwrap().id).collect();
    assert_eq!(nodes, [7, 8, 9, 10, 11, 12]);
}

#[test]
fn a_queue_keeps_the_name_that_the_file_gives_it() {
    let file = r#"[
        {"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"thread pool"}},
        {"ph":"X","name":"a","cat":"gpu_memset","pid":1,"tid":7,"ts":1,"dur":2,"args":{"device":0}},
        {"ph":"X","name":"b","cat":"gpu_memset","pid":1,"tid":8,"ts":1,"dur":2,"args":{"device":0}}
    ]"#;
    let names: Vec<_> = open(file).info().queues.into_iter().map(|queue| queue.track).collect();
    let tracks = open(file).info().tracks;
    let names: Vec<_> = names.into_iter().map(|track| tracks[track as usize].name.clone()).collect();
    assert_eq!(names, ["thread pool", "stream 8"]);
}

#[test]
fn a_program_with_the_number_of_an_absent_device_is_none() {
    // In a container the program may be process 1.
    let trace = open(
        r#"[{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":0,"dur":60},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,
         "args":{"correlation":4}},
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":30,"args":{"correlation":4}},
        {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},
        {"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"CPU"}},
        {"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"python"}},
        {"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},
        {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},
        {"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"GPU 1"}}]"#,
    );
    let info = trace.info();
    assert_eq!((info.process.name.as_str(), info.process.pid), ("python", 1));
    assert_eq!(queues(&info), [("GPU 0", "stream 7")]);
    let thread = &info.tracks[slice(&trace, "aten::add").at.track as usize];
    let process = &info.tracks[thread.parent.unwrap() as usize];
    assert_eq!((thread.kind, process.kind), (TrackKind::Thread, TrackKind::Process));
}
