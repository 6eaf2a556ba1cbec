//! Command queues, on which lists are executed, and fences behind them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::answer::{Answer, Code};
use crate::call::calls;
use crate::caller::{list, read, write};
use crate::command::{Action, Work};
use crate::device::Device;
use crate::engine::Ring;
use crate::event::{Signal, Target};
use crate::layout::{FenceDesc, QueueDesc};
use crate::list::{List, synchronize_ring};
use crate::objects::{self, Handle};
use crate::{clock, fault, progress};

struct Queue {
    ring: Arc<Ring>,
    /// True if a call that executes lists returns only when they have run.
    is_synchronous: bool,
}

/// `ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS`
const SYNCHRONOUS: u32 = 1;

struct Fence {
    begins_signalled: AtomicBool,
    signal: std::sync::Mutex<Arc<Signal>>,
}

impl Fence {
    fn is_signalled(&self) -> bool {
        self.begins_signalled.load(Ordering::Relaxed) || self.now().is_done()
    }

    fn now(&self) -> Arc<Signal> {
        Arc::clone(&self.signal.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn check(&self, timeout: u64) -> Answer {
        if !progress::wait(timeout, || self.is_signalled() || fault::is_lost()) {
            return Err(Code::NOT_READY);
        }
        if self.is_signalled() { Ok(()) } else { Err(Code::DEVICE_LOST) }
    }
}

calls! {
    fn create "zeCommandQueueCreate"
        (_context: Handle, device: Handle, desc: *const QueueDesc, queue: *mut Handle) {
        let desc = read(desc)?;
        let device = objects::get::<Device>(device)?;
        let ring = device.engine(desc.ordinal, desc.index)?.ring();
        let made = Queue { ring, is_synchronous: desc.mode == SYNCHRONOUS };
        write(queue, objects::give(Arc::new(made)))?;
    }

    fn destroy "zeCommandQueueDestroy" (queue: Handle) {
        objects::take::<Queue>(queue)?;
    }

    fn execute "zeCommandQueueExecuteCommandLists"
        (queue: Handle, count: u32, lists: *const Handle, fence: Handle) {
        fault::device_is_there()?;
        let queue = objects::get::<Queue>(queue)?;
        let mut work: Vec<Work> = Vec::new();
        for part in objects::all::<List>(&list(lists, count)?)? {
            work.extend(part.work());
        }
        if let Some(fence) = objects::maybe::<Fence>(fence)? {
            let now = clock::host_ns();
            work.push(Work {
                action: Action::Signal,
                waits: Vec::new(),
                signals: vec![Target::One(fence.now())],
                appended_ns: now,
                submitted_ns: now,
                event: 0,
            });
        }
        queue.ring.submit(work);
        if queue.is_synchronous {
            synchronize_ring(&queue.ring, u64::MAX)?;
        }
    }

    fn synchronize "zeCommandQueueSynchronize" (queue: Handle, timeout: u64) {
        synchronize_ring(&objects::get::<Queue>(queue)?.ring, timeout)?;
    }

    fn create_fence "zeFenceCreate" (queue: Handle, desc: *const FenceDesc, fence: *mut Handle) {
        objects::get::<Queue>(queue)?;
        let begins_signalled = AtomicBool::new(read(desc)?.flags & 1 != 0);
        write(fence, objects::give(Arc::new(Fence { begins_signalled, signal: Default::default() })))?;
    }

    fn destroy_fence "zeFenceDestroy" (fence: Handle) {
        objects::take::<Fence>(fence)?;
    }

    fn synchronize_fence "zeFenceHostSynchronize" (fence: Handle, timeout: u64) {
        objects::get::<Fence>(fence)?.check(timeout)?;
    }

    fn query_fence "zeFenceQueryStatus" (fence: Handle) {
        objects::get::<Fence>(fence)?.check(0)?;
    }

    fn reset_fence "zeFenceReset" (fence: Handle) {
        let fence = objects::get::<Fence>(fence)?;
        fence.begins_signalled.store(false, Ordering::Relaxed);
        *fence.signal.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::default();
    }
}
