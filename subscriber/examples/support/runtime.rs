//! Driver of the fake runtime: tracepoints as libxptifw lays them out, and calls of the Unified Runtime.
#![expect(dead_code, reason = "each program that includes this uses a part of it")]

#[path = "../../src/xpti/trace_type.rs"]
pub(crate) mod trace_type;
#[path = "tracepoint.rs"]
mod tracepoint;

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trace_type::{FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END, SIGNAL};
pub(crate) use tracepoint::{Event, Value};
use tracepoint::{Item, Payload};

pub(crate) type Callback = unsafe extern "C" fn(u16, *const c_void, *const c_void, u64, *const c_void);

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+) => {
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Functions {
            unsafe fn load(library: *mut c_void) -> Self {
                Self {
                    $($name: {
                        let name = CString::new(stringify!($name)).unwrap();
                        // SAFETY: the library exports the function with this type.
                        unsafe {
                            let found = libc::dlsym(library, name.as_ptr());
                            assert!(!found.is_null(), "{name:?} is missing");
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(found)
                        }
                    },)+
                }
            }
        }
    };
}

functions! {
    fake_stream: fn(*const c_char) -> u8;
    fake_listen: fn(u8, u16, Callback) -> i32;
    fake_load: fn();
    fake_announce: fn(*const c_char);
    fake_finish: fn(*const c_char);
    fake_notify: fn(u8, u8, u16, *const c_void, *const c_void, u64, *const c_void);
    fake_callback: fn(u8, u16) -> Option<Callback>;
    fake_string: fn(*const c_char) -> u32;
    fake_object: fn(*const u8, usize, u8) -> i32;
    fake_stash_queue: fn(u64);
    fake_event: fn(u64, u64, u64, u64) -> u64;
    fake_event_status: fn(u64, u32);
    fake_event_release: fn(u64);
    fake_event_references: fn() -> u64;
    fake_device_clock: fn(u64, u64);
    fake_device_time: fn(u64) -> u64;
    fake_reading_takes: fn(u64);
    fake_questions: fn() -> u64;
    fake_readings: fn() -> u64;
    fake_listeners: fn(u8, u16) -> u64;
}

/// The streams that syclscope records.
pub(crate) const STREAMS: [&CStr; 3] = [c"sycl", c"ur.call", c"sycl.experimental.mem_alloc"];

#[derive(Clone, Copy)]
pub(crate) struct Runtime {
    functions: Functions,
    sycl: [u8; 2],
    call: [u8; 2],
    memory: [u8; 2],
}

