//! The connections of a server by caller, and the eviction of one if a limit is reached.
//!
//! A server has a limited number of descriptors. Each address has a limit of connections, and so has each
//! person and token. If all are in use, the least valuable connection is closed: an idle stranger's, then a
//! stranger's with an incomplete request, then an idle authenticated one. Others are never closed. Responses to
//! strangers can't use the reserve, which is for authenticated clients and health probes.
//!
//! Connections of trusted proxies count for the clients behind them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::{Client, Place, Proxies};

/// Limits on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// In total.
    pub(crate) all: usize,
    /// For one address, or one authenticated client.
    pub(crate) each: usize,
    /// Part of the total that strangers' responses can't use.
    pub(crate) reserve: usize,
}

impl Room {
    pub(crate) fn new(all: usize) -> Self {
        Self { all, each: (all / 4).max(1), reserve: all / 4 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// A trusted proxy, before a request names its client.
    Proxy,
    /// The account that started the server.
    Owner,
    Known(Client),
    Stranger(Place),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No request, or an incomplete header.
    Idle,
    /// The server waits for the rest of a request.
    Receiving,
    Answering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "too many connections from your address, or from unauthenticated clients; close some, or retry in a moment"
)]
pub struct TooManyConnections;

/// The connections of a server. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Connections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    room: Room,
    proxies: Proxies,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<u64, Entry>,
    each: HashMap<Caller, usize>,
    /// Strangers' requests in progress.
    strangers: usize,
    /// Event counter that serves as a clock.
    events: u64,
}

#[derive(Debug)]
struct Entry {
    caller: Caller,
    stage: Stage,
    /// Event at which it entered this state.
    since: u64,
    /// True if the peer is a trusted proxy, whatever client it names.
    is_proxy: bool,
    /// Closes the connection when it is dropped.
    _open: oneshot::Sender<()>,
}

/// An open connection, which ends when dropped.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connection: Connection,
    closed: oneshot::Receiver<()>,
}

/// A request's handle on its connection.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    all: Connections,
    number: u64,
}

/// A request on a connection, which ends when dropped.
#[derive(Debug)]
pub(crate) struct OpenRequest(Connection);

impl Connections {
    pub(crate) fn new(room: Room, proxies: Proxies) -> Self {
        Self(Arc::new(Shared { room, proxies, table: Mutex::default() }))
    }

    /// Adds a connection from an address, closing another one if a limit is reached. Returns `None` if none
    /// may be closed.
    pub(crate) fn enter(&self, peer: Option<IpAddr>) -> Option<OpenConnection> {
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let is_proxy = self.0.proxies.contain(peer);
        let caller = if is_proxy { Caller::Proxy } else { Caller::Stranger(Place::new(peer)) };
        let mut table = self.table();
        if table.share_of(&caller) >= self.0.room.each
            && !table.close_one(None, |entry| entry.caller == caller)
        {
            return None;
        }
        if table.entries.len() >= self.0.room.all && !table.close_one(None, |_| true) {
            return None;
        }
        let (open, closed) = oneshot::channel();
        let number = table.tick();
        table.add(number, Entry { caller, stage: Stage::Idle, since: number, is_proxy, _open: open });
        Some(OpenConnection { connection: Connection { all: self.clone(), number }, closed })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table().entries.len()
    }
}

impl OpenConnection {
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Resolves when the connection must close in favour of another one.
    pub(crate) async fn closed(&mut self) {
        let _ = (&mut self.closed).await;
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connection.all.table().remove(self.connection.number);
    }
}

impl Connection {
    pub(crate) fn begin(&self) -> OpenRequest {
        self.change(|entry| entry.stage = Stage::Answering);
        OpenRequest(self.clone())
    }

    pub(crate) fn wait_for_body(&self, is_waiting: bool) {
        self.change(|entry| entry.stage = if is_waiting { Stage::Receiving } else { Stage::Answering });
    }

    /// Sets the caller of the request. `is_reserved` requests from any caller may use the reserve.
    ///
    /// # Errors
    /// Returns an error if a limit is reached and no other connection may be closed.
    pub(crate) fn admit(&self, caller: Caller, is_reserved: bool) -> Result<(), TooManyConnections> {
        let room = self.all.0.room;
        let mut table = self.all.table();
        table.change(self.number, |entry| entry.caller = caller.clone());
        let own = Some(self.number);
        if table.share_of(&caller) > room.each && !table.close_one(own, |entry| entry.caller == caller) {
            return Err(TooManyConnections);
        }
        let is_stranger = matches!(caller, Caller::Stranger(_));
        let is_received =
            |entry: &Entry| entry.stage == Stage::Receiving && matches!(entry.caller, Caller::Stranger(_));
        if is_stranger
            && !is_reserved
            && table.strangers > room.all - room.reserve
            && !table.close_one(own, is_received)
        {
            return Err(TooManyConnections);
        }
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        self.all.table().change(self.number, change);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.change(|entry| {
            entry.stage = Stage::Idle;
            if entry.is_proxy {
                entry.caller = Caller::Proxy;
            }
        });
    }
}

impl Entry {
    fn is_strangers(&self) -> bool {
        matches!(self.caller, Caller::Stranger(_))
    }

    /// Returns the eviction priority, lowest first; `None` if it is never closed.
    fn worth(&self) -> Option<(u8, u64)> {
        let worth = match (self.stage, self.is_strangers()) {
            (Stage::Idle, true) => 0,
            (Stage::Receiving, true) => 1,
            (Stage::Idle, false) => 2,
            (Stage::Receiving, false) | (Stage::Answering, _) => return None,
        };
        Some((worth, self.since))
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Returns the number of a caller's connections; 0 for callers without a limit.
    fn share_of(&self, caller: &Caller) -> usize {
        match caller {
            Caller::Proxy | Caller::Owner => 0,
            Caller::Known(_) | Caller::Stranger(_) => self.each.get(caller).copied().unwrap_or(0),
        }
    }

    /// Closes the least valuable connection among those allowed by `may`, except for `own`. True if there was
    /// one.
    fn close_one(&mut self, own: Option<u64>, may: impl Fn(&Entry) -> bool) -> bool {
        let others = self.entries.iter().filter(|(number, entry)| Some(**number) != own && may(entry));
        let worths = others.filter_map(|(number, entry)| Some((entry.worth()?, *number)));
        let Some((_, least)) = worths.min() else { return false };
        self.remove(least);
        true
    }

    fn change(&mut self, number: u64, change: impl FnOnce(&mut Entry)) {
        // An evicted connection has no entry.
        let Some(mut entry) = self.remove(number) else { return };
        let stage = entry.stage;
        change(&mut entry);
        if entry.stage != stage {
            entry.since = self.tick();
        }
        self.add(number, entry);
    }

    fn add(&mut self, number: u64, entry: Entry) {
        *self.each.entry(entry.caller.clone()).or_default() += 1;
        self.strangers += usize::from(entry.is_strangers() && entry.stage != Stage::Idle);
        self.entries.insert(number, entry);
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.entries.remove(&number)?;
        self.strangers -= usize::from(entry.is_strangers() && entry.stage != Stage::Idle);
        if let Some(count) = self.each.get_mut(&entry.caller) {
            *count -= 1;
            if *count == 0 {
                self.each.remove(&entry.caller);
            }
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests;
