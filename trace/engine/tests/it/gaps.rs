//! Causes of idle time: of simulated runs, whose causes are known at every nanosecond, and of real recordings.

mod simulated;

use std::collections::BTreeMap;

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{CallTree, Gap, GapClass, Gaps};
use syclscope_language::event::{
    Category, EdgeReason, Event, NoTime, Node, NodeKind, Pause, QueueOrder, Sample, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Untimed, Value,
};
use syclscope_language::question::GapsQuestion;
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place, ranks};
use crate::replay::{Does, LAUNCH_NS, SUBMISSION_NS, Simulated, duration, programs, recording, simulate};

fn ask(trace: &Trace, question: &str) -> Gaps {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

fn adds_up(gaps: &Gaps) {
    assert_eq!(gaps.classes.iter().map(|class| class.total_ns).sum::<u64>(), gaps.idle_ns);
    for gap in &gaps.gaps {
        let parts = gap.parts.iter().map(|part| part.step.duration_ns).sum::<u64>();
        assert_eq!(parts, gap.to_ns - gap.from_ns, "{gap:?}");
    }
    if gaps.more == 0 {
        assert_eq!(gaps.gaps.iter().map(|gap| gap.to_ns - gap.from_ns).sum::<u64>(), gaps.idle_ns);
    }
}

/// Returns times by class. Host code with samples counts as host code here.
fn classes(gap: &Gap) -> BTreeMap<GapClass, u64> {
    let mut classes = BTreeMap::new();
    for part in &gap.parts {
        let is_sampled = part.step.samples.is_some();
        assert!(part.class != GapClass::Sampled || is_sampled, "{part:?}");
        assert!(part.class != GapClass::Host || !is_sampled, "{part:?}");
        let class = if part.class == GapClass::Sampled { GapClass::Host } else { part.class };
        *classes.entry(class).or_default() += part.step.duration_ns;
    }
    classes
}

fn idle_tree(trace: &Trace, range: &str) -> CallTree {
    let question = format!("calltree?weight=idle&limit=10000{range}");
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

/// Checks that the tree by stack has the times of the causes: waits together, calls and submissions by name, others by
/// class.
fn tree_is_that_of_causes(trace: &Trace, range: &str) {
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for part in ask(trace, &format!("gaps?limit=10000{range}")).gaps.into_iter().flat_map(|gap| gap.parts) {
        let name = match part.class {
            GapClass::Wait | GapClass::Synchronisation => "queue.wait",
            GapClass::Submission | GapClass::Build | GapClass::Call | GapClass::Memory => &part.step.name,
            // Samples of this recording have no stacks.
            GapClass::Sampled => GapClass::Host.as_words(),
            class => class.as_words(),
        };
        *expected.entry(name.to_owned()).or_default() += part.step.duration_ns;
    }
    let tree = idle_tree(trace, range);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for node in tree.groups.iter().flat_map(|group| &group.nodes) {
        *found.entry(tree.names[node.name as usize].clone()).or_default() += node.self_ns;
    }
    assert_eq!(found, expected);
}

#[test]
fn real_recordings_add_up() {
    let mut files: Vec<_> =
        std::fs::read_dir("../../e2e/traces").unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".pftrace.gz"));
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let trace = import::open(bytes.as_slice()).unwrap();
        let info = trace.info();
        adds_up(&ask(&trace, "gaps?limit=10000"));
        for track in &info.tracks {
            if matches!(track.kind, TrackKind::Device | TrackKind::Queue | TrackKind::Thread) {
                adds_up(&ask(&trace, &format!("gaps?limit=10000&track={}", track.id)));
            }
        }
        let half = ask(&trace, &format!("gaps?limit=10000&to={}", info.duration_ns / 2));
        let rest = ask(&trace, &format!("gaps?limit=10000&from={}", info.duration_ns / 2));
        let whole = ask(&trace, "gaps?limit=0");
        assert_eq!(half.idle_ns + rest.idle_ns, whole.idle_ns, "{}", file.display());
        for by in ["all", "process", "thread"] {
            let tree = idle_tree(&trace, &format!("&by={by}"));
            let total: u64 = tree.groups.iter().map(|group| group.total_ns).sum();
            assert_eq!(total, whole.idle_ns, "{} {by}", file.display());
        }
    }
}

