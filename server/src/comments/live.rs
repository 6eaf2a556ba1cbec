//! Live comments: viewers of a trace receive changes to its comments from any replica.
//!
//! While there are viewers, one task for all of them polls the database once a second for the number of the
//! last change. A change by this replica is polled for at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use syclscope_language::api::CommentEntry;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::auth::identity::Identity;
use crate::auth::{self, Action, Place, Principal, SecretHash};
use crate::db::comments::{self, CommentRow};
use crate::db::projects::ProjectId;
use crate::db::{Db, DbError, traces};
use syclscope_system::id::Id;

/// A part of an event stream, shared by all subscribers.
pub(crate) type Piece = Arc<[u8]>;

/// Polling interval: the maximum delay of a change by another replica.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of heartbeats, so that no proxy considers the connection dead.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// Duration of a subscription. The client then subscribes again, which checks its permission again.
const LISTENING: Duration = Duration::from_secs(60);
/// Interval of permission checks of listeners, for changes made by another replica.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of subscribers of a replica.
const MAX_LISTENERS: usize = 2048;
/// Maximum number of unauthenticated subscribers; the rest is for authenticated ones.
const MAX_STRANGERS: usize = MAX_LISTENERS / 4 * 3;
/// Maximum number of subscribers with one name; a whole team may share an address, which has a higher limit.
const MAX_BY_NAME: usize = 32;
const MAX_BY_ADDRESS: usize = 256;
const CHANGES_PER_POLL: u32 = 500;
/// Maximum number of pieces waiting for a slow client. If it falls further behind, it has to subscribe again.
const MAX_WAITING: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) principal: Principal,
    pub(crate) project: ProjectId,
    pub(crate) address: IpAddr,
    pub(crate) session: Option<SecretHash>,
}

/// The unit of fairness: a name, a link or an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Group {
    Named(Identity),
    Link(Id),
    At(Place),
}

impl Who {
    fn group(&self) -> Group {
        match (self.principal.identity(), &self.principal) {
            (Some(identity), _) => Group::Named(identity),
            (None, Principal::Link(grant)) => Group::Link(grant.link.clone()),
            (None, _) => Group::At(Place::new(self.address)),
        }
    }

    /// Returns the credentials that its permissions depend on.
    fn key(&self) -> (String, Option<SecretHash>) {
        let principal = match &self.principal {
            Principal::Token { id, .. } => format!("token {id}"),
            Principal::Person { name, .. } => format!("person {name}"),
            Principal::Link(grant) => format!("link {}", grant.link),
            Principal::Account | Principal::Everybody | Principal::Nobody => String::new(),
        };
        (principal, self.session)
    }

    /// True if it would be admitted again.
    async fn may_still(&self, db: &Db, trace: &Id) -> Result<bool, DbError> {
        let Some(principal) = auth::reauthenticate(db, &self.principal, self.session).await? else {
            return Ok(false);
        };
        let is_there = traces::find(&mut *db.reading().await?, trace).await?.is_some();
        Ok(is_there && principal.may_to(self.project.as_str(), trace, None, Action::ReadComments))
    }
}

/// Subscribers to changes of comments. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Live {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    listeners: Mutex<Listeners>,
    /// Notified of a change by this replica, and of a new listener.
    news: Notify,
    /// True if permissions have changed since the last check.
    has_to_check: AtomicBool,
}

#[derive(Debug, Default)]
struct Listeners {
    all: Vec<Listener>,
    is_looking: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Listener {
    who: Who,
    group: Group,
    trace: Id,
    /// Number of the last change that it has received.
    last_change: u64,
    until: Instant,
    pieces: Sender<Piece>,
}

impl Listeners {
    /// Adds a listener. If all places are taken, the largest group loses its oldest listener to a smaller group.
    fn add(&mut self, new: Listener) -> Result<(), TooMany> {
        self.all.retain(|listener| !listener.pieces.is_closed());
        let is_stranger = |listener: &Listener| !matches!(listener.group, Group::Named(_));
        let from = |listener: &&Listener| Place::new(listener.who.address) == Place::new(new.who.address);
        let (same, most) = match &new.group {
            Group::Named(_) => (self.count(&new.group), MAX_BY_NAME),
            _ => (self.all.iter().filter(|other| is_stranger(other)).filter(from).count(), MAX_BY_ADDRESS),
        };
        if self.is_over || same >= most {
            return Err(TooMany);
        }
        let strangers = self.all.iter().filter(|listener| is_stranger(listener)).count();
        let is_full = is_stranger(&new) && strangers >= MAX_STRANGERS;
        if is_full || self.all.len() >= MAX_LISTENERS {
            self.make_room(&new.group, |listener| !is_full || is_stranger(listener))?;
        }
        self.all.push(new);
        Ok(())
    }

    fn count(&self, group: &Group) -> usize {
        self.all.iter().filter(|listener| listener.group == *group).count()
    }

