//! A program with a static part of ITT: the library that `INTEL_LIBITTNOTIFY64` names gets its table of functions, and
//! sets the program's pointers to them.
//!
//! Prints the expected recording: `range TRACK | NAME | DETAILS`, `point NAME`, `counter NAME = VALUES`,
//! `pause true`.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::runtime::monotonic_ns;

/// `__itt_global` of version 3.
#[repr(C)]
struct Global {
    magic: [u8; 8],
    version: [c_ulong; 3],
    state: [c_long; 3],
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error_handler: *mut c_void,
    library_path: *mut *const c_char,
    functions: *const Api,
    next: *mut c_void,
    threads: *mut c_void,
    domains: *mut Domain,
}

/// `__itt_api_info`.
#[repr(C)]
struct Api {
    name: *const c_char,
    function: *const AtomicPtr<c_void>,
    init: *const c_void,
    nothing: *const c_void,
    group: c_int,
}

/// `__itt_domain`.
#[repr(C)]
struct Domain {
    is_enabled: c_int,
    name: *const c_char,
    wide: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *mut Self,
}

/// `__itt_id`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Id(u64, u64, u64);

const NO_ID: Id = Id(0, 0, 0);

type Text = *const c_void;
type OfDomain = unsafe extern "C" fn(*const Domain);
type Begin = unsafe extern "C" fn(*const Domain, Id, Id, Text);
type End = unsafe extern "C" fn(*const Domain, Id);
type Frame = unsafe extern "C" fn(*const Domain, *const Id);
type Plain = unsafe extern "C" fn();
type OfEvent = unsafe extern "C" fn(c_int) -> c_int;
type SetCounter = unsafe extern "C" fn(*const c_void, *const c_void);

const NAMES: [&CStr; 34] = [
    c"__itt_domain_create",
    c"__itt_string_handle_create",
    c"__itt_task_begin",
    c"__itt_task_begin_fn",
    c"__itt_task_end",
    c"__itt_task_begin_overlapped",
    c"__itt_task_end_overlapped",
    c"__itt_region_begin",
    c"__itt_region_end",
    c"__itt_frame_begin_v3",
    c"__itt_frame_end_v3",
    c"__itt_marker",
    c"__itt_event_create",
    c"__itt_event_start",
    c"__itt_event_end",
    c"__itt_metadata_add",
    c"__itt_metadata_str_add",
    c"__itt_counter_create",
    c"__itt_counter_create_typed",
    c"__itt_counter_create_v3",
    c"__itt_counter_set_value",
    c"__itt_counter_inc",
    c"__itt_counter_inc_delta",
    c"__itt_counter_dec",
    c"__itt_counter_dec_delta",
    c"__itt_counter_inc_v3",
    c"__itt_counter_inc_delta_v3",
    c"__itt_counter_dec_v3",
    c"__itt_counter_dec_delta_v3",
    c"__itt_pause",
    c"__itt_resume",
    c"__itt_pause_scoped",
    c"__itt_resume_scoped",
    // The recorder lacks this function.
    c"__itt_sync_create",
];

/// The program's pointers to functions.
static PLACES: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; NAMES.len()];

extern "C" fn nothing() {}

fn place(name: &str) -> &'static AtomicPtr<c_void> {
    let number = NAMES.iter().position(|known| known.to_str() == Ok(&format!("__itt_{name}")));
    &PLACES[number.unwrap_or_else(|| panic!("no function {name}"))]
}

fn get<F: Copy>(name: &str) -> F {
    let found = place(name).load(Ordering::Relaxed);
    assert!(!found.is_null() && size_of::<F>() == size_of::<*mut c_void>());
    // SAFETY: a pointer to a function of the type that ITT gives this name.
    unsafe { std::mem::transmute_copy(&found) }
}