#[test]
fn the_builds_of_a_real_program_are_named() {
    let bytes = std::fs::read("../../e2e/traces/dpnp.pftrace.gz").unwrap();
    let gaps = ask(&import::open(bytes.as_slice()).unwrap(), "gaps?limit=1");
    let [gap] = &gaps.gaps[..] else { panic!("one gap") };
    assert_eq!(gap.class, GapClass::Build);
    assert!(gap.message.contains("built device code in `urProgramBuild`"), "{}", gap.message);
    assert!(gap.message.contains("Then `sort_over_work_group_contig_krn<"), "{}", gap.message);
}

#[test]
fn what_is_built_while_a_command_is_on_its_way_is_a_build() {
    // The first kernel is built after its submission, by its own thread and another one.
    let mut run = Run::new(QueueOrder::InOrder);
    run.event(&Event::Track(Track {
        track: 2,
        parent: None,
        kind: TrackKind::Thread,
        name: "other",
        tid: 2,
    }));
    run.submit(Command { at: 10, ran: (2_000, 2_100), ..Command::default() });
    run.submit(Command { node: 2, at: 1_900, ran: (3_000, 3_100), ..Command::default() });
    let builds = [(1, 100, 900), (2, 500, 1_200), (2, 2_050, 2_500)];
    for (track, from, to) in builds {
        let (category, name, location) = (Category::Call, "urProgramBuild", SourceLocation::default());
        let begin =
            SliceBegin { track, at: Timestamp(from), category, name, node: None, location, args: &[] };
        run.event(&Event::SliceBegin(begin));
        run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(to), args: &[] }));
    }
    let trace = run.trace();
    let gaps = ask(&trace, "gaps?limit=10");
    adds_up(&gaps);
    let is_in = |at: u64, (from, to): (u64, u64)| (from..to).contains(&at);
    let idle =
        (0..trace.info().duration_ns).filter(|at| !is_in(*at, (2_000, 2_100)) && !is_in(*at, (3_000, 3_100)));
    let built = idle.filter(|at| builds.iter().any(|(_, from, to)| is_in(*at, (*from, *to)))).count() as u64;
    let of = |class| gaps.classes.iter().find(|time| time.class == class).map_or(0, |time| time.total_ns);
    assert_eq!((built, of(GapClass::Build)), (1_100 + 400, built), "{gaps:?}");
    assert_eq!(trace.report().split.idle.build_ns, built, "the same word, the same time");
    assert!(
        gaps.gaps[0].message.contains("built device code in `urProgramBuild`"),
        "{}",
        gaps.gaps[0].message
    );
    tree_is_that_of_causes(&trace, "");
}

#[test]
fn another_queues_work_is_a_cause_of_its_own() {
    // Two queues of one device. The second queue's command could run from 30 on, but the first uses the device until
    // 500.
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd1, "GPU");
    run.submit(Command { node: 1, name: "long", at: 0, ran: (20, 500), ..Command::default() });
    run.submit(Command { node: 2, name: "short", queue: 2, at: 20, ran: (510, 600), ..Command::default() });
    let trace = run.trace();
    let info = trace.info();
    let queue = |number: u64| info.queues.iter().find(|queue| queue.id == number).unwrap();
    let second = ask(&trace, &format!("gaps?track={}&at=400", queue(2).track));
    let found: Vec<_> =
        second.gaps[0].parts.iter().map(|part| (part.class, part.step.name.as_str())).collect();
    assert!(found.contains(&(GapClass::DeviceBusy, "long")), "{found:?}");
    assert_eq!(second.gaps[0].class, GapClass::DeviceBusy);
    // A busy moment is in no gap.
    let busy = ask(&trace, &format!("gaps?track={}&at=550", queue(2).track));
    assert_eq!((busy.count, busy.idle_ns, busy.gaps.len()), (0, 0, 0));
}

#[test]
fn commands_of_one_name_are_one_cause_in_a_sentence() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd2, "GPU");
    run.submit(Command { node: 1, name: "short", queue: 2, at: 0, ran: (30, 100), ..Command::default() });
    for number in 0..20 {
        let (at, start) = (10 + number * 10, 300 + number * 100);
        let (node, name, location, ran) = (number + 2, "slow", place(20), (start, start + 100));
        run.submit(Command { node, name, location, at, ran, ..Command::default() });
    }
    run.wait_for_queue(1, 220, 2_310);
    run.slice(Category::Call, "free", 2_310, 3_000, None, &[]);
    let gaps = ask(&run.trace(), "gaps?at=2000");
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert_eq!((gap.from_ns, gap.to_ns), (100, 3_000));
    let parts =
        gap.parts.iter().filter(|part| part.step.name == "slow" && part.class == GapClass::Dependence);
    assert_eq!(parts.count(), 19);
    let words = "Idle for 2.9 µs after the last command: `slow` at main.cpp:20 ran elsewhere (19 times) for 1.9 µs; \
                 main was in `free` for 690 ns.";
    assert_eq!(gap.message, words);
}

