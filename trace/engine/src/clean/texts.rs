//! Texts of all events with their roles, for reading and for replacing.

use rustc_hash::FxHashMap;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{
    Accessor, Allocation, Args, Category, CommandGraph, Device, Dropped, Edge, Event, Execution, Fact, Flow,
    GraphChange, Instant, MemoryObject, NativeHandle, NativeHandleRelease, Node, NodeKind, Pause, Process,
    Queue, SliceBegin, SliceEnd, SourceFile, SourceLocation, StackFrame, Track, TrackKind, Value,
};
use syclscope_language::machine_counters;
use syclscope_language::producer::Producer;

use crate::convention::device_of_stream;
use crate::privacy_scan::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Is(ContentKind),
    /// A name given by the runtime or the recorder, or the name of a kernel that it refers to; it may contain anything
    /// else.
    Words,
    /// A word of the vocabulary that answers depend on.
    Fixed,
    /// The name of a device's stream: queries recognise it by its form, and it ends with the device's name.
    Stream,
}

pub(super) type Change<'c, 'x> = &'c mut dyn FnMut(Role, &'x str) -> &'x str;

#[derive(Clone, Copy, Debug)]
pub(super) struct Author {
    /// True if the recorder is ours: its own words are public.
    pub(super) is_ours: bool,
    /// True if the program named the event itself and chose every argument.
    pub(super) is_marker: bool,
}

/// Open events that the program named itself: a slice's end does not repeat its name.
#[derive(Debug, Default)]
pub(super) struct Open {
    markers: FxHashMap<u64, Vec<bool>>,
    is_ours: bool,
}

impl Open {
    pub(super) fn author(&mut self, event: &Event<'_>) -> Author {
        if let Event::Process(Process { recorder, .. }) = event {
            self.is_ours = words::is_own_recorder(recorder);
        }
        Author { is_marker: self.is_marker(event), is_ours: self.is_ours }
    }

    fn is_marker(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::SliceBegin(SliceBegin { track, category, name, .. }) => {
                let is_marker = words::is_marker(*category, name);
                self.markers.entry(*track).or_default().push(is_marker);
                is_marker
            }
            Event::SliceEnd(SliceEnd { track, .. }) => {
                self.markers.get_mut(track).and_then(Vec::pop).unwrap_or_default()
            }
            Event::Instant(Instant { category, name, .. }) => words::is_marker(*category, name),
            _ => false,
        }
    }
}

pub(super) fn args_of<'x>(event: &Event<'x>) -> Args<'x> {
    match event {
        Event::SliceBegin(SliceBegin { args, .. })
        | Event::SliceEnd(SliceEnd { args, .. })
        | Event::Instant(Instant { args, .. })
        | Event::Node(Node { args, .. })
        | Event::Execution(Execution { args, .. })
        | Event::Device(Device { args, .. })
        | Event::MemoryObject(MemoryObject { args, .. })
        | Event::Accessor(Accessor { args, .. })
        | Event::CommandGraph(CommandGraph { args, .. })
        | Event::GraphChange(GraphChange { args, .. }) => args,
        _ => &[],
    }
}

pub(super) fn with_args<'x>(
    event: &Event<'x>,
    author: Author,
    change: Change<'_, 'x>,
) -> Vec<(&'x str, Value<'x>)> {
    let of_device = matches!(event, Event::Device(_));
    let of_kernel = matches!(event, Event::Node(Node { kind: NodeKind::Kernel, .. }));
    let Author { is_ours, is_marker } = author;
    let role = |key: &str, text: &str| match words::kind_of_key(key) {
        // An empty text has no replacement.
        _ if text.is_empty() || !is_ours && words::is_known_value(key, text) => Role::Fixed,
        _ if is_marker || !is_ours => Role::Is(ContentKind::Arguments),
        // In commands other than kernels, this argument is a word of the runtime.
        Some(ContentKind::Kernels) if !of_kernel && key == "kernel_name" => Role::Words,
        Some(ContentKind::Functions) if words::is_common_type(text) => Role::Fixed,
        Some(ContentKind::Devices) if words::ORDINARY.contains(&text) => Role::Fixed,
        Some(kind) => Role::Is(kind),
        None if words::is_runtimes(key, text) => Role::Fixed,
        None if of_device => Role::Words,
        None => Role::Is(ContentKind::Arguments),
    };
    let of_key = |key: &str| {
        if is_ours && !is_marker || !is_ours && words::is_known_key(key) {
            Role::Fixed
        } else {
            Role::Is(ContentKind::Arguments)
        }
    };
    let changed = args_of(event).iter().map(|(key, value)| {
        let value = match *value {
            Value::Str(text) => Value::Str(change(role(key, text), text)),
            value => value,
        };
        (change(of_key(key), key), value)
    });
    changed.collect()
}