pub(crate) fn next_instance() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Runtime {
    /// Loads the library that `XPTI_FRAMEWORK_DISPATCHER` names.
    pub(crate) fn load() -> Self {
        let path = std::env::var("XPTI_FRAMEWORK_DISPATCHER")
            .expect("XPTI_FRAMEWORK_DISPATCHER names the fake runtime");
        let path = CString::new(path).unwrap();
        // SAFETY: our own library.
        let functions = unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            assert!(!library.is_null(), "{path:?} can't be loaded");
            Functions::load(library)
        };
        // SAFETY: NUL-terminated literals.
        let stream = |name: &CStr| unsafe { (functions.fake_stream)(name.as_ptr()) };
        Self {
            functions,
            sycl: [stream(c"sycl"), stream(c"sycl.debug")],
            call: [stream(c"ur.call"), stream(c"ur.call.debug")],
            memory: [stream(c"sycl.experimental.mem_alloc"), 0],
        }
    }

    /// Loads the subscribers and announces the streams.
    pub(crate) fn start(&self) {
        // SAFETY: no arguments.
        unsafe { (self.functions.fake_load)() };
        STREAMS.iter().for_each(|stream| self.announce(stream));
    }

    pub(crate) fn announce(&self, stream: &CStr) {
        // SAFETY: a NUL-terminated name.
        unsafe { (self.functions.fake_announce)(stream.as_ptr()) };
    }

    pub(crate) fn finish(&self, stream: &CStr) {
        // SAFETY: a NUL-terminated name.
        unsafe { (self.functions.fake_finish)(stream.as_ptr()) };
    }

    pub(crate) fn finish_all(&self) {
        STREAMS.iter().for_each(|stream| self.finish(stream));
    }

    /// Plays between the announcement of the streams and their end.
    pub(crate) fn play(&self, scenario: impl FnOnce(&Self)) {
        self.start();
        scenario(self);
        self.finish_all();
    }

    pub(crate) fn burst(&self, count: u32) {
        for _ in 0..count {
            self.call(77, c"urEventGetInfo", &[0; 5], |_| 0);
        }
    }

    /// Subscribes like another subscriber, with a callback that does nothing.
    pub(crate) fn listen_to(&self, stream: &CStr, trace_types: &[u16]) {
        unsafe extern "C" fn nothing(_: u16, _: *const c_void, _: *const c_void, _: u64, _: *const c_void) {}
        trace_types.iter().for_each(|trace_type| self.listen(stream, *trace_type, nothing));
    }

    /// Subscribes like [`Self::listen_to`], then waits until the recorder has followed.
    pub(crate) fn draw_to(&self, stream: &CStr, trace_types: &[u16]) {
        self.listen_to(stream, trace_types);
        // SAFETY: a NUL-terminated name, and numbers.
        let listeners = |trace_type: &u16| unsafe {
            (self.functions.fake_listeners)((self.functions.fake_stream)(stream.as_ptr()), *trace_type)
        };
        wait_until("the recorder listens, too", || trace_types.iter().all(|each| listeners(each) == 2));
    }

    fn listen(&self, stream: &CStr, trace_type: u16, callback: Callback) {
        // SAFETY: a NUL-terminated name, a callback that lives for ever.
        unsafe {
            let stream = (self.functions.fake_stream)(stream.as_ptr());
            (self.functions.fake_listen)(stream, trace_type, callback);
        }
    }

    pub(crate) fn callback(&self, stream: &CStr, trace_type: u16) -> Option<Callback> {
        // SAFETY: a NUL-terminated name.
        unsafe { (self.functions.fake_callback)((self.functions.fake_stream)(stream.as_ptr()), trace_type) }
    }

    /// Creates a tracepoint, which is never freed.
    pub(crate) fn event(
        &self,
        universal_id: u64,
        name: &str,
        file: &str,
        line: u32,
        metadata: &[(&str, Value<'_>)],
    ) -> &'static mut Event {
        let leak = |text: &str| CString::new(text).unwrap().into_raw().cast_const();
        let payload = Box::leak(Box::new(Payload {
            name: leak(name),
            stack_trace: std::ptr::null(),
            source_file: leak(file),
            line,
            column: 0,
            rest: [0; 6],
        }));
        let mut first: *const Item = std::ptr::null();
        for (key, value) in metadata {
            let key = CString::new(*key).unwrap();
            let unsigned;
            let signed;
            let boolean;
            let (bytes, kind): (&[u8], u8) = match value {
                Value::Text(text) => (text.as_bytes(), 1),
                Value::Binary(bytes) => (bytes, 0),
                Value::Signed(value) => {
                    signed = value.to_ne_bytes();
                    (&signed, 2)
                }
                Value::Unsigned(value) => {
                    unsigned = value.to_ne_bytes();
                    (&unsigned, 3)
                }
                Value::Bool(value) => {
                    boolean = [u8::from(*value)];
                    (&boolean, 5)
                }
            };
            // SAFETY: NUL-terminated key, bytes of the given length.
            first = unsafe {
                Box::leak(Box::new(Item {
                    next: first,
                    key: (self.functions.fake_string)(key.as_ptr()),
                    value: (self.functions.fake_object)(bytes.as_ptr(), bytes.len(), kind),
                }))
            };
        }
        Box::leak(Box::new(Event {
            universal_id,
            data_id: 0,
            instance_id: 0,
            kinds: [0; 4],
            source: 0,
            target: 0,
            payload,
            buckets: 0,
            bucket_count: 0,
            first,
            count: metadata.len() as u64,
            hashing: [0; 3],
            user_data: 0,
            flags: 0,
        }))
    }

    fn notify(
        &self,
        stream: [u8; 2],
        trace_type: u16,
        event: Option<&Event>,
        instance: u64,
        user_data: *const c_void,
    ) {
        let event = event.map_or(std::ptr::null(), std::ptr::from_ref).cast();
        let (none, notify) = (std::ptr::null(), self.functions.fake_notify);
        // SAFETY: the event is alive, and the user data has the trace type's type.
        unsafe { notify(stream[0], stream[1], trace_type, none, event, instance, user_data) };
    }

    /// Notifies on any stream, with a parent and without an event.
    pub(crate) fn on_below(
        &self,
        stream: &CStr,
        trace_type: u16,
        parent: &Event,
        instance: u64,
        user_data: *const c_void,
    ) {
        let (parent, notify) = (std::ptr::from_ref(parent).cast(), self.functions.fake_notify);
        // SAFETY: a NUL-terminated name, an event that is alive, and user data of the trace type's type.
        unsafe {
            let stream = (self.functions.fake_stream)(stream.as_ptr());
            notify(stream, 0, trace_type, parent, std::ptr::null(), instance, user_data);
        }
    }

    pub(crate) fn on(
        &self,
        stream: &CStr,
        trace_type: u16,
        event: Option<&Event>,
        instance: u64,
        user_data: *const c_void,
    ) {
        // SAFETY: a NUL-terminated name.
        let stream = unsafe { (self.functions.fake_stream)(stream.as_ptr()) };
        self.notify([stream, 0], trace_type, event, instance, user_data);
    }

    pub(crate) fn sycl(&self, trace_type: u16, event: Option<&Event>, instance: u64, text: Option<&CStr>) {
        self.notify(
            self.sycl,
            trace_type,
            event,
            instance,
            text.map_or(std::ptr::null(), CStr::as_ptr).cast(),
        );
    }

    /// Notifies on any stream; the user data is text.
    pub(crate) fn on_stream(
        &self,
        stream: &CStr,
        trace_type: u16,
        event: Option<&Event>,
        instance: u64,
        text: &CStr,
    ) {
        // SAFETY: a NUL-terminated name.
        let stream = unsafe { (self.functions.fake_stream)(stream.as_ptr()) };
        self.notify([stream, 0], trace_type, event, instance, text.as_ptr().cast());
    }

    /// Notifies of a signal; the user data is an event's handle.
    pub(crate) fn signal(&self, event: &Event, instance: u64, handle: u64) {
        self.notify(self.sycl, SIGNAL, Some(event), instance, handle as *const c_void);
    }

    pub(crate) fn memory(
        &self,
        trace_type: u16,
        event: Option<&Event>,
        instance: u64,
        user_data: *const c_void,
    ) {
        self.notify(self.memory, trace_type, event, instance, user_data);
    }

    /// Plays a call of the Unified Runtime: `body` runs between its begin and its end, and returns its result. Each
    /// parameter is a value of 8 bytes; the tracing layer's ABI passes pointers to them.
    pub(crate) fn call(
        &self,
        id: u32,
        name: &CStr,
        parameters: &[u64],
        body: impl FnOnce(&mut [u64]) -> i32,
    ) {
        let instance = next_instance();
        // On the stack, like the tracing layer's own: a call has twenty parameters at most.
        let mut place = [0_u64; 20];
        place[..parameters.len()].copy_from_slice(parameters);
        let parameters = &mut place[..parameters.len()];
        let mut row = [std::ptr::null_mut::<c_void>(); 20];
        for (pointer, parameter) in row.iter_mut().zip(parameters.iter_mut()) {
            *pointer = std::ptr::from_mut(parameter).cast();
        }
        let mut call = FunctionWithArgs {
            id,
            name: name.as_ptr(),
            row: row.as_ptr(),
            result: std::ptr::null(),
            user: 0,
        };
        self.notify(self.call, FUNCTION_WITH_ARGS_BEGIN, None, instance, (&raw const call).cast());
        let result = body(parameters);
        call.result = &raw const result;
        self.notify(self.call, FUNCTION_WITH_ARGS_END, None, instance, (&raw const call).cast());
    }

    pub(crate) fn stash_queue(&self, queue: u64) {
        // SAFETY: a number.
        unsafe { (self.functions.fake_stash_queue)(queue) };
    }

    /// Returns an incomplete event of the adapter with one reference.
    pub(crate) fn ur_event(&self, times: [u64; 4]) -> u64 {
        // SAFETY: numbers.
        unsafe { (self.functions.fake_event)(times[0], times[1], times[2], times[3]) }
    }

    pub(crate) fn complete(&self, event: u64) {
        self.event_status(event, 0);
    }

    /// Completes the event when the device's clock reaches its end.
    pub(crate) fn complete_by_the_clock(&self, event: u64) {
        self.event_status(event, 100);
    }

    pub(crate) fn event_status(&self, event: u64, status: u32) {
        // SAFETY: from `ur_event`.
        unsafe { (self.functions.fake_event_status)(event, status) };
    }

    pub(crate) fn release(&self, event: u64) {
        // SAFETY: from `ur_event`.
        unsafe { (self.functions.fake_event_release)(event) };
    }

    /// Sets the lead of the device's clock over the host's, and its excess speed.
    pub(crate) fn set_device_clock(&self, ahead_ns: u64, drift_ppb: u64) {
        // SAFETY: numbers.
        unsafe { (self.functions.fake_device_clock)(ahead_ns, drift_ppb) };
    }

    /// Sets the delay from a reading of the device's clock to its answer.
    pub(crate) fn set_reading_takes(&self, nanoseconds: u64) {
        // SAFETY: a number.
        unsafe { (self.functions.fake_reading_takes)(nanoseconds) };
    }

    pub(crate) fn device_time(&self, host_ns: u64) -> u64 {
        // SAFETY: a number.
        unsafe { (self.functions.fake_device_time)(host_ns) }
    }

    /// Waits until the recorder has used a reading of the device's clock. Exactly one command must be outstanding.
    pub(crate) fn wait_for_a_reading(&self) {
        let Functions { fake_readings, fake_questions, .. } = self.functions;
        // SAFETY: no arguments.
        let (readings, questions) = (|| unsafe { fake_readings() }, || unsafe { fake_questions() });
        // The recorder reads up to three times for one result, and only then starts the next one.
        let wanted = readings() + 4;
        wait_until("the device's clock is read", || readings() >= wanted);
        // The recorder uses a reading between two queries.
        let wanted = questions() + 2;
        wait_until("the recorder goes on", || questions() >= wanted);
    }

    pub(crate) fn event_references(&self) -> u64 {
        // SAFETY: no arguments.
        unsafe { (self.functions.fake_event_references)() }
    }
}

