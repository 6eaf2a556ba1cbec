//! Registers and stacks of other threads of this process at a moment.
//!
//! A running thread is interrupted by a signal, whose handler copies registers and stack into a slot and does nothing
//! else: no lock and no allocation. The same is done for a thread that waits for a lock, because the system resumes
//! that wait. For a thread that sleeps in another system call, the kernel reports the call, the stack pointer and the
//! instruction, and its stack is copied from another thread, so that its call is not interrupted.
//!
//! The signal is `SIGURG`, which is ignored without a handler: a signal that arrives late, as after `exec`, does no
//! harm. (Go's runtime uses it for the same reason.)

mod signal;
mod state;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

use super::python::sampled::{NOTED_WORDS, note, own_state};
use super::stack::{Stopped, own_bounds};
use state::{FUTEX, State};

pub(crate) const MAX_THREADS: usize = 256;

/// Maximum number of copied words of a stack: 64 KiB.
const COPIED_WORDS: usize = 8 << 10;

/// Words for the noted Python frames.
const PYTHON_WORDS: usize = 128 * NOTED_WORDS;

#[repr(C)]
struct Slot {
    state: AtomicU32,
    thread: AtomicU32,
    begin: AtomicU64,
    end: AtomicU64,
    at_ns: AtomicU64,
    instruction: AtomicU64,
    stack: AtomicU64,
    frame: AtomicU64,
    interpreter: AtomicU64,
    python_words: AtomicU64,
    python: [AtomicU64; PYTHON_WORDS],
    words: AtomicU64,
    copy: [AtomicU64; COPIED_WORDS],
}