/// Initialises the static part, which already has these domains; returns those that stay enabled.
fn init(domains: &[&'static CStr]) -> Vec<String> {
    let mut first: *mut Domain = std::ptr::null_mut();
    let none = std::ptr::null();
    for name in domains {
        let domain =
            Domain { is_enabled: 1, name: name.as_ptr(), wide: none, extra: 0, more: none, next: first };
        first = Box::into_raw(Box::new(domain));
    }
    let nothing = nothing as *const c_void;
    let api = |(name, function): (&&CStr, *const AtomicPtr<c_void>)| Api {
        name: name.as_ptr(),
        function,
        init: std::ptr::null(),
        nothing,
        group: 0,
    };
    let mut functions: Vec<Api> = NAMES.iter().zip(PLACES.iter().map(std::ptr::from_ref)).map(api).collect();
    functions.push(Api { name: std::ptr::null(), function: std::ptr::null(), init: none, nothing, group: 0 });
    let null = std::ptr::null_mut();
    let global = Box::leak(Box::new(Global {
        magic: *b"\xed\xab\xab\xec\x0d\xee\xda\x30",
        version: [3, 0, 0],
        state: [1, 1, 0],
        mutex: libc::PTHREAD_MUTEX_INITIALIZER,
        library: null,
        error_handler: null,
        library_path: std::ptr::null_mut(),
        functions: functions.leak().as_ptr(),
        next: null,
        threads: null,
        domains: first,
    }));
    let path = CString::new(std::env::var("INTEL_LIBITTNOTIFY64").unwrap()).unwrap();
    // SAFETY: a NUL-terminated path of a library, and its function, which gets the static part's own structure.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        let found = libc::dlsym(library, c"__itt_api_init".as_ptr());
        assert!(!found.is_null(), "the library can't be loaded, or has no __itt_api_init");
        std::mem::transmute::<*mut c_void, extern "C" fn(*mut Global, c_int)>(found)(global, 0);
    }
    let mut enabled = Vec::new();
    let mut next = first;
    // SAFETY: the domains created above.
    while let Some(domain) = unsafe { next.as_ref() } {
        if domain.is_enabled != 0 {
            // SAFETY: NUL-terminated.
            enabled.push(unsafe { CStr::from_ptr(domain.name) }.to_string_lossy().into_owned());
        }
        next = domain.next;
    }
    enabled
}

/// Returns a domain, and true if it is enabled.
fn domain(name: &CStr) -> (*const Domain, bool) {
    type Create = unsafe extern "C" fn(*const c_char) -> *const Domain;
    // SAFETY: a NUL-terminated name; the domain stays.
    unsafe {
        let domain = get::<Create>("domain_create")(name.as_ptr());
        (domain, (*domain).is_enabled != 0)
    }
}

fn text(text: &CStr) -> Text {
    // SAFETY: a NUL-terminated text.
    unsafe { get::<unsafe extern "C" fn(*const c_char) -> Text>("string_handle_create")(text.as_ptr()) }
}

/// Waits until the clock has advanced, so that no range is empty.
fn tick() {
    let begin = monotonic_ns();
    while monotonic_ns() == begin {}
}

pub(crate) fn itt() {
    println!("enabled {:?}", init(&[c"early", c"OMP Metadata"]));
    let (solver, is_enabled) = domain(c"solver");
    let (loops, is_of_loops) = domain(c"OMP Metadata");
    println!("enabled solver {is_enabled}, OMP Metadata {is_of_loops}");
    let is_nothing = place("sync_create").load(Ordering::Relaxed).cast_const() == nothing as *const c_void;
    println!("what the recorder lacks does nothing: {is_nothing}");
    // SAFETY: functions of the types that ITT gives these names, with domains and texts from them.
    unsafe {
        tasks(solver);
        // oneTBB enables its domain itself.
        task(domain(c"tbb").0, c"tbb_custom", None);
        overlapping(solver);
        events();
        counters(solver, loops);
        pauses(solver);
    }
}

/// Plays a pause before anything is recorded.
pub(crate) fn paused_first() {
    init(&[]);
    let (solver, _) = domain(c"solver");
    // SAFETY: as above.
    unsafe {
        get::<Plain>("pause")();
        task(solver, c"before", None);
        get::<Plain>("resume")();
        println!("pause true");
        println!("pause false");
        task(solver, c"after", Some("ITT: solver | after |"));
    }
}

