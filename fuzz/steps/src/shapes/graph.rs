//! Task graphs: dependences, queues and buffers.

use syclscope_language::event::QueueOrder;

use crate::recording::Recording;

/// Writes a star of commands in sequence: all before the last or after the first, each edge by a separate buffer.
pub(super) fn star(run: &mut Recording<'_>, n: u64, is_in: bool) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=n + 1 {
        run.kernel(1, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
    }
    for at in 1..=n {
        let (source, target) = if is_in { (at, n + 1) } else { (1, at + 1) };
        run.edge(source, target, 0x5000 + at * 64);
    }
}

pub(super) fn hubs(run: &mut Recording<'_>, n: u64) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    let count = 20;
    for at in 1..=count {
        run.kernel(1, at * 100, (1_000_000 + at * 100, 1_000_000 + at * 100 + 90));
    }
    for edge in 0..n {
        let target = 2 + edge % (count - 1);
        run.edge(target - 1, target, 0x5000 + (edge + 1) * 64);
    }
}

pub(super) fn chain(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, at * 100, (at * 100 + 20, at * 100 + 90));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

pub(super) fn many_queues(run: &mut Recording<'_>, n: u64) {
    for queue in 3..n + 3 {
        run.queue(queue, QueueOrder::InOrder);
    }
    for at in 1..=n {
        run.kernel(at + 2, at * 100, (at * 100 + 20, at * 100 + 90));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

pub(super) fn layers(run: &mut Recording<'_>, n: u64) {
    // `n` edges between few commands.
    let width = n.isqrt();
    for at in 0..width * 4 {
        run.kernel(2, at * 100, (at * 100 + 20, at * 100 + 150));
    }
    for layer in 1..4 {
        for source in 0..width {
            for target in 0..width {
                run.edge((layer - 1) * width + source + 1, layer * width + target + 1, 0);
            }
        }
    }
}

pub(super) fn overlapping(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, at * 20, (n * 20 + at, n * 40 + at));
    }
}

pub(super) fn at_once(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, 10, (1_000, 2_000));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

pub(super) fn touched(run: &mut Recording<'_>, n: u64, is_own: bool) {
    for object in 1..=if is_own { n } else { 1 } {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=n {
        let object = if is_own { at } else { 1 };
        let node = run.kernel(1, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
        run.accessor(object, 0x5000 + object * 64, at * 100, node);
        if at > 1 {
            run.edge(at - 1, at, 0x5000 + object * 64);
        }
    }
}

pub(super) fn accessors(run: &mut Recording<'_>, n: u64) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=8 {
        let node = run.kernel(1, at * 100, (1_000 + at * 100, 1_000 + at * 100 + 90));
        for object in (1..=n).filter(|object| object % 8 == at % 8 || at == 1) {
            run.accessor(object, 0x5000 + object * 64, at * 100, node);
        }
    }
}