#[test]
fn a_host_task_is_a_dependence() {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    let first = run.next_node();
    run.submit(Command { node: first, at: 10, ran: (50, 100), ..Command::default() });
    let task = run.node(NodeKind::HostTask, 60);
    let last = run.next_node();
    run.submit(Command { node: last, at: 70, ran: (900, 950), ..Command::default() });
    run.edge(first, task, EdgeReason::Event);
    run.edge(task, last, EdgeReason::HostTask);
    let gaps = ask(&run.trace(), "gaps?at=500");
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert_eq!(gap.next.as_ref().map(|next| next.node), Some(last));
    assert!(gap.parts.iter().any(|part| part.class == GapClass::Dependence), "{gap:?}");
}

#[test]
fn a_command_that_the_runtime_enqueues_after_a_host_task_waits_for_the_task() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.event(&Event::Track(Track { track: 2, parent: None, kind: TrackKind::Thread, name: "pool", tid: 2 }));
    let first = run.next_node();
    run.submit(Command { node: first, at: 10, ran: (50, 100), ..Command::default() });
    let task = run.node(NodeKind::HostTask, 110);
    // The main thread requests the command when the first one has ended; the runtime's thread enqueues it.
    let last = run.next_node();
    let (kind, name, queue, location, args) =
        (NodeKind::Kernel, "behind", Some(1), SourceLocation::default(), &[][..]);
    let at = Timestamp(120);
    run.event(&Event::Node(Node { node: last, at, kind, name, queue, tid: 1, location, args }));
    run.edge(first, task, EdgeReason::Event);
    run.edge(task, last, EdgeReason::HostTask);
    for (category, name, from, to) in
        [(Category::Submission, "behind", 900, 905), (Category::Call, "urEnqueueKernelLaunch", 906, 920)]
    {
        let (track, at, node) = (2, Timestamp(from), Some(last));
        run.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(to), args }));
    }
    run.ran(Command { node: last, name, ran: (950, 1_000), ..Command::default() });
    let trace = run.trace();
    let gaps = ask(&trace, "gaps?at=500");
    adds_up(&gaps);
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    let found = classes(gap);
    assert_eq!((gap.class, found[&GapClass::Dependence]), (GapClass::Dependence, 780), "{gap:?}");
    assert_eq!(found[&GapClass::Launch], 50, "{gap:?}");
    let words = "a host task at main.cpp:19, whose own time is not recorded, had to end first for 780 ns.";
    assert!(gap.message.contains(words), "{}", gap.message);
    let path = trace.critical_path();
    let steps = path.steps.iter().filter(|step| step.node == Some(task));
    assert_eq!(steps.map(|step| step.duration_ns).collect::<Vec<_>>(), [780]);
    assert_eq!(path.length_ns, trace.info().duration_ns);
    // The queue was idle for the task from the request to the call that enqueued the command.
    assert_eq!(trace.queue_idle(&(0..u64::MAX))[0].dependence_ns, 906 - 120);
}

#[test]
fn lost_device_times_are_no_idle_time() {
    let recorded = |is_killed: bool| {
        let mut run = Run::new(QueueOrder::InOrder);
        for (at, ran) in [(10, (50, 100)), (30, (150, 200))] {
            let node = run.next_node();
            run.submit(Command { node, at, ran, ..Command::default() });
        }
        let lost = run.node(NodeKind::Kernel, 220);
        if is_killed {
            let reason = NoTime::Undelivered;
            run.event(&Event::Untimed(Untimed { node: lost, at: Timestamp(0), reason }));
        }
        run.event(&Event::Finish { at: Timestamp(5_000) });
        let gaps = ask(&run.trace(), "gaps");
        adds_up(&gaps);
        (gaps.idle_ns, gaps.count)
    };
    assert_eq!(recorded(false), (50 + 50 + 4_800, 3));
    assert_eq!(recorded(true), (50 + 50, 2));
}