unsafe fn task(domain: *const Domain, name: &CStr, recorded: Option<&str>) {
    recorded.iter().for_each(|line| println!("range {line}"));
    // SAFETY: the caller's promise.
    unsafe {
        get::<Begin>("task_begin")(domain, NO_ID, NO_ID, text(name));
        tick();
        get::<OfDomain>("task_end")(domain);
    }
}

unsafe fn tasks(solver: *const Domain) {
    type Values = unsafe extern "C" fn(*const Domain, Id, Text, c_int, usize, *const c_void);
    type Words = unsafe extern "C" fn(*const Domain, Id, Text, *const c_char, usize);
    type Marker = unsafe extern "C" fn(*const Domain, Id, Text, c_int);
    type Function = unsafe extern "C" fn(*const Domain, Id, Id, *const c_void);
    // SAFETY: the caller's promise.
    unsafe {
        println!("range ITT: solver | step | size=2, 3");
        get::<Begin>("task_begin")(solver, Id(1, 2, 3), NO_ID, text(c"step"));
        tick();
        println!("range ITT: solver | inner | note=halo");
        get::<Begin>("task_begin")(solver, NO_ID, NO_ID, text(c"inner"));
        // The text is not NUL-terminated there.
        get::<Words>("metadata_str_add")(solver, NO_ID, text(c"note"), c"halo and more".as_ptr(), 4);
        let sizes = [2_u64, 3];
        get::<Values>("metadata_add")(solver, Id(1, 2, 3), text(c"size"), 1, 2, sizes.as_ptr().cast());
        println!("point converged");
        get::<Marker>("marker")(solver, NO_ID, text(c"converged"), 4);
        tick();
        get::<OfDomain>("task_end")(solver);
        get::<OfDomain>("task_end")(solver);
        println!("range ITT: solver | task | function_pointer=4660");
        get::<Function>("task_begin_fn")(solver, NO_ID, NO_ID, 0x1234 as *const c_void);
        tick();
        get::<OfDomain>("task_end")(solver);
    }
}

unsafe fn overlapping(solver: *const Domain) {
    // SAFETY: the caller's promise.
    unsafe {
        let (first, second, region) = (Id(10, 0, 0), Id(20, 0, 0), Id(30, 0, 0));
        println!("range ITT: solver (start, end) | first |");
        get::<Begin>("task_begin_overlapped")(solver, first, NO_ID, text(c"first"));
        println!("range ITT: solver (start, end) 2 | second |");
        get::<Begin>("task_begin_overlapped")(solver, second, NO_ID, text(c"second"));
        tick();
        get::<End>("task_end_overlapped")(solver, first);
        println!("range ITT: solver (start, end) | region |");
        get::<Begin>("region_begin")(solver, region, NO_ID, text(c"region"));
        tick();
        get::<End>("task_end_overlapped")(solver, second);
        get::<End>("region_end")(solver, region);
        println!("range ITT: solver (start, end) | frame |");
        get::<Frame>("frame_begin_v3")(solver, std::ptr::null());
        println!("range ITT: solver (start, end) 2 | frame |");
        get::<Frame>("frame_begin_v3")(solver, &region);
        tick();
        get::<Frame>("frame_end_v3")(solver, std::ptr::null());
        get::<Frame>("frame_end_v3")(solver, &region);
    }
}

/// Plays events; one name has a length instead of a terminator.
unsafe fn events() {
    type Create = unsafe extern "C" fn(*const c_char, c_int) -> c_int;
    // SAFETY: the caller's promise.
    unsafe {
        let name = [b'l', b'o', b'a', b'd', b'!', b'!'];
        let load = get::<Create>("event_create")(name.as_ptr().cast(), 4);
        println!("range ITT: events (start, end) | load |");
        get::<OfEvent>("event_start")(load);
        tick();
        get::<OfEvent>("event_end")(load);
    }
}