    fn make_room(&mut self, group: &Group, may: impl Fn(&Listener) -> bool) -> Result<(), TooMany> {
        let mut counts: HashMap<&Group, usize> = HashMap::new();
        for listener in self.all.iter().filter(|listener| may(listener)) {
            *counts.entry(&listener.group).or_default() += 1;
        }
        let own = counts.get(group).copied().unwrap_or(0);
        let largest =
            counts.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > own + 1);
        let largest = largest.map(|(group, _)| group.clone()).ok_or(TooMany)?;
        let oldest = self.all.iter().position(|listener| listener.group == largest).ok_or(TooMany)?;
        self.all.remove(oldest);
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Live {
    /// Subscribes a client to changes of a trace's comments after the change `last_change`; sends `first` at once.
    ///
    /// # Errors
    /// Returns an error if there are too many listeners, or the server shuts down.
    pub(crate) fn listen(
        &self,
        db: &Db,
        who: Who,
        trace: Id,
        (last_change, first): (u64, Piece),
    ) -> Result<Receiver<Piece>, TooMany> {
        let (pieces, received) = channel(MAX_WAITING);
        // The new queue is empty.
        pieces.try_send(first).map_err(|_| TooMany)?;
        let (group, until) = (who.group(), Instant::now() + LISTENING);
        let mut listeners = self.lock();
        listeners.add(Listener { who, group, trace, last_change, until, pieces })?;
        if !listeners.is_looking {
            listeners.is_looking = true;
            tokio::spawn(look(self.clone(), db.clone()));
        }
        Ok(received)
    }

    /// Rechecks listeners, because permissions have changed.
    pub(crate) fn rights_changed(&self) {
        self.shared.has_to_check.store(true, Ordering::Release);
        self.changed();
    }

    /// Drops listeners that would not be admitted again. If the database fails, they stay until they have to subscribe
    /// again.
    async fn check(&self, db: &Db) {
        let all: Vec<(Who, Id)> =
            self.lock().all.iter().map(|listener| (listener.who.clone(), listener.trace.clone())).collect();
        let mut may: HashMap<(_, Id), bool> = HashMap::new();
        for (who, trace) in all {
            if let Entry::Vacant(place) = may.entry((who.key(), trace)) {
                let still = who.may_still(db, &place.key().1).await.unwrap_or(true);
                place.insert(still);
            }
        }
        self.lock().all.retain(|listener| {
            may.get(&(listener.who.key(), listener.trace.clone())).copied().unwrap_or(true)
        });
    }

    /// Reports a change by this replica.
    pub(crate) fn changed(&self) {
        self.shared.news.notify_one();
    }

    /// Ends all subscriptions, for a shutdown.
    pub fn end(&self) {
        let mut listeners = self.lock();
        listeners.is_over = true;
        listeners.all.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.shared.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops listeners that have left or whose subscription is over. Returns the smallest `last_change` of the
    /// others; `None` if there are none, which ends polling.
    fn oldest(&self) -> Option<u64> {
        let now = Instant::now();
        let mut listeners = self.lock();
        listeners.all.retain(|listener| now < listener.until && !listener.pieces.is_closed());
        let oldest = listeners.all.iter().map(|listener| listener.last_change).min();
        listeners.is_looking = oldest.is_some();
        oldest
    }

    /// Sends changes to each listener. A slow listener is dropped, and has to subscribe again.
    fn tell(&self, rows: &[CommentRow], last_change: u64) {
        let events: Vec<_> = rows.iter().map(|row| (row, event(&row.entry))).collect();
        self.lock().all.retain_mut(|listener| {
            let new = events
                .iter()
                .filter(|(row, _)| row.trace == listener.trace && row.entry.change > listener.last_change);
            let is_heard =
                new.map(|(_, event)| listener.pieces.try_send(event.clone())).all(|sent| sent.is_ok());
            listener.last_change = listener.last_change.max(last_change);
            is_heard
        });
    }

    fn beat(&self) {
        let beat = Piece::from(&b":\n\n"[..]);
        self.lock().all.retain(|listener| listener.pieces.try_send(beat.clone()).is_ok());
    }
}

/// Polls for changes while there are listeners.
async fn look(live: Live, db: Db) {
    let (mut beat_at, mut is_well) = (Instant::now() + HEARTBEAT_INTERVAL, true);
    let mut check_at = Instant::now() + CHECK_INTERVAL;
    while let Some(oldest) = live.oldest() {
        if live.shared.has_to_check.swap(false, Ordering::AcqRel) || Instant::now() >= check_at {
            live.check(&db).await;
            check_at = Instant::now() + CHECK_INTERVAL;
        }
        let found = news(&db, oldest).await;
        match (&found, is_well) {
            (Err(error), true) => tracing::warn!("can't poll for new comments: {error}"),
            (Ok(_), false) => tracing::info!("polling for new comments works again"),
            _ => {}
        }
        is_well = found.is_ok();
        let is_all = match found {
            Ok(Some((rows, last_change, is_all))) => {
                live.tell(&rows, last_change);
                is_all
            }
            Ok(None) | Err(_) => true,
        };
        if Instant::now() >= beat_at {
            live.beat();
            beat_at = Instant::now() + HEARTBEAT_INTERVAL;
        }
        if is_all {
            // Waits until the next poll is due, or there is a change.
            let _ = tokio::time::timeout(POLL_INTERVAL, live.shared.news.notified()).await;
        }
    }
}

/// Returns the changes after a number, the number up to which they are complete, and true if these are all.
async fn news(db: &Db, after: u64) -> Result<Option<(Vec<CommentRow>, u64, bool)>, DbError> {
    let connection = &mut *db.reading().await?;
    let last_change = comments::last_change(connection).await?;
    if last_change <= after {
        return Ok(None);
    }
    let rows = comments::changed(connection, after, CHANGES_PER_POLL).await?;
    let is_all = rows.len() < CHANGES_PER_POLL as usize;
    let last_row = rows.last().map(|row| row.entry.change);
    let heard =
        if is_all { last_row.unwrap_or_default().max(last_change) } else { last_row.unwrap_or_default() };
    Ok(Some((rows, heard, is_all)))
}

pub(crate) fn event(entry: &CommentEntry) -> Piece {
    // Plain data can always be serialized.
    let text = serde_json::to_string(entry).unwrap_or_default();
    Piece::from(format!("id: {}\nevent: comment\ndata: {text}\n\n", entry.change).into_bytes())
}

#[cfg(test)]
mod tests;
