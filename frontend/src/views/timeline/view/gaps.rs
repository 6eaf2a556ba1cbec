//! Steps from gap to gap of a device, queue or thread. This code is loaded with that of the smaller views.

use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{Gap, Gaps, NO_SLICE, SliceRef};
use syclscope_language::question::{GapsQuestion, Question};

use crate::data::client::ClientError;
use crate::data::trace_source::TraceSource;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::state::view_descriptor::loading;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::selection::MIN_SHARE;

/// Number of gaps per query.
const MAX_GAPS: u32 = 100;

#[derive(Clone, Copy)]
struct Start {
    /// Track of the selection; all devices if there is none.
    track: Option<u32>,
    /// A moment in the selected gap.
    gap_ns: Option<u64>,
    /// Start and end of the selected slice; without one, end and start of the visible range.
    from_ns: u64,
    to_ns: u64,
    /// Minimum length of a gap, because shorter ones are too narrow to be visible.
    shortest_ns: u64,
    is_back: bool,
}

impl Controller {
    pub(super) fn step_gap(self: &Rc<Self>, is_back: bool) {
        let gap = self.session.selection.with_untracked(|selection| match selection {
            Some(Selection::Gap { track, at_ns }) => Some((*track, *at_ns)),
            _ => None,
        });
        let slice = self.selected();
        let viewport = self.inner.borrow().settled_viewport();
        // Without a slice, a step forward starts at the start of the visible range, and a step back at its end.
        let seen = viewport.within(self.session.info().duration_ns);
        let (from_ns, to_ns) = match slice {
            Some(at) => (at.start_ns, at.start_ns + at.duration_ns),
            None => (seen.1, seen.0),
        };
        let start = Start {
            track: gap.map(|(track, _)| track).or(slice.map(|at| at.track)),
            gap_ns: gap.map(|(_, at_ns)| at_ns),
            from_ns,
            to_ns,
            shortest_ns: (viewport.span_ns() * MIN_SHARE) as u64,
            is_back,
        };
        let session = self.session;
        let begin = loading!(others, fn(Session, Start), step);
        spawn_local(async move {
            match begin().await {
                Ok(step) => step(session, start),
                Err(_) => session.fail("The code of this command could not be loaded.".to_owned()),
            }
        });
    }
}

fn step(session: Session, start: Start) {
    let Some(home) = session.home() else { return };
    spawn_local(async move {
        let before = session.selection.get_untracked();
        let found = nearest(&home, start).await;
        // The user changed the selection, or left the page, before the answer arrived.
        if session.selection.try_with_untracked(|now| *now == before) != Some(true) {
            return;
        }
        match found {
            Ok(Some(Gap { track, from_ns, to_ns, .. })) => {
                session.select(Some(Selection::Gap { track, at_ns: from_ns }));
                let duration_ns = to_ns - from_ns;
                let at = SliceRef { slice: NO_SLICE, track, lane: 0, start_ns: from_ns, duration_ns };
                session.go(Goal::Slice(at));
            }
            Ok(None) => {
                let way = if start.is_back { "earlier" } else { "later" };
                session.tell(format!("No {way} idle stretch is this wide. Zoom in for shorter ones."));
            }
            Err(error) => session.fail(error.message),
        }
    });
}

/// Returns the nearest gap after the start, or before it.
async fn nearest(home: &TraceSource, start: Start) -> Result<Option<Gap>, ClientError> {
    let Start { track, gap_ns, mut from_ns, mut to_ns, shortest_ns, is_back } = start;
    let ask = async |question: GapsQuestion| home.ask::<Gaps>(&Question::Gaps(question)).await;
    if gap_ns.is_some() {
        let own = ask(GapsQuestion { track, at_ns: gap_ns, ..GapsQuestion::default() }).await?;
        if let Some(own) = own.gaps.first() {
            (from_ns, to_ns) = (own.from_ns, own.to_ns);
        }
    }
    let mut range = if is_back { (None, Some(from_ns)) } else { (Some(to_ns), None) };
    let mut nearest = None;
    // An answer lists the longest gaps, so there may be unlisted ones before the nearest listed gap.
    loop {
        let question = GapsQuestion {
            track,
            from_ns: range.0,
            to_ns: range.1,
            shortest_ns,
            limit: MAX_GAPS,
            ..GapsQuestion::default()
        };
        let Gaps { gaps, .. } = ask(question).await?;
        let is_all = gaps.len() < MAX_GAPS as usize;
        let found = if is_back {
            gaps.into_iter().max_by_key(|gap| gap.to_ns)
        } else {
            gaps.into_iter().min_by_key(|gap| gap.from_ns)
        };
        let Some(found) = found else { return Ok(nearest) };
        range = if is_back { (Some(found.to_ns), range.1) } else { (range.0, Some(found.from_ns)) };
        nearest = Some(found);
        if is_all {
            return Ok(nearest);
        }
    }
}
