//! The trace beside the page's own: where it is, and what is picked of both.

use std::pin::Pin;

use leptos::task::spawn_local;
use syclscope_language::api::{ComparedRow, MatchedCommand, RowSide};
use syclscope_language::question::{CompareQuestion, Question};
use web_sys::File;

use crate::data::client::{self, ClientError};
use crate::data::json::Value;
use crate::data::pair::Pair;
use crate::data::trace_source::Home;
use crate::data::worker::LocalTrace;
use crate::hooks::answer::{Asked, use_text};
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::route::trace_path;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::state::url::part::AddressPart as _;
use crate::state::url::query::QueryWriter;
use crate::views::compare::state::{CompareState, Other};

/// How the other trace stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    /// None is chosen.
    None,
    /// It is being read.
    Reading(String),
    /// The address names a file of this computer, which the browser has forgotten.
    Wanted(String),
    /// Both answer; a new number for each pair.
    Ready(u32),
    /// It can't be had, and why.
    Failed(ClientError),
}

/// A file to come.
type Reading = Pin<Box<dyn Future<Output = Result<File, ClientError>>>>;

/// The other trace, for parts of the view to copy.
#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub(super) session: Session,
    pub(super) stage: RwSignal<Stage>,
    /// The row of the command that is selected anywhere on the page, where it has one.
    pub(super) selected_row: RwSignal<Option<u32>>,
    /// What that command is on both sides.
    pub(super) selected_pair: RwSignal<Option<MatchedCommand>>,
    /// What is selected in the other trace's timeline and has no counterpart.
    pub(super) alone: RwSignal<Option<Selection>>,
    /// The rows as they are listed.
    listed: StoredValue<Vec<ComparedRow>>,
    /// Which one `stage` is about.
    other: StoredValue<Option<Other>>,
    pair: StoredValue<Option<Pair>>,
    file: StoredValue<Option<File>>,
    /// Files of this computer that are further runs: of the side of the page's own trace, and of the other one. No address
    /// holds them.
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
            listed: StoredValue::new(Vec::new()),
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

    /// Whether the page's own trace is what is now.
    pub(super) fn is_swapped(self) -> bool {
        self.state().with(|state| state.is_swapped)
    }

    /// Turns to what the address names, now and whenever that changes.
    pub(super) fn follow(self) {
        let other = Memo::new(move |_| self.state().with(|state| state.other.clone()));
        Effect::new(move |_| self.turn_to(other.get()));
    }

    /// Asks about both traces, and anew whenever the question or one of them changes.
    pub(super) fn ask<T: Value + Send + Sync + 'static>(
        self,
        question: impl Fn() -> Option<CompareQuestion> + 'static,
    ) -> Asked<T> {
        let runs = Memo::new(move |_| self.state().with(|state| (state.is_swapped, state.more.clone())));
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let pair = self.pair.get_value()?;
            let (is_swapped, more) = runs.get();
            Some(pair.text(question()?, is_swapped, more))
        })
    }

    /// Asks the trace beside the page's own.
    pub(super) fn ask_other<T: Value + Send + Sync + 'static>(
        self,
        question: impl Fn() -> Option<Question> + 'static,
    ) -> Asked<T> {
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let (home, question) = (self.pair.get_value()?.other(), question()?);
            Some(Box::pin(async move { home.text(&question).await }))
        })
    }

    /// Where the trace beside the page's own is, once it answers.
    pub(super) fn other_home(self) -> Option<Home> {
        let Stage::Ready(_) = self.stage.get() else { return None };
        self.pair.get_value().map(Pair::other)
    }

    /// Asks every run of both sides, those of A first, each side its own question; a run that has no such thing answers nothing.
    pub(super) fn ask_runs<T: Value + Send + Sync + 'static>(
        self,
        questions: impl Fn() -> Option<[Option<Question>; 2]> + 'static,
    ) -> Asked<Vec<Vec<Option<T>>>> {
        use_text(move || {
            let Stage::Ready(_) = self.stage.get() else { return None };
            let (pair, home) = (self.pair.get_value()?, self.session.home()?);
            let (is_swapped, more) = self.state().with(|state| (state.is_swapped, state.more.clone()));
            Some(pair.of_runs(home, questions()?, is_swapped, more))
        })
    }

    /// The address of the same comparison on the other trace's page, where a server has both.
    pub(super) fn mirrored(self) -> Option<String> {
        let state = self.state().get_untracked();
        match (state.other, self.session.home()) {
            (Some(Other::Trace(other)), Some(Home::Server(own))) => {
                let [own_more, other_more] = state.more;
                let mirrored = CompareState {
                    other: Some(Other::Trace(own)),
                    is_swapped: !state.is_swapped,
                    more: [other_more, own_more],
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

    /// Compares with another trace.
    pub(super) fn choose(self, other: Option<Other>) {
        self.runs.set_value([Vec::new(), Vec::new()]);
        self.state().update(|state| {
            state.other = other;
            state.row = None;
            state.file = None;
            state.timelines = Default::default();
            state.more = Default::default();
        });
        self.session.changed(Change::Jump);
    }

    /// Adds a run to those of a side, 0 for that of the page's own trace, or takes it away.
    pub(super) fn toggle_run(self, side: usize, id: String) {
        self.state().update(|state| {
            let runs = &mut state.more[side];
            match runs.iter().position(|run| *run == id) {
                Some(place) => drop(runs.remove(place)),
                None => runs.push(id),
            }
        });
        self.session.changed(Change::Jump);
    }

    /// Compares with files of this computer: the first one is shown, the others are further runs.
    pub(super) fn take(self, files: Vec<File>) {
        let mut files = files.into_iter();
        let Some(file) = files.next() else { return };
        let other = Some(Other::File(file.name()));
        self.file.set_value(Some(file));
        // A file of the same name may be another one.
        self.other.set_value(None);
        self.choose(other.clone());
        self.runs.set_value([Vec::new(), files.collect()]);
        self.turn_to(other);
    }

    /// Adds files of this computer to the runs of a side, 0 for that of the page's own trace.
    pub(super) fn add_runs(self, side: usize, files: Vec<File>) {
        self.runs.update_value(|runs| runs[side].extend(files));
        self.retry();
    }

    /// The names of files that are further runs of a side.
    pub(super) fn run_names(self, side: usize) -> Vec<String> {
        self.stage.track();
        self.runs.with_value(|runs| runs[side].iter().map(File::name).collect())
    }

    /// Takes the files away that are further runs.
    pub(super) fn forget_runs(self) {
        self.runs.set_value([Vec::new(), Vec::new()]);
        self.retry();
    }

    /// Goes back to the choice.
    pub(super) fn leave(self) {
        if self.state().with_untracked(|state| state.other.is_some()) {
            self.choose(None);
        }
    }

    /// Tries again what has failed.
    pub(super) fn retry(self) {
        self.other.set_value(None);
        self.turn_to(self.state().with_untracked(|state| state.other.clone()));
    }

    pub(super) fn swap(self) {
        self.state().update(|state| {
            state.is_swapped = !state.is_swapped;
            // Rows have other numbers then.
            state.row = None;
        });
        self.session.changed(Change::Jump);
    }

    /// Picks a row: its commands are listed, and its first one of the page's own trace is selected.
    pub(super) fn pick(self, row: &ComparedRow) {
        let own = if untrack(|| self.is_swapped()) { &row.b } else { &row.a };
        self.pick_row(Some(row.row), own.as_ref().and_then(first));
    }

    /// The same by number, with what is to be selected.
    pub(super) fn pick_row(self, row: Option<u32>, own: Option<Selection>) {
        self.state().update(|state| state.row = row);
        self.session.select(own);
        self.session.changed(Change::Detail);
    }

    /// Picks no row, and nothing that is on the other side only. Says whether something was.
    pub(super) fn unpick(self) -> bool {
        if self.alone.with_untracked(Option::is_some) {
            self.alone.set(None);
            return true;
        }
        let was_picked = self.state().with_untracked(|state| state.row.is_some());
        if was_picked {
            self.state().update(|state| state.row = None);
            self.session.changed(Change::Detail);
        }
        was_picked
    }

    /// The row that is marked: that of the selected command, else the one that was picked.
    pub(super) fn marked(self) -> Option<u32> {
        self.selected_row.get().or_else(|| self.state().with(|state| state.row))
    }

    /// Which rows are listed, in their order.
    pub(super) fn list(self, rows: Vec<ComparedRow>) {
        self.listed.set_value(rows);
    }

    /// Picks a row before or after the marked one.
    pub(super) fn go_by(self, by: isize) {
        let marked = untrack(|| self.marked());
        let next = self.listed.with_value(|rows| {
            let at = marked.and_then(|marked| rows.iter().position(|row| row.row == marked));
            let next = at.map_or(0, |at| at.saturating_add_signed(by));
            rows.get(next).cloned()
        });
        if let Some(next) = next {
            self.pick(&next);
        }
    }

    fn turn_to(self, other: Option<Other>) {
        if self.other.with_value(|known| *known == other) {
            return;
        }
        self.other.set_value(other.clone());
        self.number.update_value(|number| *number += 1);
        self.pair.set_value(None);
        let (Some(other), Some(home)) = (other, self.session.home()) else {
            return self.stage.set(Stage::None);
        };
        match (other, home) {
            (Other::Trace(id), Home::Server(own)) => self.ready(Pair::Server([own, id])),
            (Other::Trace(id), home) => {
                let name = id.clone();
                self.read(name, home, Box::pin(async move { client::file(&id, &id).await }));
            }
            (Other::File(name), home) => {
                let file = self.file.get_value().filter(|file| file.name() == name);
                match file {
                    Some(file) => self.read(name, home, Box::pin(async move { Ok(file) })),
                    None => self.stage.set(Stage::Wanted(name)),
                }
            }
        }
    }

    fn ready(self, pair: Pair) {
        self.pair.set_value(Some(pair));
        self.stage.set(Stage::Ready(self.number.get_value()));
    }

    /// Reads the other file in the worker that has the page's own; where a server has that, in one that gets it from there.
    fn read(self, name: String, home: Home, file: Reading) {
        self.stage.set(Stage::Reading(name));
        let own = self.number.get_value();
        let title = self.session.info().title();
        let runs = self.runs.get_value();
        spawn_local(async move {
            let reading = async {
                let file = file.await?;
                let worker = match home {
                    Home::Worker(trace) => trace,
                    Home::Server(id) => LocalTrace::opened(&client::file(&id, &title).await?).await?,
                };
                worker.put_beside(&file).await?;
                for (place, files) in runs.into_iter().enumerate() {
                    for file in files {
                        worker.add_run(&file, place == 1).await?;
                    }
                }
                Ok(Pair::Worker(worker))
            };
            let end = reading.await;
            // The user may have chosen another one meanwhile, or have left the page.
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

/// The first command of one side of a row, to select it.
fn first(side: &RowSide) -> Option<Selection> {
    let node = side.nodes.first().copied().map(Selection::Node);
    node.or_else(|| side.at.map(|at| Selection::Slice(at.slice)))
}