pub(super) fn with_texts<'x>(
    event: &Event<'x>,
    author: Author,
    args: Args<'x>,
    change: Change<'_, 'x>,
) -> Event<'x> {
    use ContentKind::{CommandLine, Devices, Functions, Hosts, Kernels, Markers, Paths, Programs, Sources};
    let mut event = *event;
    match &mut event {
        Event::Process(Process { name, command_line, host, recorder, .. }) => {
            *name = change(Role::Is(Programs), name);
            *command_line = change(Role::Is(CommandLine), command_line);
            *host = change(Role::Is(Hosts), host);
            let is_known = author.is_ours || Producer::from_word(recorder).is_some();
            *recorder = change(if is_known { Role::Fixed } else { Role::Is(Programs) }, recorder);
        }
        Event::Track(Track { kind, name, .. }) => *name = change(of_track(*kind, name, author), name),
        Event::Queue(Queue { device, device_type, .. }) => {
            *device = change(Role::Is(Devices), device);
            *device_type = change(Role::Fixed, device_type);
        }
        Event::SliceBegin(SliceBegin { category, name, location, args: own, .. })
        | Event::Instant(Instant { category, name, location, args: own, .. }) => {
            *name = change(of_slice(*category, author), name);
            place(location, change);
            *own = args;
        }
        Event::SliceEnd(SliceEnd { args: own, .. }) => *own = args,
        Event::Node(Node { kind, name, location, args: own, .. }) => {
            *name = change(if *kind == NodeKind::Kernel { Role::Is(Kernels) } else { Role::Words }, name);
            place(location, change);
            *own = args;
        }
        Event::Execution(Execution { kind, name, args: own, .. }) => {
            *name = change(if *kind == NodeKind::Kernel { Role::Is(Kernels) } else { Role::Words }, name);
            *own = args;
        }
        Event::Edge(Edge { access_mode, .. }) => *access_mode = change(Role::Fixed, access_mode),
        Event::Allocation(Allocation { device, location, .. }) => {
            *device = change(Role::Is(Devices), device);
            place(location, change);
        }
        Event::Dropped(Dropped { kind, .. }) => *kind = change(Role::Fixed, kind),
        Event::Device(Device { name, device_type, platform, driver, args: own, .. }) => {
            *name = change(Role::Is(Devices), name);
            *device_type = change(Role::Fixed, device_type);
            *platform = change(Role::Words, platform);
            *driver = change(Role::Words, driver);
            *own = args;
        }
        Event::Fact(Fact { name, value, .. }) => {
            *name = change(Role::Words, name);
            *value = change(Role::Words, value);
        }
        Event::SourceFile(SourceFile { name, sha256, text, .. }) => {
            *name = change(Role::Is(Paths), name);
            *sha256 = change(Role::Fixed, sha256);
            *text = change(Role::Is(Sources), text);
        }
        Event::Pause(Pause { reason, .. }) => *reason = change(Role::Words, reason),
        Event::MemoryObject(MemoryObject { element_type, location, args: own, .. }) => {
            let is_common = words::is_common_type(element_type);
            *element_type = change(if is_common { Role::Fixed } else { Role::Is(Functions) }, element_type);
            place(location, change);
            *own = args;
        }
        Event::Accessor(Accessor { target, mode, location, args: own, .. }) => {
            *target = change(Role::Fixed, target);
            *mode = change(Role::Fixed, mode);
            place(location, change);
            *own = args;
        }
        Event::CommandGraph(CommandGraph { location, args: own, .. }) => {
            place(location, change);
            *own = args;
        }
        Event::GraphChange(GraphChange { args: own, .. }) => *own = args,
        Event::NativeHandle(NativeHandle { object, location, .. }) => {
            *object = change(Role::Fixed, object);
            place(location, change);
        }
        Event::NativeHandleRelease(NativeHandleRelease { object, .. }) => {
            *object = change(Role::Fixed, object)
        }
        Event::StackFrame(StackFrame { module, location, .. }) => {
            *module = change(Role::Is(Paths), module);
            place(location, change);
        }
        Event::Flow(Flow { name, .. }) => *name = change(Role::Is(Markers), name),
        Event::Sample(_)
        | Event::QueueDestroy { .. }
        | Event::Release(_)
        | Event::Counter(_)
        | Event::DeviceClock(_)
        | Event::ObjectBinding(_)
        | Event::ObjectDestroy(_)
        | Event::GraphCommand(_)
        | Event::GraphRun(_)
        | Event::Untimed(_)
        | Event::TrackOrder(_)
        | Event::Finish { .. }
        | Event::PartEnd { .. } => {}
    }
    event
}

fn place<'x>(location: &mut SourceLocation<'x>, change: Change<'_, 'x>) {
    location.function = change(Role::Is(ContentKind::Functions), location.function);
    location.file = change(Role::Is(ContentKind::Paths), location.file);
}

fn of_track(kind: TrackKind, name: &str, Author { is_ours, .. }: Author) -> Role {
    match kind {
        TrackKind::Thread if is_ours && words::is_own_thread(name) => Role::Fixed,
        TrackKind::Process | TrackKind::Thread => Role::Is(ContentKind::Programs),
        TrackKind::Device => Role::Is(ContentKind::Devices),
        TrackKind::Queue if is_ours => Role::Words,
        TrackKind::Counter if is_ours && words::is_own_counter(name) => Role::Words,
        TrackKind::Stream if is_ours && words::is_own_stream(name) => Role::Words,
        TrackKind::Other if is_ours && name == machine_counters::GROUP => Role::Fixed,
        TrackKind::Other if is_ours && device_of_stream(name).is_some() => Role::Stream,
        _ => Role::Is(ContentKind::Markers),
    }
}

fn of_slice(category: Category, author: Author) -> Role {
    match category {
        Category::Kernel => Role::Is(ContentKind::Kernels),
        _ if author.is_marker || !author.is_ours => Role::Is(ContentKind::Markers),
        _ => Role::Words,
    }
}
