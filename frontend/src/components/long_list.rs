//! Rows of a virtual list: only the rows on screen are in the document, and only their pages are requested.

use std::pin::Pin;
use std::rc::Rc;

use leptos::html;
use leptos::task::spawn_local;

use crate::components::states::{Nothing, failed, waiting_for};
use crate::data::client::ClientError;
use crate::data::trace_source::TraceSource;
use crate::hooks::size::watch_size;
use crate::ordered::OrderedMap;
use crate::reactive::*;
use crate::state::long_list::{LongList, PAGE_ROWS, VisibleRows};
use crate::state::rows::{Page, Row};
use crate::state::session::Session;

const MAX_PAGES: usize = 64;

pub(crate) type PendingPage<T> = Pin<Box<dyn Future<Output = Result<Page<T>, ClientError>>>>;
/// Requests rows: trace source, first row, number of rows.
pub(crate) type Ask<T> = dyn Fn(TraceSource, u64, u32) -> PendingPage<T>;

struct Pages<T> {
    total: Option<u64>,
    pages: OrderedMap<u64, Option<Vec<T>>>,
    failure: Option<ClientError>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { total: None, pages: OrderedMap::default(), failure: None }
    }
}

pub(crate) struct LazyRows<T: 'static> {
    session: Session,
    ask: StoredValue<Rc<Ask<T>>>,
    pages: RwSignal<Pages<T>>,
    /// Version of the query that the pages belong to.
    version: StoredValue<u32>,
}

impl<T> Clone for LazyRows<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for LazyRows<T> {}

impl<T: Clone> LazyRows<T> {
    pub(crate) fn new(session: Session, ask: Rc<Ask<T>>) -> Self {
        Self {
            session,
            ask: StoredValue::new(ask),
            pages: RwSignal::new(Pages::default()),
            version: StoredValue::new(0),
        }
    }

    /// Drops all rows and requests the first page.
    pub(crate) fn reload(self) {
        self.version.update_value(|version| *version += 1);
        self.pages.set(Pages::default());
        self.load(0);
    }

    /// Requests a page, unless it is cached or pending.
    fn load(self, page: u64) {
        let Some(home) = self.session.home() else { return };
        if self.pages.with_untracked(|pages| pages.pages.contains_key(&page)) {
            return;
        }
        self.pages.update_untracked(|pages| {
            pages.pages.insert(page, None);
        });
        let version = self.version.get_value();
        let answer = self.ask.with_value(|ask| ask(home, page * PAGE_ROWS, PAGE_ROWS as u32));
        spawn_local(async move {
            let answer = answer.await;
            // The list may be unmounted, or show something else.
            if self.version.try_get_value() != Some(version) {
                return;
            }
            let _gone = self.pages.try_update(|pages| match answer {
                Ok(Page { total, rows }) => {
                    pages.total = Some(total);
                    pages.pages.insert(page, Some(rows));
                    while pages.pages.len() > MAX_PAGES {
                        // Evict the page farthest from this one.
                        let numbers = pages.pages.iter().map(|(number, _)| *number);
                        let Some(farthest) = numbers.max_by_key(|number| number.abs_diff(page)) else {
                            break;
                        };
                        pages.pages.remove(&farthest);
                    }
                }
                Err(error) => {
                    pages.pages.remove(&page);
                    pages.failure = Some(error);
                }
            });
        });
    }

    pub(crate) fn row(self, row: u64) -> Option<T> {
        self.pages.with(|pages| {
            let page = pages.pages.get(&(row / PAGE_ROWS))?.as_ref()?;
            page.get((row % PAGE_ROWS) as usize).cloned()
        })
    }

    /// Loads the rows that are visible in a scroll area.
    pub(crate) fn scroll(self, row_css_px: f64) -> ListScroll {
        let rows = Memo::new(move |_| self.pages.with(|pages| pages.total.unwrap_or(0)));
        ListScroll::new(rows, row_css_px, Callback::new(move |page| self.load(page)))
    }

    /// Shows progress, a failure, a hint in an empty list, or else the `count` of rows.
    pub(crate) fn state(
        self,
        plural: &'static str,
        empty: (&'static str, &'static str),
        count: impl Fn(u64) -> AnyView + Send + 'static,
    ) -> impl Fn() -> AnyView + Send {
        let reload = Callback::new(move |()| self.reload());
        move || {
            let (total, failure) = self.pages.with(|pages| (pages.total, pages.failure.clone()));
            match total {
                Some(total) if failure.is_none() && total > 0 => count(total),
                _ => placeholder(failure, total.is_some(), plural, empty, reload),
            }
        }
    }
}

impl LazyRows<Row> {
    /// Returns the columns in which a loaded row has a value, as bits.
    pub(crate) fn filled(self) -> u32 {
        self.pages.with(|pages| {
            let rows = pages.pages.iter().filter_map(|(_, page)| page.as_ref()).flatten();
            rows.fold(0, |filled, row| filled | row.filled())
        })
    }

    /// True if every row is loaded.
    pub(crate) fn is_whole(self) -> bool {
        self.pages.with(|pages| {
            let loaded =
                pages.pages.iter().filter_map(|(_, page)| page.as_ref()).map(Vec::len).sum::<usize>();
            pages.total == Some(loaded as u64)
        })
    }
}

fn placeholder(
    failure: Option<ClientError>,
    is_loaded: bool,
    plural: &'static str,
    empty: (&'static str, &'static str),
    reload: Callback<()>,
) -> AnyView {
    match failure {
        Some(error) => failed(error, Some(reload)),
        None if is_loaded => view! { <Nothing title=empty.0>{empty.1}</Nothing> }.into_any(),
        None => waiting_for(plural),
    }
}

/// Scroll area of a virtual list.
#[derive(Clone, Copy)]
pub(crate) struct ListScroll {
    pub(crate) scroller: NodeRef<html::Div>,
    pub(crate) top_css_px: RwSignal<f64>,
    pub(crate) room_css_px: RwSignal<f64>,
    pub(crate) list: Memo<LongList>,
    pub(crate) visible: Memo<VisibleRows>,
}

impl ListScroll {
    fn new(rows: Memo<u64>, row_css_px: f64, load: Callback<u64>) -> Self {
        let scroller = NodeRef::<html::Div>::new();
        let (top_css_px, room_css_px) = (RwSignal::new(0.0_f64), RwSignal::new(600.0_f64));
        let list = Memo::new(move |_| LongList { rows: rows.get(), row_css_px });
        let visible = Memo::new(move |_| list.get().visible(top_css_px.get(), room_css_px.get()));
        Effect::new(move |_| {
            let visible = visible.get();
            if list.get().rows > 0 {
                visible.pages().for_each(|page| load.run(page));
            }
        });
        watch_size(scroller, move || {
            let height = scroller.get_untracked().map_or(0.0, |scroller| f64::from(scroller.client_height()));
            if height > 0.0 && (height - room_css_px.get_untracked()).abs() >= 1.0 {
                room_css_px.set(height);
            }
        });
        Self { scroller, top_css_px, room_css_px, list, visible }
    }
}