impl Slot {
    /// Withdraws the request; false if there was none, or it is being answered.
    fn take_back(&self) -> bool {
        self.state.compare_exchange(REQUESTED, IDLE, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

const IDLE: u32 = 0;
/// The thread has a request, and has not answered.
const REQUESTED: u32 = 1;
const ANSWERING: u32 = 2;
const ANSWERED: u32 = 3;

/// The slots, null until sampling starts.
static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
static IS_ON: AtomicBool = AtomicBool::new(false);

#[inline]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Creates the slots and installs the signal handler; fails with the reason.
pub(crate) fn begin() -> Result<(), String> {
    // A forked child has its own slots: its parent's requests are never answered there.
    let words = MAX_THREADS * size_of::<Slot>() / size_of::<u64>();
    let slots = super::memory::private(words).ok_or("no memory")?;
    SLOTS.store(slots.as_ptr().cast_mut().cast(), Ordering::Release);
    if !is_handled_by_us() && !signal::handle(on_signal) {
        return Err("the program handles SIGURG itself".to_owned());
    }
    IS_ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// Stops sampling of threads that start from now on.
pub(crate) fn end() {
    IS_ON.store(false, Ordering::Relaxed);
}

/// True if the signal is still handled by our handler.
pub(crate) fn is_handled_by_us() -> bool {
    signal::is_handled_by(on_signal)
}

fn slot(number: usize) -> Option<&'static Slot> {
    let slots = SLOTS.load(Ordering::Acquire);
    // SAFETY: this number of slots is mapped for the rest of the process; zeros are a valid slot.
    (!slots.is_null() && number < MAX_THREADS).then(|| unsafe { &*slots.add(number) })
}

/// Runs on the requested thread at any point: restricted to async-signal-safe operations.
unsafe extern "C" fn on_signal(_signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // The program may be about to read `errno`, which our system calls change. SAFETY: the thread's own number, and
    // what the kernel has passed.
    unsafe {
        let error = libc::__errno_location();
        let before = *error;
        answer(info, context);
        *error = before;
    }
}

/// # Safety
/// The arguments are those of a signal handler.
unsafe fn answer(info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: passed by the kernel.
    let number = unsafe { signal::number(info) };
    let Some(slot) = number.and_then(slot) else { return };
    let is_asked = slot.state.compare_exchange(REQUESTED, ANSWERING, Ordering::Acquire, Ordering::Relaxed);
    if is_asked.is_err() {
        return;
    }
    // SAFETY: the third argument of such a handler.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let register = |number: c_int| registers[number as usize].cast_unsigned();
    let stack = register(libc::REG_RSP);
    slot.at_ns.store(super::monotonic_ns(), Ordering::Relaxed);
    slot.instruction.store(register(libc::REG_RIP), Ordering::Relaxed);
    slot.stack.store(stack, Ordering::Relaxed);
    slot.frame.store(register(libc::REG_RBP), Ordering::Relaxed);
    let (begin, end) = (slot.begin.load(Ordering::Relaxed), slot.end.load(Ordering::Relaxed));
    let is_own = slot.thread.load(Ordering::Relaxed) == super::thread_id();
    let words = if is_own { words_of(stack, begin, end) } else { 0 };
    for (number, word) in slot.copy[..words].iter().enumerate() {
        // SAFETY: a word between the thread's own stack pointer and the end of its stack.
        let value = unsafe { ((stack + 8 * number as u64) as *const u64).read_volatile() };
        word.store(value, Ordering::Relaxed);
    }
    slot.words.store(words as u64, Ordering::Relaxed);
    let state = if is_own { own_state() } else { 0 };
    slot.interpreter.store(state, Ordering::Relaxed);
    slot.python_words.store(note(state, None, &slot.python) as u64, Ordering::Relaxed);
    slot.state.store(ANSWERED, Ordering::Release);
}

fn words_of(stack: u64, begin: u64, end: u64) -> usize {
    let is_on_it = stack.is_multiple_of(8) && (begin..end).contains(&stack);
    if is_on_it { COPIED_WORDS.min(((end - stack) / 8) as usize) } else { 0 }
}

/// Number of unanswered checks after which a thread is signalled again. A signal is lost if another one is pending.
const ASK_AGAIN: u64 = 16;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    /// Bounds of its stack.
    pub(crate) bounds: (u64, u64),
    /// Address of its state in a Python interpreter, 0 if it is not a Python thread.
    pub(crate) interpreter: u64,
    /// Its POSIX thread id, which its interpreter state contains, too.
    pub(crate) pthread: u64,
}

impl Own {
    pub(crate) fn here() -> Self {
        // SAFETY: takes no arguments and always succeeds.
        let pthread = unsafe { libc::pthread_self() };
        Self { bounds: own_bounds(), interpreter: own_state(), pthread }
    }
}

pub(crate) struct SampledThread {
    number: usize,
    thread: u32,
    own: Own,
    /// Checks since the request.
    silent: u64,
    /// Stack pointer and instruction of the call in which it waited for a lock at the request.
    waits_at: Option<(u64, u64)>,
    copy: Vec<u64>,
    python: Vec<u64>,
}

pub(crate) struct Observation<'a> {
    pub(crate) at_ns: u64,
    pub(crate) is_blocked: bool,
    pub(crate) system_call: Option<u32>,
    /// `None` if it was not on its own stack, or can't be read.
    pub(crate) stopped: Option<Stopped<'a>>,
    pub(crate) python: &'a [u64],
}

pub(crate) enum Look<'a> {
    Seen(Observation<'a>),
    /// It was sent a request. The answer is ready at the next check.
    Asked,
    /// It has not answered an earlier request.
    Silent,
    Unknown,
}

impl SampledThread {
    /// `number` is the number of an unused slot.
    pub(crate) fn new(number: usize, thread: u32, own: Own) -> Self {
        if let Some(slot) = slot(number) {
            slot.interpreter.store(own.interpreter, Ordering::Relaxed);
            slot.thread.store(thread, Ordering::Relaxed);
            slot.begin.store(own.bounds.0, Ordering::Relaxed);
            slot.end.store(own.bounds.1, Ordering::Relaxed);
        }
        Self { number, thread, own, silent: 0, waits_at: None, copy: Vec::new(), python: Vec::new() }
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Ends the sampling of the thread; false while its slot may still be written to.
    pub(crate) fn end(&self) -> bool {
        let Some(slot) = slot(self.number) else { return true };
        let is_over = slot.take_back() || slot.state.load(Ordering::Relaxed) != ANSWERING;
        if is_over {
            slot.state.store(IDLE, Ordering::Relaxed);
        }
        is_over
    }

    /// Returns the answer to the last request, if there is one.
    pub(crate) fn answer(&mut self) -> Option<Observation<'_>> {
        let slot = slot(self.number)?;
        if slot.state.load(Ordering::Acquire) != ANSWERED {
            return None;
        }
        let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let words = (word(&slot.words) as usize).min(COPIED_WORDS);
        self.copy.clear();
        self.copy.extend(slot.copy[..words].iter().map(word));
        self.take_python(slot, word(&slot.python_words) as usize);
        let (instruction, stack) = (word(&slot.instruction), word(&slot.stack));
        let (at_ns, frame) = (word(&slot.at_ns), word(&slot.frame));
        slot.state.store(IDLE, Ordering::Release);
        let stopped = Stopped { instruction, stack, frame, copy: &self.copy };
        let stopped = (words > 0).then_some(stopped);
        // The thread may have continued meanwhile. The interrupted call restarts two bytes before the instruction that
        // the kernel reported.
        let is_blocked = self.waits_at.is_some_and(|(at, behind)| {
            at == stack && [behind, behind.wrapping_sub(2)].contains(&instruction)
        });
        let system_call = is_blocked.then_some(FUTEX);
        Some(Observation { at_ns, is_blocked, system_call, stopped, python: &self.python })
    }

    fn take_python(&mut self, slot: &Slot, words: usize) {
        self.python.clear();
        let noted = slot.python.iter().take(words);
        self.python.extend(noted.map(|word| word.load(Ordering::Relaxed)));
    }

    fn sleeps(&self) -> bool {
        matches!(State::for_thread(self.thread), State::Sleeping { .. })
    }