#[test]
fn a_command_without_a_device_time_may_have_kept_the_device_busy() {
    let launch_class = |is_untimed: bool| {
        let mut run = Run::new(QueueOrder::InOrder);
        if is_untimed {
            run.untimed(NodeKind::CommandGraph, 1, 10);
        }
        let node = run.next_node();
        run.submit(Command { node, at: 100, ran: (5_000, 5_100), ..Command::default() });
        let gaps = ask(&run.trace(), "gaps");
        adds_up(&gaps);
        gaps.gaps[0].class
    };
    assert_eq!(launch_class(false), GapClass::Launch);
    assert_eq!(launch_class(true), GapClass::Unknown);
}

#[test]
fn a_killed_rank_hides_no_idle_time_of_another() {
    let trace = ranks(|run, rank| {
        for (at, ran) in [(10, (50, 100)), (30, (150, 200))] {
            let node = run.next_node();
            run.submit(Command { node, at, ran, ..Command::default() });
        }
        if rank == 0 {
            let node = run.node(NodeKind::Kernel, 220);
            run.slice(Category::Submission, "lost", 220, 230, Some(node), &[]);
            let reason = NoTime::Undelivered;
            run.event(&Event::Untimed(Untimed { node, at: Timestamp(0), reason }));
        }
        run.slice(Category::User, "end", 4_990, 5_000, None, &[]);
    });
    let gaps = ask(&trace, "gaps");
    adds_up(&gaps);
    assert_eq!((gaps.idle_ns, gaps.count), (2 * (50 + 50) + 4_800, 5));
}

#[test]
fn a_pause_is_no_cause_of_the_programs() {
    let mut run = Run::new(QueueOrder::InOrder);
    for (node, at, ran) in [(1, 10, (50, 100)), (2, 5_000, (5_050, 5_100))] {
        run.submit(Command { node, at, ran, ..Command::default() });
    }
    for (at, is_paused) in [(200, true), (4_800, false)] {
        run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "signal" }));
    }
    let trace = run.trace();
    let unseen = "the recording was paused for 4.6 µs: devices count as idle where no known command ran";
    assert_eq!(trace.report().unseen, [unseen]);
    let gaps = ask(&trace, "gaps?at=300");
    adds_up(&gaps);
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert_eq!((gap.class, classes(gap)[&GapClass::Paused]), (GapClass::Paused, 4_600));
    assert!(
        gap.message.starts_with("Idle for 4.95 µs: the recording was paused for 4.6 µs."),
        "{}",
        gap.message
    );
}

#[test]
fn a_wait_has_the_time_from_its_end_to_the_next_submission() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 10, ran: (50, 100), ..Command::default() });
    run.wait_for_queue(1, 60, 4_000);
    run.submit(Command { node: 2, at: 4_012, ran: (4_100, 5_000), ..Command::default() });
    let gaps = ask(&run.trace(), "gaps?at=300");
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert_eq!(gap.class, GapClass::Wait);
    assert!(gap.message.ends_with(" ran, submitted 12 ns after that wait."), "{}", gap.message);
    // With two waits, "that wait" would be ambiguous.
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 10, ran: (50, 100), ..Command::default() });
    run.wait_for_queue(1, 60, 2_000);
    run.wait_for_queue(1, 2_100, 4_000);
    run.submit(Command { node: 2, at: 4_012, ran: (4_100, 5_000), ..Command::default() });
    let gaps = ask(&run.trace(), "gaps?at=300");
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert!(gap.message.contains("waited in") && !gap.message.contains("submitted"), "{}", gap.message);
}

#[test]
fn a_wait_in_the_runtime_alone_is_no_wait_of_the_program() {
    let gap_of = |category: Category, name: &str| {
        let mut run = Run::new(QueueOrder::InOrder);
        let args = &[("bytes", Value::Uint(8))];
        let copy =
            Command { node: 1, kind: NodeKind::Copy, at: 10, ran: (50, 100), args, ..Command::default() };
        run.submit(copy);
        run.slice(category, name, 60, 4_000, Some(1), &[]);
        run.submit(Command { node: 2, at: 4_012, ran: (4_100, 5_000), ..Command::default() });
        let gaps = ask(&run.trace(), "gaps?at=300");
        adds_up(&gaps);
        let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
        gap.clone()
    };
    let gap = gap_of(Category::Wait, "event.wait");
    assert_eq!(classes(&gap).get(&GapClass::Wait), Some(&3_900), "{gap:?}");
    let words = "main waited in `event.wait` for a copy of 8 bytes for 3.9 µs. Then";
    assert!(gap.message.contains(words), "{}", gap.message);
    let gap = gap_of(Category::Call, "urEventWait");
    assert_eq!(classes(&gap).get(&GapClass::Synchronisation), Some(&3_900), "{gap:?}");
    let words =
        "the runtime waited in `urEventWait` by itself on main for a copy of 8 bytes for 3.9 µs. Then";
    assert!(gap.message.contains(words), "{}", gap.message);
    assert!(gap.message.ends_with(" ran, submitted 12 ns after that wait."), "{}", gap.message);
    let gap = gap_of(Category::Barrier, "enqueue.barrier");
    assert_eq!(gap.class, GapClass::Synchronisation, "{gap:?}");
    // A direct call of the driver by the program is a wait of the program.
    let gap = gap_of(Category::Native, "cuStreamSynchronize");
    assert_eq!(gap.class, GapClass::Wait, "{gap:?}");
}