/// `xpti::function_with_args_t`.
#[repr(C)]
pub(crate) struct FunctionWithArgs {
    pub(crate) id: u32,
    pub(crate) name: *const c_char,
    pub(crate) row: *const *mut c_void,
    pub(crate) result: *const i32,
    pub(crate) user: u64,
}

/// Waits until a condition is true, however long that takes on a busy machine.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < HANGS_AFTER, "it is not so: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn wait_for_status(words: &str) {
    let folder = std::env::var("SYCLSCOPE_STATUS_DIR").expect("the tests set it");
    let path = format!("{folder}/{}.json", std::process::id());
    let says = || std::fs::read_to_string(&path).is_ok_and(|status| status.contains(words));
    wait_until(words, says);
}

/// Waits until the test has seen its condition in the recording, and created the file of this step.
pub(crate) fn wait_for_the_test(step: u32) {
    let path = format!("steps/{step}");
    wait_until("the test has seen enough", || std::path::Path::new(&path).exists());
}

/// Ends this program with its parent, so that a program that waits to be killed does not outlive its test.
pub(crate) fn end_with_the_test() {
    // SAFETY: numbers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Timeout for anything that a test awaits.
const HANGS_AFTER: Duration = Duration::from_secs(300);

/// Returns `CLOCK_MONOTONIC` in nanoseconds.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