unsafe fn counters(solver: *const Domain, loops: *const Domain) {
    type Create = unsafe extern "C" fn(*const c_char, *const c_char) -> *const c_void;
    type CreateTyped = unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> *const c_void;
    type CreateIn = unsafe extern "C" fn(*const Domain, *const c_char, c_int) -> *const c_void;
    type One = unsafe extern "C" fn(*const c_void);
    type Some = unsafe extern "C" fn(*const c_void, u64);
    type OneIn = unsafe extern "C" fn(*const Domain, Text);
    type SomeIn = unsafe extern "C" fn(*const Domain, Text, u64);
    // SAFETY: the caller's promise.
    unsafe {
        let parts = get::<Create>("counter_create")(c"parts".as_ptr(), c"solver".as_ptr());
        println!("counter ITT: solver: parts = [1.0, 6.0, 5.0, 2.0]");
        get::<One>("counter_inc")(parts);
        get::<Some>("counter_inc_delta")(parts, 5);
        get::<One>("counter_dec")(parts);
        get::<Some>("counter_dec_delta")(parts, 3);
        let residual =
            get::<CreateTyped>("counter_create_typed")(c"residual".as_ptr(), c"solver".as_ptr(), 8);
        println!("counter ITT: solver: residual = [0.5]");
        get::<SetCounter>("counter_set_value")(residual, std::ptr::from_ref(&0.5_f64).cast());
        // One name with two types: two counters.
        println!("counter ITT: solver: work = [0.5, 7.0]");
        let work = get::<CreateTyped>("counter_create_typed")(c"work".as_ptr(), c"solver".as_ptr(), 8);
        get::<SetCounter>("counter_set_value")(work, std::ptr::from_ref(&0.5_f64).cast());
        let work = get::<CreateTyped>("counter_create_typed")(c"work".as_ptr(), c"solver".as_ptr(), 1);
        get::<SetCounter>("counter_set_value")(work, std::ptr::from_ref(&7_u64).cast());
        let rank = get::<CreateIn>("counter_create_v3")(solver, c"rank".as_ptr(), 4);
        println!("counter ITT: solver: rank = [-3.0]");
        get::<SetCounter>("counter_set_value")(rank, std::ptr::from_ref(&-3_i32).cast());
        // A name of a domain, without a counter of its own.
        let long = CString::new("long".repeat(70)).unwrap();
        for name in [c"cells", long.as_c_str()] {
            println!("counter ITT: solver: {} = [1.0, 6.0, 5.0, 2.0]", name.to_string_lossy());
            let name = text(name);
            get::<OneIn>("counter_inc_v3")(solver, name);
            get::<SomeIn>("counter_inc_delta_v3")(solver, name, 5);
            get::<OneIn>("counter_dec_v3")(solver, name);
            get::<SomeIn>("counter_dec_delta_v3")(solver, name, 3);
        }
        // The domain is disabled.
        println!("counter ITT: OMP Metadata: count = []");
        for count in [
            get::<CreateIn>("counter_create_v3")(loops, c"count".as_ptr(), 1),
            get::<Create>("counter_create")(c"count".as_ptr(), c"OMP Metadata".as_ptr()),
        ] {
            get::<One>("counter_inc")(count);
        }
    }
}

/// Plays pauses; a scope other than the host's has no effect.
unsafe fn pauses(solver: *const Domain) {
    type Scoped = unsafe extern "C" fn(c_int);
    // SAFETY: the caller's promise.
    unsafe {
        for is_scoped in [false, true] {
            println!("pause true");
            if is_scoped {
                get::<Scoped>("pause_scoped")(1)
            } else {
                get::<Plain>("pause")()
            }
            task(solver, c"left out", None);
            println!("pause false");
            if is_scoped {
                get::<Scoped>("resume_scoped")(1)
            } else {
                get::<Plain>("resume")()
            }
            get::<Scoped>("pause_scoped")(2);
            task(solver, c"goes on", Some("ITT: solver | goes on |"));
        }
    }
}
