//! What is read in the program and told in another process, as messages.

use syclscope_language::event::{
    DeviceClock, Event, EventSink, Execution, Fact, FactKind, NoTime, NodeKind, Untimed, Value,
};
use syclscope_language::time::Timestamp;

use super::outstanding::{Asked, Kept, Wait};
use crate::parcel::{Parcel, Unpacking};
use crate::xpti::Answer;

/// What another process asks the program for.
#[derive(Debug)]
pub(crate) enum Question {
    /// The times of a command.
    Times(Box<Kept>),
    /// Nothing: the reference to this event is given back.
    GiveBack(u64),
    /// Nothing: the program has waited for commands.
    Wait(Wait),
}

const TIMES: u64 = 0;
const GIVE_BACK: u64 = 1;
const WAIT: u64 = 2;

impl Question {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut parcel = Parcel::default();
        match self {
            Self::GiveBack(event) => parcel.word(GIVE_BACK).word(*event),
            Self::Wait(Wait { queue, events, begin_ns, end_ns }) => {
                parcel.word(WAIT).word(*queue).word(*begin_ns).word(*end_ns);
                events.iter().fold(&mut parcel, |parcel, event| parcel.word(*event))
            }
            Self::Times(kept) => {
                let Kept { event, node, queue, device, kind, name, device_name, .. } = &**kept;
                let Kept { called_ns, returned_ns, done_ns, size_bytes, launch, .. } = **kept;
                parcel.word(TIMES);
                for word in [*event, *node, *queue, *device, called_ns, returned_ns, done_ns] {
                    parcel.word(word);
                }
                for text in [kind.as_str(), name, device_name] {
                    parcel.bytes(text.as_bytes());
                }
                parcel.option(size_bytes).word(launch.is_some().into());
                let (global, local) = launch.unwrap_or_default();
                global.into_iter().chain(local).fold(&mut parcel, |parcel, size| parcel.word(size))
            }
        };
        parcel.done()
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parcel = Unpacking(bytes);
        match parcel.word()? {
            GIVE_BACK => return Some(Self::GiveBack(parcel.word()?)),
            WAIT => {
                let [queue, begin_ns, end_ns] = [parcel.word()?, parcel.word()?, parcel.word()?];
                let events = std::iter::from_fn(|| parcel.word()).collect();
                return Some(Self::Wait(Wait { queue, events, begin_ns, end_ns }));
            }
            _ => {}
        }
        let mut word = || parcel.word();
        let [event, node, queue, device] = [word()?, word()?, word()?, word()?];
        let [called_ns, returned_ns, done_ns] = [word()?, word()?, word()?];
        let kind = NodeKind::from_text(&parcel.text()?);
        let [name, device_name] = [parcel.text()?.into(), parcel.text()?.into()];
        let size_bytes = parcel.option()?;
        let has_launch = parcel.word()? != 0;
        let mut size = || Some([parcel.word()?, parcel.word()?, parcel.word()?]);
        let launch = Some((size()?, size()?)).filter(|_| has_launch);
        Some(Self::Times(Box::new(Kept {
            event,
            node,
            queue,
            device,
            kind,
            name,
            device_name,
            called_ns,
            returned_ns,
            pending_ns: 0,
            done_ns,
            size_bytes,
            launch,
            is_unfinished: false,
        })))
    }
}

/// What the program tells.
#[derive(Debug)]
pub(crate) enum Told {
    /// An event was told to the sink.
    Event,
    Asked(Asked),
    /// So many times were impossible so far.
    Impossible(u64),
    /// For the user.
    Note(String),
    /// Why recording was given up.
    Failure(String),
}

const EXECUTION: u64 = 0;
const UNTIMED: u64 = 1;
const CLOCK: u64 = 2;
const ASKED: u64 = 3;
const NOTE: u64 = 4;
const FAILURE: u64 = 5;
const IMPOSSIBLE: u64 = 6;
const FACT: u64 = 7;

/// An event that is known only where events are read, as a message; nothing for others.
pub(crate) fn of_event(event: &Event<'_>) -> Option<Vec<u8>> {
    let mut parcel = Parcel::default();
    match event {
        Event::Execution(execution) => {
            let Execution { node, queue, kind, name, queued, submitted, start, end, args } = *execution;
            parcel.word(EXECUTION).word(node).word(queue);
            parcel.bytes(kind.as_str().as_bytes()).bytes(name.as_bytes());
            parcel.option(queued.map(|time| time.0)).option(submitted.map(|time| time.0));
            parcel.word(start.0).word(end.0).word(args.len() as u64);
            for (name, value) in args {
                add_value(parcel.bytes(name.as_bytes()), *value);
            }
        }
        Event::Untimed(Untimed { node, at, reason }) => {
            parcel.word(UNTIMED).word(*node).word(at.0).bytes(reason.as_str().as_bytes());
        }
        Event::DeviceClock(clock) => {
            let DeviceClock { device_handle, at, pairs, offset_ns, drift_ppb, residual_ns } = *clock;
            parcel.word(CLOCK);
            for word in [device_handle, at.0, pairs, offset_ns as u64, drift_ppb as u64, residual_ns] {
                parcel.word(word);
            }
        }
        Event::Fact(fact) => {
            parcel.word(FACT).word(fact.at.0);
            for text in [fact.kind.as_str(), fact.name, fact.value] {
                parcel.bytes(text.as_bytes());
            }
        }
        _ => return None,
    }
    Some(parcel.done())
}

