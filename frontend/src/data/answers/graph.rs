use syclscope_language::api::{
    Build, BuildAgain, BuildSource, Builds, CriticalPath, CriticalStep, Dependence, Dependences, Findings,
    Gap, GapClass, GapClassTime, GapPart, Gaps, GraphComponent, GraphComponents, GraphMember, GraphMembers,
    GraphView, Iteration, IterationMark, IterationMarkKind, IterationStats, IterationStep, Iterations,
    LeftOut, Life, NodeRef, Phase, PhaseKind, QueueIdle, SampledPlace, SerialReason, Serialised,
    SerialisedCommand, SerialisedPair, SerialisedWait, StartUp, StepKind, StepSamples, StepSum, ViewEdge,
    ViewFrame, ViewLoop, ViewNode, WhatIf, WhatIfPiece, WhatIfQueue, WhatIfSchedule,
};

use crate::data::json::{members, words};

members! {
    CriticalPath {
        length_ns, unlimited_ns, device_ns, launch_ns, submission_ns, call_ns, wait_ns, host_ns, sampled_ns, steps, more_steps,
    } may lack { launch_ns, sampled_ns, more_steps };
    CriticalStep {
        kind, name, start_ns, duration_ns, node, at, location, count, after, until, samples,
    } may lack { start_ns, after, until, samples };
    StepSamples { count, blocked, places, message };
    SampledPlace { function, location, count, blocked };
    Build {
        number, at, name, thread, source, bytes, kernels, more_kernels, command, location, again_of, again, failed,
    };
    Builds { count, covered_ns, again, builds, more };
    Iteration { number, from_ns, to_ns, device_ns, copy_ns, wait_ns, host_ns, build_ns, commands };
    IterationMark { kind, name, location, count, range_ns };
    IterationStats { count, mean_ns, deviation_ns, min_ns, p50_ns, p95_ns, max_ns, slowest };
    IterationStep { kind, name, location, total_ns, slowest_ns };
    Iterations {
        mark, others, count, from_ns, to_ns, warm_up, steady, steps, more_steps_ns, message, iterations, more,
    };
    StartUp { to_ns, command, steps, more_ns };
    StepSum { kind, name, location, total_ns, count };
    Gaps { idle_ns, count, classes, gaps, more };
    Findings { findings, more, together_ns };
    GapClassTime { class, total_ns, count };
    Gap { track, name, from_ns, to_ns, class, parts, next, location, before, after, message };
    GapPart { class, step };
    QueueIdle { queue, executions, busy_ns, host_ns, dependence_ns, other_ns, ready_ns, after_ns } may lack { executions, other_ns };
    GraphComponent { node, nodes, edges, begin_ns, end_ns, total_ns, bytes, kinds };
    GraphComponents { count, single, components, left_out };
    GraphMember {
        queue, begin_ns, duration_ns, slack_ns, is_critical,
    } with node: NodeRef { node, kind, name, at };
    GraphMembers { count, from, members };
    GraphView {
        names, locations, nodes, edges, loops, frames, width, height, crossings, left_out,
    } may lack { frames };
    LeftOut { nodes, edges, redundant_edges, unchecked_edges, lines, notes };
    ViewEdge {
        source, target, count, reasons, implied, objects, modes, redundant, critical, points,
    } may lack { implied, objects, modes };
    ViewFrame {
        graph, partition, place, partitions, device, is_in_order, is_updatable, created_ns, location, nodes,
        commands, hidden, run_count, runs,
    };
    ViewLoop { parent, times };
    ViewNode {
        id, node, count, kind, name, location, queue, device, in_loop as "loop", x, y, width, height, begin_ns,
        end_ns, total_ns, max_ns, delay_ns, bytes, slack_ns, critical, hidden_edges, direction, within, inside,
    };
    WhatIf {
        recorded_ns, path_ns, is_refused, unlimited_ns, changed_path_ns, changed_unlimited_ns, device_ns, changed_device_ns,
        changed, range_ns, schedule,
    } may lack { recorded_ns, is_refused, range_ns, schedule };
    WhatIfPiece { from_ns, to_ns, category, count, busy_ns, name, node };
    WhatIfQueue { track, name, recorded, predicted };
    WhatIfSchedule { column_ns, names, queues, more_queues };
    Serialised { pairs, more, count, gain_ns, unknown };
    SerialisedCommand { begin_ns, end_ns, location } with node: NodeRef { node, kind, name, at };
    SerialisedPair { reason, count, gain_ns, first, second, overlap_ns, queue, object, wait, message };
    SerialisedWait { at, location };
    Dependence { before, hop, from, to, from_name, to_name, reason, access_mode };
    Dependences { edges, more };
    Life { node, name, phases, wait, samples, same };
    Phase { kind, from_ns, to_ns, median_ns };
}

words! {
    StepKind, BuildAgain, BuildSource, IterationMarkKind, GapClass, SerialReason, PhaseKind,
}