#[test]
fn a_thread_is_idle_between_its_slices() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.slice(Category::Call, "urOne", 100, 200, None, &[]);
    run.slice(Category::Call, "urTwo", 700, 800, None, &[]);
    let trace = run.trace();
    let thread = trace.info().tracks.iter().find(|track| track.kind == TrackKind::Thread).unwrap().id;
    let gaps = ask(&trace, &format!("gaps?track={thread}"));
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    assert_eq!((gap.from_ns, gap.to_ns, gap.class), (200, 700, GapClass::Host));
    assert_eq!(gap.message, "Idle for 500 ns: main ran unrecorded code between `urOne` and `urTwo`.");
}

#[test]
fn lists_have_limits_and_sums_do_not() {
    let mut run = Run::new(QueueOrder::InOrder);
    for number in 0..50_u64 {
        run.submit(Command {
            node: number + 1,
            at: number * 1_000,
            ran: (number * 1_000 + 100, number * 1_000 + 200 + number),
            ..Command::default()
        });
    }
    let trace = run.trace();
    let (all, some) = (ask(&trace, "gaps"), ask(&trace, "gaps?limit=3"));
    assert_eq!((some.idle_ns, some.count, some.more), (all.idle_ns, all.count, all.count - 3));
    assert_eq!(some.gaps, all.gaps[..3]);
    assert!(all.gaps.is_sorted_by_key(|gap| std::cmp::Reverse(gap.to_ns - gap.from_ns)));
    let long = ask(&trace, "gaps?shortest=880");
    assert!(long.gaps.len() > 1 && long.gaps.iter().all(|gap| gap.to_ns - gap.from_ns >= 880), "{long:?}");
    assert_eq!(long.idle_ns, all.idle_ns);
}

/// During the gaps of many devices, the thread has more calls than the limit.
#[test]
fn the_longest_gaps_are_followed_in_trees_too() {
    let mut run = Run::new(QueueOrder::InOrder);
    let devices = 1..17_u64;
    for device in devices.clone().skip(1) {
        run.queue(device, QueueOrder::InOrder, 0xd1 + device, "GPU");
    }
    for device in devices.clone() {
        let (at, ran) = (device * 20, (500, 1_000 - device * 10));
        run.submit(Command { node: device, queue: device, at, ran, ..Command::default() });
    }
    for number in 0..5_000 {
        let at = 2_000 + number * 10;
        run.slice(Category::Call, "urCall", at, at + 5, None, &[]);
    }
    for device in devices {
        let (at, ran) = (60_000 + device * 20, (70_000, 70_100));
        run.submit(Command { node: 100 + device, queue: device, at, ran, ..Command::default() });
    }
    let trace = run.trace();
    let gaps = ask(&trace, "gaps");
    adds_up(&gaps);
    assert!(gaps.classes.iter().any(|time| time.class == GapClass::Unknown), "{:?}", gaps.classes);
    tree_is_that_of_causes(&trace, "");
}

#[test]
fn other_tracks_are_refused() {
    let bytes = std::fs::read("../../e2e/traces/heat.pftrace.gz").unwrap();
    let trace = import::open(bytes.as_slice()).unwrap();
    let question = |track| GapsQuestion { track: Some(track), ..GapsQuestion::default() };
    assert_eq!(trace.gaps(&question(9_999)).unwrap_err().to_string(), "the trace has no such track: 9999");
    let info = trace.info();
    let counter = info.tracks.iter().find(|track| track.kind == TrackKind::Counter).unwrap().id;
    let refused = trace.gaps(&question(counter)).unwrap_err().to_string();
    let expected = format!("track {counter} is not a device, queue or thread; only these have idle times");
    assert_eq!(refused, expected);
}