/// What a device has answered, as a message.
pub(crate) fn of_asked(asked: &Asked) -> Vec<u8> {
    let mut parcel = Parcel::default();
    parcel.word(ASKED).word(asked.device);
    for (name, answer) in &asked.answers {
        let value = match answer {
            Answer::Text(text) => Value::Str(text),
            Answer::Number(number) => Value::Uint(*number),
            Answer::Truth(truth) => Value::Bool(*truth),
        };
        add_value(parcel.bytes(name.as_bytes()), value);
    }
    parcel.done()
}

/// How many times were impossible so far, as a message.
pub(crate) fn of_impossible(count: u64) -> Vec<u8> {
    let mut parcel = Parcel::default();
    parcel.word(IMPOSSIBLE).word(count);
    parcel.done()
}

/// Words for the user as a message: that recording was given up, or a note.
pub(crate) fn of_words(text: &str, is_failure: bool) -> Vec<u8> {
    let mut parcel = Parcel::default();
    parcel.word(if is_failure { FAILURE } else { NOTE }).bytes(text.as_bytes());
    parcel.done()
}

/// Takes a message in: events go to the sink. Nothing for a message that is none.
pub(crate) fn take(message: &[u8], sink: &mut dyn EventSink) -> Option<Told> {
    let mut parcel = Unpacking(message);
    match parcel.word()? {
        EXECUTION => {
            let [node, queue] = [parcel.word()?, parcel.word()?];
            let kind = NodeKind::from_text(&parcel.text()?);
            let name = parcel.text()?;
            let times = [parcel.option()?, parcel.option()?];
            let [queued, submitted] = times.map(|time| time.map(Timestamp));
            let [start, end] = [Timestamp(parcel.word()?), Timestamp(parcel.word()?)];
            let mut args = Vec::new();
            for _ in 0..parcel.word()? {
                args.push((parcel.text()?, value(&mut parcel)?));
            }
            let args: Vec<(&str, Value<'_>)> =
                args.iter().map(|(name, value)| (name.as_ref(), *value)).collect();
            let args = &args;
            sink.event(&Event::Execution(Execution {
                node,
                queue,
                kind,
                name: &name,
                queued,
                submitted,
                start,
                end,
                args,
            }));
            Some(Told::Event)
        }
        UNTIMED => {
            let (node, at) = (parcel.word()?, Timestamp(parcel.word()?));
            let reason = parcel.text()?;
            let reason = NoTime::from_text(&reason);
            sink.event(&Event::Untimed(Untimed { node, at, reason }));
            Some(Told::Event)
        }
        CLOCK => {
            let mut word = || parcel.word();
            let [device_handle, at, pairs] = [word()?, word()?, word()?];
            let [offset_ns, drift_ppb, residual_ns] = [word()? as i64, word()? as i64, word()? as i64];
            let (at, residual_ns) = (Timestamp(at), residual_ns as u64);
            sink.event(&Event::DeviceClock(DeviceClock {
                device_handle,
                at,
                pairs,
                offset_ns,
                drift_ppb,
                residual_ns,
            }));
            Some(Told::Event)
        }
        ASKED => {
            let device = parcel.word()?;
            let mut answers = Vec::new();
            while let Some(name) = parcel.text() {
                let answer = match value(&mut parcel)? {
                    Value::Str(text) => Answer::Text(text.to_owned()),
                    Value::Bool(truth) => Answer::Truth(truth),
                    Value::Uint(number) => Answer::Number(number),
                    _ => return None,
                };
                answers.push((name.into_owned().into(), answer));
            }
            Some(Told::Asked(Asked { device, answers }))
        }
        FACT => {
            let at = Timestamp(parcel.word()?);
            let [kind, name, value] = [parcel.text()?, parcel.text()?, parcel.text()?];
            let kind = FactKind::from_text(&kind);
            sink.event(&Event::Fact(Fact { at, kind, name: &name, value: &value }));
            Some(Told::Event)
        }
        IMPOSSIBLE => Some(Told::Impossible(parcel.word()?)),
        NOTE => Some(Told::Note(parcel.text()?.into_owned())),
        FAILURE => Some(Told::Failure(parcel.text()?.into_owned())),
        _ => None,
    }
}

fn add_value(parcel: &mut Parcel, value: Value<'_>) {
    match value {
        Value::Str(text) => parcel.word(0).bytes(text.as_bytes()),
        Value::Int(value) => parcel.word(1).word(value as u64),
        Value::Uint(value) => parcel.word(2).word(value),
        Value::Float(value) => parcel.word(3).word(value.to_bits()),
        Value::Bool(value) => parcel.word(4).word(value.into()),
        Value::Pointer(value) => parcel.word(5).word(value),
    };
}

fn value<'a>(parcel: &mut Unpacking<'a>) -> Option<Value<'a>> {
    Some(match parcel.word()? {
        0 => Value::Str(std::str::from_utf8(parcel.bytes()?).ok()?),
        1 => Value::Int(parcel.word()? as i64),
        2 => Value::Uint(parcel.word()?),
        3 => Value::Float(f64::from_bits(parcel.word()?)),
        4 => Value::Bool(parcel.word()? != 0),
        5 => Value::Pointer(parcel.word()?),
        _ => return None,
    })
}
