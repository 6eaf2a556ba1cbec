//! Recordings of hostile shapes, each large in one respect and small in all others.

mod details;
mod graph;
mod memory;
mod threads;

use syclscope_language::event::Category;

use self::details::{
    arguments, counters, graphs, handles, host_accessors, launches, machine, names, places_with_findings,
    source,
};
use self::graph::{accessors, at_once, chain, hubs, layers, many_queues, overlapping, star, touched};
use self::memory::{Life, allocations, bindings, copies, objects};
use self::threads::{groups, long_waits, native_calls, nested, processes, threads, waits};
use crate::recording::Recording;

/// Name and writer of a recording of a given size.
pub(crate) type Shape = (&'static str, fn(&mut Recording<'_>, u64));

pub(crate) const SHAPES: &[Shape] = &[
    ("many edges to one node", |run, n| star(run, n, true)),
    ("many edges from one node", |run, n| star(run, n, false)),
    ("edges to two nodes by turns, each by a buffer of its own", hubs),
    ("one chain", chain),
    ("one chain on many queues", many_queues),
    ("everything before everything else, in layers", layers),
    ("commands that all overlap", overlapping),
    ("commands that all start and end at one time", at_once),
    ("one buffer, touched by all", |run, n| touched(run, n, false)),
    ("a buffer for each command", |run, n| touched(run, n, true)),
    ("one command with many accessors", accessors),
    ("calls within calls", |run, n| nested(run, n, Category::Call)),
    ("slices of the program's within each other", |run, n| nested(run, n, Category::User)),
    ("waits within waits", |run, n| nested(run, n, Category::Wait)),
    ("calls within calls, with native calls inside", native_calls),
    ("many threads with a slice each", threads),
    ("many tracks within tracks", |run, n| groups(run, n, true)),
    ("many tracks within one", |run, n| groups(run, n, false)),
    ("many processes", processes),
    ("many waits", |run, n| waits(run, n, 1)),
    ("many waits at many places", |run, n| waits(run, n, n)),
    ("waits for many commands each", long_waits),
    ("many allocations, never released", |run, n| allocations(run, n, Life::Endless)),
    ("many allocations, one after the other", |run, n| allocations(run, n, Life::Short)),
    ("many allocations, released in their order", |run, n| allocations(run, n, Life::FirstIn)),
    ("many allocations, the last released first", |run, n| allocations(run, n, Life::LastIn)),
    ("many allocations that overlap", |run, n| allocations(run, n, Life::Overlapping)),
    ("many allocations at many places", |run, n| allocations(run, n, Life::Scattered)),
    ("many copies between the same places", |run, n| copies(run, n, 1)),
    ("many copies between places of their own", |run, n| copies(run, n, n)),
    ("many buffers, alive at one time", |run, n| objects(run, n, true)),
    ("many buffers at one address", |run, n| objects(run, n, false)),
    ("many bindings of one buffer", bindings),
    ("one handle, given often and used often", |run, n| handles(run, n, 1)),
    ("many handles", |run, n| handles(run, n, n)),
    ("one command graph with many commands", |run, n| graphs(run, 1, n, 1)),
    ("one command graph with many runs", |run, n| graphs(run, 1, 2, n)),
    ("many command graphs at many places", |run, n| graphs(run, n / 4, 1, 1)),
    ("one call with many arguments", arguments),
    ("many names", names),
    ("many devices and facts", machine),
    ("one long source file", source),
    ("counters", counters),
    ("small kernels of many names", |run, n| launches(run, n, 50)),
    ("findings at many places", places_with_findings),
    ("host accessors", host_accessors),
];
