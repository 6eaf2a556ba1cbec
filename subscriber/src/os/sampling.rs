//! What other threads of this process do at a moment: their registers and stacks.
//!
//! A running thread is asked by a signal, whose handler copies registers and stack into a slot and does nothing else: no
//! lock and no memory. So is one that waits for a lock, which the system lets wait on afterwards. Of a thread that sleeps in
//! another call of the system, the kernel says the call, the stack pointer and the instruction, and its stack is copied from
//! outside, so that its call is not cut short.
//!
//! The signal is `SIGURG`, which a program without a handler for it ignores: a signal that comes late, as after `exec`, does
//! no harm. (Go's runtime uses it for this reason, too.)

use std::ffi::{c_int, c_void};
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

use super::python::sampled::{NOTED_WORDS, note, own_state};
use super::stack::Stopped;

const SIGNAL: c_int = libc::SIGURG;
/// Number of the call of the system that waits for a lock.
const FUTEX: u32 = libc::SYS_futex as u32;

/// Threads that can be sampled at the same time.
pub(crate) const MOST_THREADS: usize = 256;

/// Words of a stack that are copied: 64 KiB.
const COPIED_WORDS: usize = 8 << 10;

/// Words of the frames of Python that are noted.
const PYTHON_WORDS: usize = 128 * NOTED_WORDS;

/// Place for the sample of a thread.
#[repr(C)]
struct Slot {
    state: AtomicU32,
    thread: AtomicU32,
    /// Begin and end of the thread's stack.
    begin: AtomicU64,
    end: AtomicU64,
    at_ns: AtomicU64,
    instruction: AtomicU64,
    stack: AtomicU64,
    frame: AtomicU64,
    /// Address of the thread's state in an interpreter of Python, 0 if it has none.
    interpreter: AtomicU64,
    /// Words of the frames of Python that were noted.
    python_words: AtomicU64,
    python: [AtomicU64; PYTHON_WORDS],
    /// Words that were copied.
    words: AtomicU64,
    copy: [AtomicU64; COPIED_WORDS],
}

/// Nobody is asked.
const IDLE: u32 = 0;
/// The thread is asked, and has not answered.
const ASKED: u32 = 1;
/// The thread answers.
const ANSWERING: u32 = 2;
const ANSWERED: u32 = 3;

/// The slots, null as long as nothing is sampled.
static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
static IS_ON: AtomicBool = AtomicBool::new(false);

/// True if threads are sampled.
#[inline]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Begins: slots, and the handler of the signal. Gives the reason if it can't.
pub(crate) fn begin() -> Result<(), String> {
    // A forked child has its own slots: what its parent has asked for is never answered there.
    let slots = super::reserve_zeroed(MOST_THREADS * size_of::<Slot>()).ok_or("no memory")?;
    SLOTS.store(slots.cast(), Ordering::Release);
    if !is_handled_by_us() && !handle() {
        return Err("the program handles SIGURG itself".to_owned());
    }
    IS_ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// No thread that begins now is sampled.
pub(crate) fn end() {
    IS_ON.store(false, Ordering::Relaxed);
}

/// True if the signal still comes to our handler.
pub(crate) fn is_handled_by_us() -> bool {
    current_action().is_some_and(|action| action.sa_sigaction == on_signal as *const () as usize)
}

fn current_action() -> Option<libc::sigaction> {
    // SAFETY: all zero is a valid action, and a valid place for the current one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(SIGNAL, std::ptr::null(), &mut action) == 0).then_some(action)
    }
}

/// Handles the signal, unless the program does something with it itself.
fn handle() -> bool {
    if current_action().is_none_or(|action| action.sa_sigaction != libc::SIG_DFL) {
        return false;
    }
    // SAFETY: all zero is a valid action; the handler lives as long as this library, which is pinned.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(SIGNAL, &action, std::ptr::null_mut()) == 0
    }
}

fn slot(number: usize) -> Option<&'static Slot> {
    let slots = SLOTS.load(Ordering::Acquire);
    // SAFETY: so many slots lie there for the rest of the process; zeros are a valid one.
    (!slots.is_null() && number < MOST_THREADS).then(|| unsafe { &*slots.add(number) })
}

/// Runs on the thread that is asked, whatever it does: only what a signal's handler may do.
unsafe extern "C" fn on_signal(_signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both, and the fields are those of a signal that was queued with a value.
    let (code, sender, value) =
        unsafe { ((*info).si_code, (*info).si_pid(), (*info).si_value().sival_ptr as usize) };
    // SAFETY: takes nothing and always succeeds.
    if code != libc::SI_QUEUE || sender != unsafe { libc::getpid() } {
        return;
    }
    let Some(slot) = slot(value) else { return };
    let is_asked = slot.state.compare_exchange(ASKED, ANSWERING, Ordering::Acquire, Ordering::Relaxed);
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
    slot.python_words.store(note(state, &slot.python) as u64, Ordering::Relaxed);
    slot.state.store(ANSWERED, Ordering::Release);
}

