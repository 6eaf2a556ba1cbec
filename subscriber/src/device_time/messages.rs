//! Messages about device times from the recorded program to the process that writes the file.

use syclscope_language::event::{DeviceClock, Event, EventSink, Fact, FactKind};
use syclscope_language::time::Timestamp;

use super::outstanding::DeviceAnswers;
use crate::serialize::{Parcel, Unpacking};
use crate::xpti::Answer;

#[derive(Debug)]
pub(crate) enum DeviceMessage {
    DeviceAnswers(DeviceAnswers),
    Note(String),
    Failure(String),
}

const CLOCK: u64 = 0;
const DEVICE_ANSWERS: u64 = 1;
const NOTE: u64 = 2;
const FAILURE: u64 = 3;
const FACT: u64 = 4;

/// Encodes an event that arises only where device events are read; `None` for others.
pub(crate) fn encode_event(event: &Event<'_>) -> Option<Vec<u8>> {
    let mut parcel = Parcel::default();
    match event {
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
    Some(parcel.into_bytes())
}

pub(crate) fn encode_device_answers(record: &DeviceAnswers) -> Vec<u8> {
    let mut parcel = Parcel::default();
    parcel.word(DEVICE_ANSWERS).word(record.device);
    for (name, answer) in &record.answers {
        parcel.bytes(name.as_bytes());
        match answer {
            Answer::Text(text) => parcel.word(0).bytes(text.as_bytes()),
            Answer::Number(number) => parcel.word(1).word(*number),
            Answer::Truth(truth) => parcel.word(2).word((*truth).into()),
        };
    }
    parcel.into_bytes()
}

/// Encodes a text for the user: the reason why recording stopped, or a note.
pub(crate) fn encode_text(text: &str, is_failure: bool) -> Vec<u8> {
    let mut parcel = Parcel::default();
    parcel.word(if is_failure { FAILURE } else { NOTE }).bytes(text.as_bytes());
    parcel.into_bytes()
}

/// Decodes a message; `None` for an event, which goes to the sink, and for an invalid message.
pub(crate) fn decode(message: &[u8], sink: &mut dyn EventSink) -> Option<DeviceMessage> {
    let mut parcel = Unpacking(message);
    match parcel.word()? {
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
            None
        }
        DEVICE_ANSWERS => {
            let device = parcel.word()?;
            let mut answers = Vec::new();
            while let Some(name) = parcel.text() {
                let answer = match parcel.word()? {
                    0 => Answer::Text(parcel.text()?.into_owned()),
                    1 => Answer::Number(parcel.word()?),
                    2 => Answer::Truth(parcel.word()? != 0),
                    _ => return None,
                };
                answers.push((name.into_owned().into(), answer));
            }
            Some(DeviceMessage::DeviceAnswers(DeviceAnswers { device, answers }))
        }
        FACT => {
            let at = Timestamp(parcel.word()?);
            let [kind, name, value] = [parcel.text()?, parcel.text()?, parcel.text()?];
            let kind = FactKind::from_text(&kind);
            sink.event(&Event::Fact(Fact { at, kind, name: &name, value: &value }));
            None
        }
        NOTE => Some(DeviceMessage::Note(parcel.text()?.into_owned())),
        FAILURE => Some(DeviceMessage::Failure(parcel.text()?.into_owned())),
        _ => None,
    }
}