    /// Checks the thread, and sends it a request.
    pub(crate) fn look(&mut self) -> Look<'_> {
        let Some(slot) = slot(self.number) else { return Look::Unknown };
        match slot.state.load(Ordering::Relaxed) {
            IDLE => {}
            // The thread blocks the signal. A late answer finds no request.
            REQUESTED if self.sleeps() && slot.take_back() => {}
            REQUESTED => {
                self.silent += 1;
                if self.silent.is_multiple_of(ASK_AGAIN) {
                    signal::ask(self.thread, self.number);
                }
                return Look::Silent;
            }
            _ => return Look::Silent,
        }
        let at_ns = super::monotonic_ns();
        match State::for_thread(self.thread) {
            State::Unknown => Look::Unknown,
            state @ (State::Running | State::Waiting { .. }) => {
                self.waits_at = match state {
                    State::Waiting { stack, instruction } => Some((stack, instruction)),
                    _ => None,
                };
                self.silent = 0;
                slot.state.store(REQUESTED, Ordering::Release);
                if !signal::ask(self.thread, self.number) {
                    slot.state.store(IDLE, Ordering::Relaxed);
                    return Look::Unknown;
                }
                Look::Asked
            }
            state @ State::Sleeping { call, stack, instruction } => {
                let words = words_of(stack, self.own.bounds.0, self.own.bounds.1);
                self.copy.resize(words, 0);
                let is_read = words > 0 && super::copy_words(stack, &mut self.copy);
                let interpreter = slot.interpreter.load(Ordering::Relaxed);
                let noted = note(interpreter, Some(self.own.pthread), &slot.python);
                self.take_python(slot, noted);
                // The copy is inconsistent if the thread has continued meanwhile.
                fence(Ordering::AcqRel);
                let is_whole = is_read && State::for_thread(self.thread) == state;
                let stopped = Stopped { instruction, stack, frame: 0, copy: &self.copy };
                let stopped = is_whole.then_some(stopped);
                let python = if is_whole { &self.python[..] } else { &[] };
                Look::Seen(Observation { at_ns, is_blocked: true, system_call: call, stopped, python })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::super::stack::ReturnAddresses;
    use super::*;

    #[test]
    fn no_more_than_the_stack_is_copied() {
        assert_eq!(words_of(4096, 4096, 8192), 512);
        assert_eq!(words_of(4096, 4096, 1 << 30), COPIED_WORDS);
        for stack in [0, 4088, 4100, 8192, u64::MAX - 7] {
            assert_eq!(words_of(stack, 4096, 8192), 0, "{stack}");
        }
    }

    /// Lets a thread run or wait in a given function, and returns its first sample with a stack.
    fn sampled(number: usize, waits: bool) -> (Vec<u64>, bool) {
        begin().unwrap();
        let (tell, told) = channel();
        let (end, ends) = channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send((super::super::thread_id(), Own::here())).unwrap();
            if waits {
                let _ = ends.recv();
            } else {
                while ends.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {}
            }
        });
        let (id, own) = told.recv().unwrap();
        let mut thread_seen = SampledThread::new(number, id, own);
        let read = |seen: Observation<'_>| {
            let stopped = seen.stopped?;
            Some((ReturnAddresses::read(stopped, |found| found.addresses().to_vec()), seen.is_blocked))
        };
        let found = loop {
            let found = match thread_seen.look() {
                Look::Seen(seen) => read(seen),
                _ => None,
            };
            let found = found.or_else(|| thread_seen.answer().and_then(read));
            if let Some(found) = found.filter(|(frames, is_blocked)| frames.len() > 2 && *is_blocked == waits)
            {
                break found;
            }
            std::thread::yield_now();
        };
        end.send(()).unwrap();
        thread.join().unwrap();
        while !thread_seen.end() {}
        found
    }

    /// Lets a thread that blocks the signal run until it gets a request, and then sleep.
    fn see_asleep_in_spite_of_silence(number: usize) {
        begin().unwrap();
        let (tell, told) = channel();
        let (here, mut there) = UnixStream::pair().unwrap();
        let is_asked = Arc::new(AtomicBool::new(false));
        let until = is_asked.clone();
        let thread = std::thread::spawn(move || {
            super::super::block_signals();
            tell.send((super::super::thread_id(), Own::here())).unwrap();
            while !until.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            there.read(&mut [0]).unwrap()
        });
        let (id, own) = told.recv().unwrap();
        let mut silent = SampledThread::new(number, id, own);
        while !matches!(silent.look(), Look::Asked) {
            std::thread::yield_now();
        }
        is_asked.store(true, Ordering::Relaxed);
        while !matches!(silent.look(), Look::Seen(_)) {
            assert!(silent.answer().is_none());
            std::thread::yield_now();
        }
        drop(here);
        assert_eq!(thread.join().unwrap(), 0);
        while !silent.end() {}
    }

    #[test]
    fn a_running_thread_answers_and_a_sleeping_one_is_looked_at() {
        assert!(!sampled(0, false).1);
        assert!(sampled(1, true).1);
        see_asleep_in_spite_of_silence(2);
        assert!(is_handled_by_us());
        end();
    }
}
