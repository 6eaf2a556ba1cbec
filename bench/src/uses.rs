//! A buffer that a million kernels use, and tiles of its track.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Accessor, Event, EventSink as _, Execution, MemoryObject, Node, NodeKind, ObjectKind, Queue, QueueOrder,
    SourceLocation,
};
use syclscope_language::question::{TILE_BUCKETS, TileKey, TileView};
use syclscope_language::time::Timestamp;

use crate::large::Random;

/// Returns a trace with a buffer that `uses` kernels use, some of them at once.
pub fn trace(uses: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    for queue in 1..=4 {
        builder.event(&Event::Queue(Queue {
            queue,
            at: Timestamp(0),
            runtime_id: queue,
            handle: queue,
            order: QueueOrder::OutOfOrder,
            device: "a device",
            device_type: "GPU",
            device_handle: 1,
            context: 2,
        }));
    }
    let buffer = MemoryObject {
        object: 1,
        kind: ObjectKind::Buffer,
        address: 4096,
        element_type: "f",
        element_size_bytes: 4,
        dimensions: 1,
        range_0: 1 << 20,
        ..MemoryObject::default()
    };
    builder.event(&Event::MemoryObject(buffer));
    let mut random = Random(3);
    let mut at = 0;
    for number in 1..=uses {
        at += random.below(3_000);
        let (node, queue, kind, name) = (number, 1 + number % 4, NodeKind::Kernel, "step");
        builder.event(&Event::Node(Node {
            node,
            at: Timestamp(at),
            kind,
            name,
            queue: Some(queue),
            tid: 1,
            location: SourceLocation::default(),
            args: &[],
        }));
        let mode = if number % 3 == 0 { "read" } else { "read_write" };
        builder.event(&Event::Accessor(Accessor {
            object: 1,
            at: Timestamp(at),
            address: 1 << 40 | number,
            target: "device",
            mode,
            node: Some(node),
            ..Accessor::default()
        }));
        let (start, end) = (Timestamp(at), Timestamp(at + 500 + random.below(2_000)));
        let (queued, submitted, args) = (None, None, &[][..]);
        builder.event(&Event::Execution(Execution {
            node,
            queue,
            kind,
            name,
            queued,
            submitted,
            start,
            end,
            args,
        }));
    }
    builder.event(&Event::Finish { at: Timestamp(at + 3_000) });
    builder.build()
}

/// Returns a random tile of the buffer's track that shows `1 / 2^zoom` of the run.
pub fn tile(trace: &Trace, zoom: u32, random: &mut Random) -> TileKey {
    let duration = trace.info().duration_ns;
    let level = ((duration >> zoom) / TILE_BUCKETS).max(1).next_power_of_two().ilog2() as u8;
    let index = random.below(duration) / (TILE_BUCKETS << level);
    TileKey { view: TileView::Object, track: object(trace), level, index }
}

/// Returns the buffer's number in queries.
fn object(trace: &Trace) -> u32 {
    let question = "objects?limit=1".parse().expect("a question");
    let answer = trace.answer(&question).expect("an answer");
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    let id = answer["objects"][0]["id"].as_u64().expect("the buffer");
    u32::try_from(id).expect("a number of an object")
}
