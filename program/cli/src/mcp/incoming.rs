//! The client's messages, which are read while a request is processed, since one of them may cancel it.

use std::io::BufRead as _;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use syclscope_engine::cancel::Work;

/// Maximum number of queued messages. Beyond it the client has to wait.
const WAITING: usize = 1_000;

/// A line from the client; `None` if it is not JSON.
pub(super) type Line = std::io::Result<Option<Value>>;

#[derive(Clone, Default)]
pub(super) struct Cancelled(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    current: Option<(Value, Work)>,
    waiting: Vec<Value>,
}

/// Reads standard input on a separate thread.
pub(super) fn begin() -> (Receiver<Line>, Cancelled) {
    let (sender, lines) = sync_channel(WAITING);
    let cancelled = Cancelled::default();
    let seen = cancelled.clone();
    std::thread::spawn(move || {
        let mut incoming = std::io::stdin().lock();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let line = match incoming.read_until(b'\n', &mut bytes) {
                Ok(0) => return,
                Ok(_) if bytes.trim_ascii().is_empty() => continue,
                Ok(_) => Ok(serde_json::from_str(&String::from_utf8_lossy(&bytes)).ok()),
                Err(error) => Err(error),
            };
            let is_last = line.is_err();
            if let Ok(Some(message)) = &line {
                seen.note(message);
            }
            if sender.send(line).is_err() || is_last {
                return;
            }
        }
    });
    (lines, cancelled)
}

impl Cancelled {
    fn note(&self, message: &Value) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        if let (Some(id), Some(_)) = (id, message.get("method")) {
            state.waiting.push(id.clone());
        } else if message.get("method").is_some_and(|method| method == "notifications/cancelled") {
            let Some(id) = message.pointer("/params/requestId") else { return };
            if let Some((_, work)) = state.current.as_ref().filter(|(current, _)| current == id) {
                work.call_off();
            }
            state.waiting.retain(|waiting| waiting != id);
        }
    }

    /// Begins processing a request. Returns `None` if it was already cancelled.
    pub(super) fn begin(&self, id: &Value) -> Option<Work> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = state.waiting.iter().position(|waiting| waiting == id)?;
        state.waiting.remove(place);
        let work = Work::default();
        state.current = Some((id.clone(), work.clone()));
        Some(work)
    }

    pub(super) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).current = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use syclscope_engine::budget::Budget;
    use syclscope_engine::cancel::within;

    use super::*;

    #[test]
    fn requests_are_cancelled_while_they_wait_and_while_they_are_answered() {
        let cancelled = Cancelled::default();
        let cancel = |id: u64| {
            cancelled.note(&json!({"method": "notifications/cancelled", "params": {"requestId": id}}));
        };
        for id in 1..=3 {
            cancelled.note(&json!({"id": id, "method": "tools/call"}));
        }
        cancel(2);
        let work = cancelled.begin(&json!(1)).unwrap();
        assert!(!work.is_called_off());
        cancel(1);
        assert!(work.is_called_off());
        cancelled.end();
        assert!(cancelled.begin(&json!(2)).is_none());
        let work = cancelled.begin(&json!(3)).unwrap();
        cancel(7);
        assert!(within(&work, Budget::unlimited(), || 1).is_ok() && !work.is_called_off());
    }
}