/// Words of a stack to copy.
fn words_of(stack: u64, begin: u64, end: u64) -> usize {
    let is_on_it = stack.is_multiple_of(8) && (begin..end).contains(&stack);
    if is_on_it { COPIED_WORDS.min(((end - stack) / 8) as usize) } else { 0 }
}

/// State of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    Running,
    /// It sleeps, in a call of the system if there is a number.
    Sleeping {
        call: Option<u32>,
        stack: u64,
        instruction: u64,
    },
    /// It waits for a lock, without a limit of time.
    Waiting,
    /// There is no such thread, or the system doesn't say.
    #[default]
    Unknown,
}

/// A thread that is sampled.
pub(crate) struct SampledThread {
    number: usize,
    thread: u32,
    bounds: (u64, u64),
    /// It waited for a lock when it was asked.
    is_waiting: bool,
    copy: Vec<u64>,
    python: Vec<u64>,
}

/// What a thread did at a moment.
pub(crate) struct Seen<'a> {
    pub(crate) at_ns: u64,
    pub(crate) is_blocked: bool,
    pub(crate) system_call: Option<u32>,
    /// Nothing where it was not on its own stack, or can't be read.
    pub(crate) stopped: Option<Stopped<'a>>,
    /// Its frames of Python as they were noted.
    pub(crate) python: &'a [u64],
}

/// Result of looking at a thread.
pub(crate) enum Look<'a> {
    Seen(Seen<'a>),
    /// It was asked, and its answer is there at the next look.
    Asked,
    /// It was asked before, and has not answered.
    Silent,
    /// Nothing is known of it.
    Unknown,
}

impl SampledThread {
    /// A thread with the bounds of its stack, and the number of a slot that no other has.
    pub(crate) fn new(number: usize, thread: u32, bounds: (u64, u64), interpreter: u64) -> Self {
        if let Some(slot) = slot(number) {
            slot.interpreter.store(interpreter, Ordering::Relaxed);
            slot.thread.store(thread, Ordering::Relaxed);
            slot.begin.store(bounds.0, Ordering::Relaxed);
            slot.end.store(bounds.1, Ordering::Relaxed);
        }
        Self { number, thread, bounds, is_waiting: false, copy: Vec::new(), python: Vec::new() }
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The thread is over; false as long as its slot may still be written to.
    pub(crate) fn end(&self) -> bool {
        let Some(slot) = slot(self.number) else { return true };
        let was = slot.state.compare_exchange(ASKED, IDLE, Ordering::Relaxed, Ordering::Relaxed);
        if was != Err(ANSWERING) {
            slot.state.store(IDLE, Ordering::Relaxed);
        }
        was != Err(ANSWERING)
    }

    /// The answer to the question before, if there is one.
    pub(crate) fn answer(&mut self) -> Option<Seen<'_>> {
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
        let (is_blocked, system_call) = (self.is_waiting, self.is_waiting.then_some(FUTEX));
        Some(Seen { at_ns, is_blocked, system_call, stopped, python: &self.python })
    }

    fn take_python(&mut self, slot: &Slot, words: usize) {
        self.python.clear();
        let noted = slot.python.iter().take(words);
        self.python.extend(noted.map(|word| word.load(Ordering::Relaxed)));
    }

    /// Looks at the thread, and asks it where it runs.
    pub(crate) fn look(&mut self) -> Look<'_> {
        let Some(slot) = slot(self.number) else { return Look::Unknown };
        if slot.state.load(Ordering::Relaxed) != IDLE {
            return Look::Silent;
        }
        let at_ns = super::monotonic_ns();
        match State::of(self.thread) {
            State::Unknown => Look::Unknown,
            state @ (State::Running | State::Waiting) => {
                self.is_waiting = state == State::Waiting;
                slot.state.store(ASKED, Ordering::Release);
                if !ask(self.thread, self.number) {
                    slot.state.store(IDLE, Ordering::Relaxed);
                    return Look::Unknown;
                }
                Look::Asked
            }
            state @ State::Sleeping { call, stack, instruction } => {
                let words = words_of(stack, self.bounds.0, self.bounds.1);
                self.copy.resize(words, 0);
                let is_read = words > 0 && super::copy_words(stack, &mut self.copy);
                let noted = note(slot.interpreter.load(Ordering::Relaxed), &slot.python);
                self.take_python(slot, noted);
                // What was read is a mixture if it has gone on meanwhile.
                fence(Ordering::AcqRel);
                let is_whole = is_read && State::of(self.thread) == state;
                let stopped = Stopped { instruction, stack, frame: 0, copy: &self.copy };
                let stopped = is_whole.then_some(stopped);
                let python = if is_whole { &self.python[..] } else { &[] };
                Look::Seen(Seen { at_ns, is_blocked: true, system_call: call, stopped, python })
            }
        }
    }
}

