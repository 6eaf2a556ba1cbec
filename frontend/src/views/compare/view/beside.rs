//! The other trace, its source, and the picked entities of both.

use std::pin::Pin;

use leptos::task::spawn_local;
use syclscope_language::api::{ComparedRow, MatchedCommand, RowSide};
use syclscope_language::question::{CompareQuestion, PartOfRun, Question};
use web_sys::File;

use crate::data::client::{self, ClientError};
use crate::data::json::Value;
use crate::data::pair::Pair;
use crate::data::trace_source::TraceSource;
use crate::data::worker::LocalTrace;
use crate::hooks::answer::{PendingQuery, use_text};
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::route::trace_path;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::state::url::part::AddressPart as _;
use crate::state::url::query::QueryWriter;
use crate::views::compare::state::{CompareState, Other};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    None,
    Reading(String),
    /// The address names a local file, which the browser no longer has.
    Missing(String),
    /// Both traces are loaded; each pair has a new number.
    Ready(u32),
    Failed(ClientError),
}

type Reading = Pin<Box<dyn Future<Output = Result<File, ClientError>>>>;

#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub(super) session: Session,
    pub(super) stage: RwSignal<Stage>,
    /// Row of the page's selected command, if it has one.
    pub(super) selected_row: RwSignal<Option<u32>>,
    pub(super) selected_pair: RwSignal<Option<MatchedCommand>>,
    /// Selection in the other trace's timeline without a counterpart.
    pub(super) alone: RwSignal<Option<Selection>>,
    /// The rows in display order.
    rows: StoredValue<Vec<ComparedRow>>,
    /// The trace of the current `stage`.
    other: StoredValue<Option<Other>>,
    pair: StoredValue<Option<Pair>>,
    file: StoredValue<Option<File>>,
    /// Local files of further runs, of the page's own side and of the other one. They are not part of addresses.
    runs: StoredValue<[Vec<File>; 2]>,
    number: StoredValue<u32>,
}

impl Beside {
    pub(super) fn new(session: Session) -> Self {
        Self {
            session,
            stage: RwSignal::new(Stage::None),
            selected_row: RwSignal::new(None),
            selected_pair: RwSignal::new(None),
            alone: RwSignal::new(None),
            rows: StoredValue::new(Vec::new()),
            other: StoredValue::new(None),
            pair: StoredValue::new(None),
            file: StoredValue::new(None),
            runs: StoredValue::new([Vec::new(), Vec::new()]),
            number: StoredValue::new(0),
        }
    }

    pub(super) fn state(self) -> RwSignal<CompareState> {
        self.session.slot()
    }

    pub(super) fn is_swapped(self) -> bool {
        self.state().with(|state| state.is_swapped)
    }

    pub(super) fn follow(self) {
        let other = Memo::new(move |_| self.state().with(|state| state.other.clone()));
        Effect::new(move |_| self.turn_to(other.get()));
        let part = Memo::new(move |_| self.state().with(|state| state.part.clone()));
        Effect::new(move |before: Option<String>| {
            let now = part.get();
            // The worker keeps only metrics and lines of the compared part of further files.
            let has_files = self.runs.with_value(|runs| runs.iter().any(|runs| !runs.is_empty()));
            if has_files && before.is_some_and(|before| before != now) {
                self.retry();
            }
            now
        });
    }

