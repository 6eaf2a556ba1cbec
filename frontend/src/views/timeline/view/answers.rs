//! Queries of the timeline besides tiles: dependences, lives, the critical path, lanes of kernels, and filtered tiles.

use std::rc::{Rc, Weak};

use leptos::task::spawn_local;
use syclscope_language::api::{
    ActivityCounter, CriticalPath, Dependences, Gaps, Life, NO_SLICE, SliceDetail, SliceList, SliceRef,
};
use syclscope_language::filter::Filter;
use syclscope_language::question::{
    DependenceQuestion, GapsQuestion, PathQuestion, Question, SliceOrder, TileKey, Way,
};

use crate::browser::sleep;
use crate::data::cache::TileCache;
use crate::data::client::ClientError;
use crate::data::json::Value;
use crate::reactive::*;
use crate::state::comments::Talk;
use crate::state::detail::Detail;
use crate::state::filters::{list, slices_of, users_of};
use crate::state::selection::Selection;
use crate::views::timeline::additions::{Additions, Direction};
use crate::views::timeline::overlay_answers::PathSteps;
use crate::views::timeline::phases;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::tracks::Grouping;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;

/// Size limit of the cache of filtered tiles.
const CACHE_BYTES: usize = 32 << 20;
/// Concurrent requests for filtered tiles.
const REQUESTS_AT_ONCE: usize = 3;
/// Maximum number of slices of a command to mark.
const MAX_COMMAND_SLICES: u32 = 4;
const MAX_ARROWS: u32 = 500;
/// Pause before counters are queried again, in ms.
const AGAIN_MS: i32 = 5_000;