impl State {
    /// The state of a thread of this process: `running`, or the number of a call, its six arguments, stack pointer and
    /// instruction; without the arguments where the number is -1.
    fn of(thread: u32) -> Self {
        let mut text = [0; 256];
        let path = format!("/proc/self/task/{thread}/syscall");
        let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut text));
        read.map(|length| Self::read(&String::from_utf8_lossy(&text[..length]))).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let mut words = text.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "running" {
            return Self::Running;
        }
        let number = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let [Some(instruction), Some(stack)] = std::array::from_fn(|_| words.next_back().and_then(number))
        else {
            return Self::Unknown;
        };
        let call = first.parse().ok();
        // Its arguments: the word, the operation, the value, and the limit.
        let is_unlimited = words.nth(3) == Some("0x0");
        if call == Some(FUTEX) && is_unlimited {
            return Self::Waiting;
        }
        Self::Sleeping { call, stack, instruction }
    }
}

/// Sends the signal with the number of a slot.
fn ask(thread: u32, number: usize) -> bool {
    /// Beginning of the kernel's structure for a signal that is queued with a value.
    #[repr(C)]
    struct Info {
        signal: c_int,
        error: c_int,
        code: c_int,
        padding: c_int,
        process: libc::pid_t,
        user: libc::uid_t,
        value: usize,
        rest: [u64; 12],
    }
    const _: () = assert!(size_of::<Info>() == size_of::<libc::siginfo_t>());
    // SAFETY: take nothing and always succeed.
    let (process, user) = unsafe { (libc::getpid(), libc::getuid()) };
    let (code, value) = (libc::SI_QUEUE, number);
    let info = Info { signal: SIGNAL, error: 0, code, padding: 0, process, user, value, rest: [0; 12] };
    // SAFETY: a whole structure; a thread that is gone gives an error.
    unsafe { libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, SIGNAL, &raw const info) == 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::stack::{ReturnAddresses, own_bounds};
    use super::*;

    #[test]
    fn states_are_read() {
        let sleeping = State::Sleeping { call: Some(230), stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("230 0x1 0x1 0x7f02 0x0 0x0 0x7f03 0x7ff0 0x4242\n"), sleeping);
        assert_eq!(State::read("202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7ff0 0x4242\n"), State::Waiting);
        let limited = State::Sleeping { call: Some(FUTEX), stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("202 0x7f 0x189 0x0 0x7f10 0x0 0xffffffff 0x7ff0 0x4242\n"), limited);
        let elsewhere = State::Sleeping { call: None, stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("-1 0x7ff0 0x4242\n"), elsewhere);
        assert_eq!(State::read("running\n"), State::Running);
        for text in ["", "0x7ff0", "1 2 3", "blocked"] {
            assert_eq!(State::read(text), State::Unknown, "{text}");
        }
    }

    #[test]
    fn no_more_than_the_stack_is_copied() {
        assert_eq!(words_of(4096, 4096, 8192), 512);
        assert_eq!(words_of(4096, 4096, 1 << 30), COPIED_WORDS);
        for stack in [0, 4088, 4100, 8192, u64::MAX - 7] {
            assert_eq!(words_of(stack, 4096, 8192), 0, "{stack}");
        }
    }

    /// Has a thread run, or wait, in a function of its own, and returns its first sample with a stack.
    fn sampled(number: usize, waits: bool) -> (Vec<u64>, bool) {
        begin().unwrap();
        let (tell, told) = channel();
        let (end, ends) = channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send((super::super::thread_id(), own_bounds())).unwrap();
            if waits {
                let _ = ends.recv();
            } else {
                while ends.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {}
            }
        });
        let (id, bounds) = told.recv().unwrap();
        let mut thread_seen = SampledThread::new(number, id, bounds, 0);
        let read = |seen: Seen<'_>| {
            let stopped = seen.stopped?;
            Some((ReturnAddresses::of(stopped, |found| found.addresses().to_vec()), seen.is_blocked))
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

    #[test]
    fn a_running_thread_answers_and_a_sleeping_one_is_looked_at() {
        assert!(!sampled(0, false).1);
        assert!(sampled(1, true).1);
        assert!(is_handled_by_us());
        end();
    }
}