    /// Queries both traces, again whenever the query or a trace changes.
    pub(super) fn ask<T: Value + Send + Sync + 'static>(
        self,
        question: impl Fn() -> Option<CompareQuestion> + 'static,
    ) -> PendingQuery<T> {
        let runs = Memo::new(move |_| {
            self.state().with(|state| (state.is_swapped, state.more.clone(), state.part.clone()))
        });
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let pair = self.pair.get_value()?;
            let (is_swapped, more, part) = runs.get();
            Some(pair.text(question()?, part_of(&part), is_swapped, more))
        })
    }

    pub(super) fn ask_other<T: Value + Send + Sync + 'static>(
        self,
        question: impl Fn() -> Option<Question> + 'static,
    ) -> PendingQuery<T> {
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let (home, question) = (self.pair.get_value()?.other(), question()?);
            Some(Box::pin(async move { home.text(&question).await }))
        })
    }

    pub(super) fn part(self) -> PartOfRun {
        self.state().with(|state| part_of(&state.part))
    }

    pub(super) fn choose_part(self, part: &PartOfRun) {
        let text = part.to_string();
        if self.state().with_untracked(|state| state.part == text) {
            return;
        }
        self.state().update(|state| {
            state.part = text;
            // The row numbers change.
            state.row = None;
        });
        self.session.record_change(Change::Jump);
    }

    /// Returns the source of the other trace, once it is loaded.
    pub(super) fn other_home(self) -> Option<TraceSource> {
        let Stage::Ready(_) = self.stage.get() else { return None };
        self.pair.get_value().map(Pair::other)
    }

    /// Queries every run of both sides, A's first, each side with its own query; the list has `None` for a run without
    /// an answer.
    pub(super) fn ask_runs<T: Value + Send + Sync + 'static>(
        self,
        questions: impl Fn() -> Option<[Option<Question>; 2]> + 'static,
    ) -> PendingQuery<Vec<Vec<Option<T>>>> {
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let (pair, home) = (self.pair.get_value()?, self.session.home()?);
            let (is_swapped, more) = self.state().with(|state| (state.is_swapped, state.more.clone()));
            Some(pair.of_runs(home, questions()?, is_swapped, more))
        })
    }

    /// Returns the address of the same comparison on the other trace's page, if a server has both.
    pub(super) fn mirrored(self) -> Option<String> {
        let state = self.state().get_untracked();
        match (state.other, self.session.home()) {
            (Some(Other::Trace(other)), Some(TraceSource::Server(own))) => {
                let [own_more, other_more] = state.more;
                let mirrored = CompareState {
                    other: Some(Other::Trace(own)),
                    is_swapped: !state.is_swapped,
                    more: [other_more, own_more],
                    part: state.part,
                    ..CompareState::default()
                };
                let mut query = QueryWriter::default();
                query.part("v", "compare");
                mirrored.write(&mut query);
                Some(trace_path(&other) + &query.finish())
            }
            _ => None,
        }
    }

    pub(super) fn choose(self, other: Option<Other>) {
        self.runs.set_value([Vec::new(), Vec::new()]);
        self.state().update(|state| {
            state.other = other;
            state.row = None;
            state.file = None;
            state.timelines = Default::default();
            state.more = Default::default();
            state.part = String::new();
        });
        self.session.record_change(Change::Jump);
    }

    /// Adds or removes a run of a side, 0 for the page's own.
    pub(super) fn toggle_run(self, side: usize, id: String) {
        self.state().update(|state| {
            let runs = &mut state.more[side];
            match runs.iter().position(|run| *run == id) {
                Some(place) => drop(runs.remove(place)),
                None => runs.push(id),
            }
        });
        self.session.record_change(Change::Jump);
    }

    /// Compares with local files: the first one is shown, the others are further runs.
    pub(super) fn take(self, files: Vec<File>) {
        let mut files = files.into_iter();
        let Some(file) = files.next() else { return };
        let other = Some(Other::File(file.name()));
        self.file.set_value(Some(file));
        // A file with the same name may be another one.
        self.other.set_value(None);
        self.choose(other.clone());
        self.runs.set_value([Vec::new(), files.collect()]);
        self.turn_to(other);
    }

    /// Adds local files to the runs of a side, 0 for the page's own.
    pub(super) fn add_runs(self, side: usize, files: Vec<File>) {
        self.runs.update_value(|runs| runs[side].extend(files));
        self.retry();
    }

    pub(super) fn run_names(self, side: usize) -> Vec<String> {
        self.stage.track();
        self.runs.with_value(|runs| runs[side].iter().map(File::name).collect())
    }

    /// Removes the local files among the further runs.
    pub(super) fn forget_runs(self) {
        self.runs.set_value([Vec::new(), Vec::new()]);
        self.retry();
    }

    pub(super) fn leave(self) {
        if self.state().with_untracked(|state| state.other.is_some()) {
            self.choose(None);
        }
    }

    pub(super) fn retry(self) {
        self.other.set_value(None);
        self.turn_to(self.state().with_untracked(|state| state.other.clone()));
    }

    pub(super) fn swap(self) {
        self.state().update(|state| {
            state.is_swapped = !state.is_swapped;
            // The row numbers change.
            state.row = None;
        });
        self.session.record_change(Change::Jump);
    }

    /// Picks a row: lists its commands, and selects the first of them in the page's own trace.
    pub(super) fn pick(self, row: &ComparedRow) {
        let own = if untrack(|| self.is_swapped()) { &row.b } else { &row.a };
        self.pick_row(Some(row.row), own.as_ref().and_then(first));
    }

    pub(super) fn pick_row(self, row: Option<u32>, own: Option<Selection>) {
        self.state().update(|state| state.row = row);
        self.session.select(own);
        self.session.record_change(Change::Detail);
    }

    /// Clears the picked row, and a selection that exists on the other side only. True if there was one.
    pub(super) fn unpick(self) -> bool {
        if self.alone.with_untracked(Option::is_some) {
            self.alone.set(None);
            return true;
        }
        let was_picked = self.state().with_untracked(|state| state.row.is_some());
        if was_picked {
            self.state().update(|state| state.row = None);
            self.session.record_change(Change::Detail);
        }
        was_picked
    }

    /// Returns the marked row: the selected command's row, or else the picked one.
    pub(super) fn marked_row(self) -> Option<u32> {
        self.selected_row.get().or_else(|| self.state().with(|state| state.row))
    }

    pub(super) fn list(self, rows: Vec<ComparedRow>) {
        self.rows.set_value(rows);
    }

    pub(super) fn go_by(self, by: isize) {
        let marked_row = untrack(|| self.marked_row());
        let next = self.rows.with_value(|rows| {
            let at = marked_row.and_then(|marked_row| rows.iter().position(|row| row.row == marked_row));
            let next = at.map_or(0, |at| at.saturating_add_signed(by));
            rows.get(next).cloned()
        });
        if let Some(next) = next {
            self.pick(&next);
        }
    }

    fn turn_to(self, other: Option<Other>) {
        if self.other.with_value(|current| *current == other) {
            return;
        }
        self.other.set_value(other.clone());
        self.number.update_value(|number| *number += 1);
        self.pair.set_value(None);
        // These belong to the previous comparison.
        self.rows.set_value(Vec::new());
        self.alone.set(None);
        self.selected_row.set(None);
        self.selected_pair.set(None);
        let (Some(other), Some(home)) = (other, self.session.home()) else {
            return self.stage.set(Stage::None);
        };
        match (other, home) {
            (Other::Trace(id), TraceSource::Server(own)) => self.ready(Pair::Server([own, id])),
            (Other::Trace(id), home) => {
                let name = id.clone();
                self.read(name, home, Box::pin(async move { client::file(&id, &id).await }));
            }
            (Other::File(name), home) => {
                let file = self.file.get_value().filter(|file| file.name() == name);
                match file {
                    Some(file) => self.read(name, home, Box::pin(async move { Ok(file) })),
                    None => self.stage.set(Stage::Missing(name)),
                }
            }
        }
    }

    fn ready(self, pair: Pair) {
        self.pair.set_value(Some(pair));
        self.stage.set(Stage::Ready(self.number.get_value()));
    }

    /// Loads the other file in the worker that has the page's own. If a server has the page's own trace, the worker
    /// downloads it.
    fn read(self, name: String, home: TraceSource, file: Reading) {
        self.stage.set(Stage::Reading(name));
        let own = self.number.get_value();
        let title = self.session.info().program.clone();
        let runs = self.runs.get_value();
        let part = untrack(|| self.part());
        spawn_local(async move {
            let reading = async {
                let file = file.await?;
                let worker = match home {
                    TraceSource::Worker(trace) => trace,
                    TraceSource::Server(id) => LocalTrace::load(&client::file(&id, &title).await?).await?,
                };
                worker.put_beside(&file).await?;
                for (place, files) in runs.into_iter().enumerate() {
                    for file in files {
                        if self.number.try_get_value() != Some(own) {
                            return Ok(Pair::Worker(worker));
                        }
                        worker.add_run(&file, place == 1, &part).await?;
                    }
                }
                Ok(Pair::Worker(worker))
            };
            let end = reading.await;
            // The user may have chosen another file, or left the page.
            if self.number.try_get_value() != Some(own) {
                return;
            }
            match end {
                Ok(pair) => self.ready(pair),
                Err(error) => self.stage.set(Stage::Failed(error)),
            }
        });
    }
}

/// Returns the part named by an address; the whole run if the address names none.
fn part_of(text: &str) -> PartOfRun {
    text.parse().unwrap_or_default()
}

fn first(side: &RowSide) -> Option<Selection> {
    let node = side.nodes.first().copied().map(Selection::Node);
    node.or_else(|| side.at.map(|at| Selection::Slice(at.slice)))
}
