//! Builds of device code, and start-up: of simulated calls, and of real recordings.

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{BuildAgain, BuildSource, Builds, StartUp, StepKind};
use syclscope_language::event::{Category, NodeKind, Process, QueueOrder, Value};

use crate::recordings::run::{Command, Run, place};

fn builds(trace: &Trace) -> Builds {
    serde_json::from_str(&trace.answer(&"builds".parse().unwrap()).unwrap()).unwrap()
}

/// Consecutive calls, each 10 ns long except for builds.
struct Calls {
    run: Run,
    at: u64,
}

impl Calls {
    fn new() -> Self {
        Self { run: Run::new(QueueOrder::InOrder), at: 1_000 }
    }

    fn call(&mut self, name: &str, length: u64, args: &[(&str, Value<'_>)]) {
        self.run.slice(Category::Call, name, self.at, self.at + length, None, args);
        self.at += length + 10;
    }

    fn with_il(&mut self, context: u64, il: u64, program: u64) {
        let (context, il, program) = (Value::Pointer(context), Value::Pointer(il), Value::Pointer(program));
        let args = [("hContext", context), ("pIL", il), ("length", Value::Uint(500)), ("phProgram", program)];
        self.call("urProgramCreateWithIL", 10, &args);
    }

    fn build(&mut self, context: u64, program: u64, options: &str) {
        let args = [
            ("hContext", Value::Pointer(context)),
            ("hProgram", Value::Pointer(program)),
            ("pOptions", Value::Str(options)),
        ];
        let unsupported = ("result", Value::Str("UR_RESULT_ERROR_UNSUPPORTED_FEATURE"));
        self.call("urProgramBuildExp", 5, &[&args[1..], &[unsupported]].concat());
        self.call("urProgramBuild", 1_000, &args);
    }

    fn launch(&mut self, program: u64, kernel: u64, name: &'static str) {
        let args = [("hProgram", Value::Pointer(program)), ("phKernel", Value::Pointer(kernel))];
        self.call("urKernelCreate", 10, &args);
        let (node, at) = (self.run.next_node(), self.at);
        self.run.submit(Command {
            node,
            kind: NodeKind::Kernel,
            name,
            at,
            ran: (at + 50, at + 90),
            ..Command::default()
        });
        let kernel = [("hKernel", Value::Pointer(kernel))];
        self.run.slice(Category::Call, "urEnqueueKernelLaunch", at + 1, at + 5, Some(node), &kernel);
        self.at += 200;
    }
}

#[test]
fn builds_have_their_input_kernels_and_the_reason_for_another_one() {
    let mut calls = Calls::new();
    calls.with_il(0xc1, 0x11, 0x51);
    calls.build(0xc1, 0x51, "");
    calls.launch(0x51, 0x91, "gemm");
    calls.launch(0x51, 0x92, "scale");
    calls.launch(0x51, 0x92, "scale");
    // The same input in another context, with other options, and once more without a difference.
    calls.with_il(0xc2, 0x11, 0x52);
    calls.build(0xc2, 0x52, "");
    calls.with_il(0xc1, 0x11, 0x53);
    calls.build(0xc1, 0x53, "-O0");
    calls.with_il(0xc1, 0x11, 0x54);
    calls.build(0xc1, 0x54, "");
    calls.launch(0x54, 0x93, "gemm");
    let binary = [("hContext", 0xc1), ("ppBinaries[0]", 0x21), ("phProgram", 0x55)]
        .map(|(key, value)| (key, Value::Pointer(value)));
    calls.call("urProgramCreateWithBinary", 10, &[&binary[..], &[("pLengths[0]", Value::Uint(70))]].concat());
    calls.build(0xc1, 0x55, "");
    // A link of two programs creates the program of the kernels.
    let link = [("hContext", 0xc1), ("phPrograms[0]", 0x54), ("phPrograms[1]", 0x55), ("phProgram", 0x56)];
    calls.call("urProgramLink", 2_000, &link.map(|(key, value)| (key, Value::Pointer(value))));
    calls.launch(0x56, 0x94, "linked");
    let failed =
        [("hProgram", Value::Pointer(0x55)), ("result", Value::Str("UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE"))];
    calls.call("urProgramBuild", 300, &failed);
    let found = builds(&calls.run.trace());
    let rows: Vec<_> =
        found.builds.iter().map(|build| (build.source, build.bytes, build.again_of, build.again)).collect();
    let il = |again: Option<BuildAgain>| (BuildSource::SpirV, Some(500), again.map(|_| 1), again);
    assert_eq!(
        rows,
        [
            il(None),
            il(Some(BuildAgain::Context)),
            il(Some(BuildAgain::Options)),
            il(Some(BuildAgain::Same)),
            (BuildSource::Binary, Some(70), None, None),
            (BuildSource::Programs, Some(570), None, None),
            (BuildSource::Binary, Some(70), Some(5), Some(BuildAgain::Options)),
        ]
    );
    let kernels: Vec<_> = found.builds.iter().map(|build| build.kernels.join(" ")).collect();
    assert_eq!(kernels, ["gemm scale", "", "", "gemm", "", "linked", ""]);
    assert_eq!((found.count, found.again, found.more, found.covered_ns), (7, 4, 0, 5 * 1_000 + 2_000 + 300));
    assert_eq!(
        found.builds.iter().map(|build| build.failed).collect::<Vec<_>>(),
        [false, false, false, false, false, false, true]
    );
    let first = found.builds[0].command.as_ref().unwrap();
    assert_eq!(first.name, "gemm");
}

#[test]
fn a_build_outside_of_submissions_has_the_line_of_the_first_command_launched_from_it() {
    let mut calls = Calls::new();
    calls.with_il(0xc1, 0x11, 0x51);
    calls.build(0xc1, 0x51, "");
    let args = [("hProgram", Value::Pointer(0x51)), ("phKernel", Value::Pointer(0x91))];
    calls.call("urKernelCreate", 10, &args);
    let (node, at, location, ran) =
        (calls.run.next_node(), calls.at, place(7), (calls.at + 50, calls.at + 90));
    calls.run.submit(Command { node, name: "gemm", location, at, ran, ..Command::default() });
    let kernel = [("hKernel", Value::Pointer(0x91))];
    calls.run.slice(Category::Call, "urEnqueueKernelLaunch", at + 1, at + 5, Some(node), &kernel);
    let trace = calls.run.trace();
    let lines = |name: &str| {
        let path = trace.critical_path().steps.into_iter().filter(|step| step.name == name);
        let of_path: Vec<_> = path.map(|step| step.location.map(|place| place.line)).collect();
        let start_up = trace.start_up().steps.into_iter().filter(|step| step.name == name);
        let of_start_up: Vec<_> = start_up.map(|step| step.location.map(|place| place.line)).collect();
        (of_path, of_start_up)
    };
    assert_eq!(lines("urProgramBuild"), (vec![Some(7)], vec![Some(7)]));
    assert_eq!(lines("urKernelCreate"), (vec![None], vec![None]));
}

#[test]
fn builds_fail_by_the_value_of_their_result() {
    for (result, failed) in [
        (Value::Int(-11), true),
        (Value::Int(0), false),
        (Value::Str("UR_RESULT_SUCCESS"), false),
        (Value::Str("UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE"), true),
    ] {
        let mut calls = Calls::new();
        calls.with_il(0xc1, 0x11, 0x51);
        calls.call("urProgramBuild", 300, &[("hProgram", Value::Pointer(0x51)), ("result", result)]);
        let found = builds(&calls.run.trace());
        let [build] = &found.builds[..] else { panic!("{found:?}") };
        assert_eq!(build.failed, failed, "{result:?}");
    }
}

#[test]
fn a_build_that_names_no_context_has_that_of_its_program() {
    let mut calls = Calls::new();
    for (context, program) in [(0xc1, 0x51), (0xc2, 0x52), (0xc1, 0x53)] {
        calls.with_il(context, 0x11, program);
        let args = [("hProgram", Value::Pointer(program)), ("phDevices[0]", Value::Pointer(0xd1))];
        calls.call("urProgramBuildExp", 1_000, &args);
    }
    let again: Vec<_> = builds(&calls.run.trace()).builds.iter().map(|build| build.again).collect();
    assert_eq!(again, [None, Some(BuildAgain::Context), Some(BuildAgain::Same)]);
}

#[test]
fn a_build_for_further_devices_is_for_others() {
    let mut calls = Calls::new();
    for (program, second) in [(0x51, Some(0xd2)), (0x52, Some(0xd3)), (0x53, None), (0x54, Some(0xd2))] {
        calls.with_il(0xc1, 0x11, program);
        let first = [("hProgram", Value::Pointer(program)), ("phDevices[0]", Value::Pointer(0xd1))];
        let second = second.map(|device| ("phDevices[1]", Value::Pointer(device)));
        let args: Vec<_> = first.into_iter().chain(second).collect();
        calls.call("urProgramBuildExp", 1_000, &args);
    }
    let again: Vec<_> = builds(&calls.run.trace()).builds.iter().map(|build| build.again).collect();
    let (device, same) = (Some(BuildAgain::Device), Some(BuildAgain::Same));
    assert_eq!(again, [None, device, device, same]);
}

/// The runtime releases a kernel, and creates the next one from another program at the same address.
#[test]
fn a_kernel_belongs_to_the_program_that_it_was_made_of_last() {
    let mut calls = Calls::new();
    for program in [0x51, 0x52] {
        calls.with_il(0xc1, 0x11, program);
        calls.build(0xc1, program, "");
        calls.launch(program, 0x91, "gemm");
    }
    let found = builds(&calls.run.trace());
    let kernels: Vec<_> = found.builds.iter().map(|build| build.kernels.join(" ")).collect();
    assert_eq!(kernels, ["gemm", "gemm"]);
    assert_eq!(found.builds[1].again, Some(BuildAgain::Same));
}

fn open(name: &str) -> Trace {
    let root = env!("CARGO_MANIFEST_DIR");
    let bytes = std::fs::read(format!("{root}/../../e2e/traces/{name}.pftrace.gz")).unwrap();
    import::open(&bytes).unwrap()
}

/// dpnp builds one kernel at a time from SPIR-V; a program with device code for the CPU loads one binary with all of
/// its kernels.
#[test]
fn builds_of_real_recordings_have_their_kernels() {
    let found = builds(&open("dpnp"));
    let kernels: Vec<_> = found.builds.iter().map(|build| (build.source, build.kernels.len())).collect();
    assert_eq!(kernels, [(BuildSource::SpirV, 1); 3]);
    assert!(found.builds[1].kernels[0].contains("sort_over_work_group_contig"));
    let heat = builds(&open("heat"));
    let [build] = &heat.builds[..] else { panic!("{heat:?}") };
    assert_eq!(
        (build.source, build.kernels.join(" ").as_str()),
        (BuildSource::Binary, "diffuse change diffuse_band colour")
    );
    assert_eq!((build.bytes, build.at.duration_ns), (Some(15_175), 1_658_302));
}

#[test]
fn start_up_is_the_time_before_the_first_command() {
    for name in ["heat", "dpnp", "diamond"] {
        let trace = open(name);
        let found: StartUp =
            serde_json::from_str(&trace.answer(&"start_up".parse().unwrap()).unwrap()).unwrap();
        let path = trace.critical_path();
        let listed: u64 = found.steps.iter().map(|step| step.total_ns).sum();
        assert_eq!(listed + found.more_ns, found.to_ns, "{name}");
        assert!(found.command.is_some() && found.to_ns < path.length_ns, "{name}");
        assert!(
            found.steps.iter().any(|step| step.kind == StepKind::Call && step.name == "urAdapterGet"),
            "{name}"
        );
    }
    let run = Run::new(QueueOrder::InOrder).trace();
    assert_eq!(
        run.start_up(),
        StartUp { to_ns: run.info().duration_ns, more_ns: run.info().duration_ns, ..StartUp::default() }
    );
}

#[test]
fn a_part_without_the_start_of_the_run_has_no_start_up() {
    let recorded = |from_ns| {
        let process = Process { pid: 1, name: "program", from_ns, ..Process::default() };
        let mut run = Run::of_process(process, QueueOrder::InOrder);
        run.kernel(5_000_000, (5_100_000, 5_200_000));
        run.trace()
    };
    let (whole, part, later) = (recorded(None), recorded(Some(0)), recorded(Some(4_000_000)));
    assert_eq!(whole.start_up().to_ns, 5_100_000);
    assert_eq!([part.start_up(), later.start_up()], [StartUp::default(), StartUp::default()]);
    let unseen = "the file lacks events of the first 4 ms: devices count as idle where no known command ran";
    assert_eq!(later.report().unseen, [unseen]);
    for trace in [whole, part] {
        assert_eq!(trace.report().unseen, [""; 0]);
    }
}
