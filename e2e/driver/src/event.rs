//! Events, and pools of them.
//!
//! A plain event is unsignalled until a command or call signals it, and stays signalled until it is reset. A counting
//! event represents the newest command that signals it: a wait for the event is a wait for that command, even if the
//! event is used again.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{chain, read, write};
use crate::fault;
use crate::layout::{CountingDesc, EventDesc, KernelTimes, PoolDesc, kind};
use crate::objects::{self, Handle};
use crate::progress;

/// A pool of events, which determines their kind.
pub(crate) struct Pool {
    flags: u32,
    count: u32,
    is_counting: bool,
}

/// `ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP` and its mapped variant.
const HAS_TIMES: u32 = 4 | 8;
/// `ZEX_COUNTER_BASED_EVENT_FLAG_KERNEL_TIMESTAMP` and its mapped variant.
const COUNTING_HAS_TIMES: u32 = 16 | 32;

pub(crate) struct Event {
    is_counting: bool,
    has_times: bool,
    current: Mutex<Arc<Signal>>,
    handle: OnceLock<Handle>,
}

/// One signalling of an event.
#[derive(Default)]
pub(crate) struct Signal {
    is_done: AtomicBool,
    times: OnceLock<KernelTimes>,
}

impl Signal {
    fn done() -> Arc<Self> {
        Arc::new(Self { is_done: AtomicBool::new(true), times: OnceLock::new() })
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Signals with the times of the command.
    pub(crate) fn set(&self, times: KernelTimes) {
        let _ = self.times.set(times);
        self.is_done.store(true, Ordering::Release);
    }
}

/// Condition for the start of a command.
#[derive(Clone)]
pub(crate) enum Wait {
    For(Arc<Signal>),
    /// For the event's signal at the moment of the check.
    Until(Arc<Event>),
}

impl Wait {
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::For(signal) => signal.is_done(),
            Self::Until(event) => event.now().is_done(),
        }
    }
}

/// Signal of a command at its end.
#[derive(Clone)]
pub(crate) enum Target {
    One(Arc<Signal>),
    Event(Arc<Event>),
}

impl Target {
    pub(crate) fn set(&self, times: KernelTimes) {
        match self {
            Self::One(signal) => signal.set(times),
            Self::Event(event) => event.now().set(times),
        }
    }
}

impl Event {
    fn new(is_counting: bool, has_times: bool) -> Arc<Self> {
        // No command signals it yet, so a wait for it is over.
        let current = if is_counting { Signal::done() } else { Arc::default() };
        Arc::new(Self { is_counting, has_times, current: Mutex::new(current), handle: OnceLock::new() })
    }

    fn give(self: Arc<Self>) -> Handle {
        let handle = objects::give(Arc::clone(&self));
        let _ = self.handle.set(handle);
        handle
    }

    /// Returns its handle, for the log.
    pub(crate) fn number(&self) -> u64 {
        self.handle.get().copied().unwrap_or_default() as u64
    }

    fn now(&self) -> Arc<Signal> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the condition for a command that waits for it.
    pub(crate) fn wait(self: &Arc<Self>) -> Wait {
        if self.is_counting { Wait::For(self.now()) } else { Wait::Until(Arc::clone(self)) }
    }

    /// Returns the signal for a command that will signal it.
    pub(crate) fn target(self: &Arc<Self>) -> Target {
        if !self.is_counting {
            return Target::Event(Arc::clone(self));
        }
        let signal = Arc::<Signal>::default();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&signal);
        Target::One(signal)
    }

    /// Resets it to unsignalled.
    pub(crate) fn reset(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    /// Returns the times of the command that signalled it.
    pub(crate) fn times(&self) -> Result<KernelTimes, Code> {
        let now = self.now();
        if !now.is_done() {
            return Err(Code::NOT_READY);
        }
        Ok(now.times.get().copied().unwrap_or_default())
    }
}

calls! {
    fn create_pool "zeEventPoolCreate"
        (_context: Handle, desc: *const PoolDesc, _count: u32, _devices: *const Handle, pool: *mut Handle) {
        let desc = read(desc)?;
        let is_counting = chain(desc.head.next()).any(|(what, _)| what == kind::COUNTING_POOL);
        let made = Pool { flags: desc.flags, count: desc.count, is_counting };
        write(pool, objects::give(Arc::new(made)))?;
    }

    fn destroy_pool "zeEventPoolDestroy" (pool: Handle) {
        objects::take::<Pool>(pool)?;
    }

    fn create "zeEventCreate" (pool: Handle, desc: *const EventDesc, event: *mut Handle) {
        let pool = objects::get::<Pool>(pool)?;
        if read(desc)?.index >= pool.count {
            return Err(Code::INVALID_ARGUMENT);
        }
        write(event, Event::new(pool.is_counting, pool.flags & HAS_TIMES != 0).give())?;
    }

    fn create_counting "zexCounterBasedEventCreate2"
        (_context: Handle, _device: Handle, desc: *const CountingDesc, event: *mut Handle) {
        write(event, Event::new(true, read(desc)?.flags & COUNTING_HAS_TIMES != 0).give())?;
    }

    fn destroy "zeEventDestroy" (event: Handle) {
        objects::take::<Event>(event)?;
    }

    fn signal "zeEventHostSignal" (event: Handle) {
        let event = objects::get::<Event>(event)?;
        progress::change(|| event.now().set(KernelTimes::default()));
    }

    fn synchronize "zeEventHostSynchronize" (event: Handle, timeout: u64) {
        let wait = objects::get::<Event>(event)?.wait();
        if !progress::wait(timeout, || wait.is_over() || fault::is_lost()) {
            return Err(Code::NOT_READY);
        }
        if !wait.is_over() {
            return Err(Code::DEVICE_LOST);
        }
    }

    fn query "zeEventQueryStatus" (event: Handle) {
        if !objects::get::<Event>(event)?.now().is_done() {
            fault::device_is_there()?;
            return Err(Code::NOT_READY);
        }
    }

    fn host_reset "zeEventHostReset" (event: Handle) {
        let event = objects::get::<Event>(event)?;
        if event.is_counting {
            return Err(Code::INVALID_ARGUMENT);
        }
        progress::change(|| event.reset());
    }

    fn kernel_times "zeEventQueryKernelTimestamp" (event: Handle, times: *mut KernelTimes) {
        let event = objects::get::<Event>(event)?;
        if !event.has_times {
            return Err(Code::INVALID_SYNCHRONIZATION_OBJECT);
        }
        write(times, event.times()?)?;
    }

    fn pool_of "zeEventGetEventPool" (event: Handle, _pool: *mut c_void) {
        objects::get::<Event>(event)?;
        Err::<(), Code>(Code::UNSUPPORTED_FEATURE)?;
    }
}