impl Controller {
    pub(crate) fn follow_answers(self: &Rc<Self>) {
        let session = self.session;
        self.follow_pins();
        // Only a slice of a command has dependences and a life.
        let selected = Memo::new(move |_| {
            session.detail.with(|detail| match detail {
                Detail::Slice(detail) => detail.node.as_ref().map(|_| detail.at.slice),
                _ => None,
            })
        });
        let arrows =
            Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.arrows.clone()));
        let has_path = Memo::new(move |_| {
            session.slot::<TimelineState>().with(|state| state.additions.has_critical_path)
        });
        let filter = Memo::new(move |_| {
            let searched = session.slot::<TimelineState>().with(|state| dimming(&state.additions));
            // Slices that do not use the selected memory fade, like slices that a search did not find.
            searched.or_else(|| {
                let objects = session.info().counts.objects;
                session.selection.with(|selection| users_of(selection.as_ref()?, objects))
            })
        });
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let (slice, arrows) = (selected.get(), arrows.get());
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| inner.overlays.chain = None);
            let Some(slice) = slice else { return };
            let way = match arrows.direction {
                Direction::Both => None,
                Direction::Before => Some(Way::Before),
                Direction::After => Some(Way::After),
                Direction::None => {
                    return controller
                        .update(|inner| inner.overlays.chain = Some((slice, Dependences::default())));
                }
            };
            let (hops, reasons, limit) = (arrows.hops(), arrows.reasons(), MAX_ARROWS);
            let question = DependenceQuestion { slice, hops, way, reasons, limit };
            let session = controller.session;
            controller.ask(Question::Dependences(question), move |inner, chain| {
                let now =
                    session.slot::<TimelineState>().with_untracked(|state| state.additions.arrows.clone());
                if inner.selected == Some(slice) && now == arrows {
                    inner.overlays.chain = Some((slice, chain));
                }
            });
        });
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let slice = selected.get();
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| inner.overlays.life = None);
            let Some(slice) = slice else { return };
            controller.ask(Question::Life(slice), move |inner, life: Life| {
                if inner.selected == Some(slice) {
                    inner.overlays.life = Some((slice, life));
                }
            });
        });
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let gap = session.selection.with(|selection| match selection {
                Some(Selection::Gap { track, at_ns }) => Some((*track, *at_ns)),
                _ => None,
            });
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| inner.overlays.gap = None);
            let Some((track, at_ns)) = gap else { return };
            let question = GapsQuestion { track: Some(track), at_ns: Some(at_ns), ..GapsQuestion::default() };
            controller.ask(Question::Gaps(question), move |inner, answer: Gaps| {
                let is_selected =
                    |selection: &Option<Selection>| *selection == Some(Selection::Gap { track, at_ns });
                if !session.selection.with_untracked(is_selected) {
                    return;
                }
                inner.overlays.gap = answer.gaps.first().map(|gap| SliceRef {
                    slice: NO_SLICE,
                    track,
                    lane: 0,
                    start_ns: gap.from_ns,
                    duration_ns: gap.to_ns - gap.from_ns,
                });
            });
        });
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let has_path = has_path.get();
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| inner.overlays.path = None);
            if has_path {
                controller.ask(
                    Question::CriticalPath(PathQuestion::default()),
                    move |inner, path: CriticalPath| {
                        inner.overlays.path =
                            Some(PathSteps::new(&path)).filter(|_| inner.additions.has_critical_path);
                    },
                );
            }
        });
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let filter = filter.get();
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| {
                inner.filtered = filter.map(|filter| (filter, TileCache::new(CACHE_BYTES)));
            });
        });
    }

    fn follow_pins(self: &Rc<Self>) {
        let session = self.session;
        let pins = Memo::new(move |_| session.talk.with(Talk::pins));
        let weak = Rc::downgrade(self);
        Effect::new(move |_| {
            let (pins, Some(controller)) = (pins.get(), weak.upgrade()) else { return };
            let mut unknown = Vec::new();
            controller.update(|inner| unknown = inner.overlays.pins.follow(&pins));
            for thing in unknown {
                if let Some(slice) = thing.slice() {
                    controller.ask(Question::Slice(slice), move |inner, detail: SliceDetail| {
                        inner.overlays.pins.put(&thing, detail.at);
                    });
                } else if let Some(slices) = slices_of(&thing) {
                    let question = list(slices, SliceOrder::Start, 0, MAX_COMMAND_SLICES);
                    controller.ask(question, move |inner, found: SliceList| {
                        for slice in found.slices {
                            inner.overlays.pins.put(&thing, slice.at);
                        }
                    });
                }
            }
        });
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.inner.borrow_mut();
        change(&mut inner);
        inner.repaint();
        drop(inner);
        self.request_frame();
    }

    /// Sends a query; a failure leaves the timeline unchanged.
    fn ask<T: Value>(self: &Rc<Self>, question: Question, take: impl FnOnce(&mut Inner, T) + 'static) {
        let (weak, home) = (Rc::downgrade(self), self.inner.borrow().home.clone());
        spawn_local(async move {
            let answer = home.ask::<T>(&question).await;
            if let (Some(controller), Ok(answer)) = (weak.upgrade(), answer) {
                controller.update(|inner| take(inner, answer));
            }
        });
    }

    /// Queries the number of lanes of the kernels' tracks, if they are visible and the number is unknown.
    pub(super) fn load_kernel_lanes(self: &Rc<Self>) {
        {
            let inner = self.inner.borrow();
            if inner.choice.grouping != Grouping::Kernel || inner.kernel_lanes.is_some() {
                return;
            }
        }
        let session = self.session;
        self.ask(Question::KernelLanes, move |inner, lanes: Vec<u32>| {
            inner.kernel_lanes = Some(lanes);
            inner.lay_out_further(session);
        });
    }

    /// Queries the activity counters, once everything else is on screen: their computation walks over all commands.
    pub(super) fn load_activity(self: &Rc<Self>) {
        {
            let mut inner = self.inner.borrow_mut();
            let has_drawn = inner.size.is_some() && !inner.tiles.is_loading();
            if inner.is_activity_pending || !has_drawn {
                return;
            }
            inner.is_activity_pending = true;
        }
        self.ask_phases();
        let (weak, home, session) = (Rc::downgrade(self), self.inner.borrow().home.clone(), self.session);
        spawn_local(async move {
            let mut answer = home.ask::<Vec<ActivityCounter>>(&Question::Activity).await;
            while answer.as_ref().is_err_and(ClientError::is_passing) && weak.strong_count() > 0 {
                sleep(AGAIN_MS).await;
                answer = home.ask(&Question::Activity).await;
            }
            if let (Some(controller), Ok(activity)) = (weak.upgrade(), answer) {
                controller.update(|inner| {
                    inner.activity = activity;
                    inner.lay_out_further(session);
                });
            }
        });
    }

    fn ask_phases(self: &Rc<Self>) {
        let (weak, home, info) = (Rc::downgrade(self), self.inner.borrow().home.clone(), self.session.info());
        spawn_local(async move {
            // If a query fails, its phases are not marked.
            let ask = async |question: Option<Question>| match question {
                Some(question) => home.ask::<SliceList>(&question).await.unwrap_or_default(),
                None => SliceList::default(),
            };
            let first = ask(phases::first_submission(&info)).await.slices;
            let mut builds = Vec::new();
            loop {
                let list = ask(phases::builds(&info, builds.len() as u64)).await;
                let is_all = list.slices.is_empty();
                builds.extend(list.slices);
                if is_all || builds.len() as u64 >= list.total {
                    break;
                }
            }
            let Some(controller) = weak.upgrade() else { return };
            controller.update(|inner| inner.overlays.phases = phases::phases(&inner.info, &first, &builds));
        });
    }

    pub(super) fn load_filtered_tiles(self: &Rc<Self>) {
        let started: Vec<(TileKey, Filter)> = {
            let mut inner = self.inner.borrow_mut();
            let Inner { frame, filtered, .. } = &mut *inner;
            let Some((filter, tiles)) = filtered else { return };
            let started = tiles.start_loading(&frame.needed_filtered, REQUESTS_AT_ONCE);
            started.into_iter().map(|key| (key, filter.clone())).collect()
        };
        for (key, filter) in started {
            let (weak, home) = (Rc::downgrade(self), self.inner.borrow().home.clone());
            spawn_local(async move {
                let answer = home.filtered_tile(key, &filter).await;
                let Some(controller) = Weak::upgrade(&weak) else { return };
                controller.update(|inner| {
                    if let Some((now, tiles)) = &mut inner.filtered
                        && *now == filter
                    {
                        match answer {
                            Ok(tile) => tiles.insert(key, tile),
                            Err(error) => tiles.fail(key, error.message),
                        }
                    }
                });
            });
        }
    }
}

/// Returns the filter for fading; `None` if nothing fades.
fn dimming(additions: &Additions) -> Option<Filter> {
    let filter = additions.search.parse::<Filter>().ok().filter(|filter| !filter.is_everything());
    filter.filter(|_| !additions.is_undimmed)
}
