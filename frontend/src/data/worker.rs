//! Local traces: a web worker imports files and answers queries, with the server's code.
//!
//! The worker is a separate WebAssembly module (`frontend/worker`), started by the page's script. It receives lists
//! whose first element is a word:
//! - `open` with a file;
//! - `ask` with a number, a query, and true if it is about the second file;
//! - `beside` with a number and a second file;
//! - `run` with a number, the file of a further run, true for the second file's side, and the compared part;
//! - `runs` with a number, a query to all further runs of a side, and true for the second file's side;
//! - `compare` with a number, a query about a part of both, and true if the second one is the baseline.
//!
//! It sends `progress` with the number of bytes read, `opened`, `failed` with code and message, `answer` with number and
//! JSON, and `refused` with number, code and message.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use syclscope_language::question::{CompareQuestion, PartOfRun, Question};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, File, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::browser::document;
use crate::data::client::ClientError;
use crate::idle::Busy;

#[derive(Clone, Debug, PartialEq)]
pub enum Import {
    /// Number of bytes read.
    Read(f64),
    Opened,
    /// The file is not a trace, or does not fit in memory.
    Failed(ClientError),
}

/// A trace in a worker. The worker ends when the last handle is dropped.
#[derive(Clone)]
pub struct LocalTrace {
    worker: Rc<Running>,
    /// True if queries are about the second file.
    is_other: bool,
}

struct Running {
    worker: Worker,
    file: File,
    waiting: Waiting,
    next_number: Cell<u32>,
    callbacks: RefCell<Option<Callbacks>>,
}

type Waiting = Rc<RefCell<HashMap<u32, Function>>>;
type Callbacks = (Closure<dyn FnMut(MessageEvent)>, Closure<dyn FnMut(ErrorEvent)>);

impl LocalTrace {
    pub fn open(file: &File, heard: impl Fn(Import) + 'static) -> Result<Self, ClientError> {
        let worker = start("engine").map_err(|_| not_started())?;
        let waiting = Waiting::default();
        let pending = RefCell::new(Some(Busy::start()));
        let heard = Rc::new(move |import: Import| {
            let is_progress = matches!(import, Import::Read(_));
            if !is_progress {
                pending.borrow_mut().take();
            }
            // After the first file, progress is that of a second file or a further run.
            if !is_progress || pending.borrow().is_some() {
                heard(import);
            }
        });
        let on_message = {
            let (waiting, heard) = (waiting.clone(), heard.clone());
            Closure::new(move |event: MessageEvent| listen(&event.data(), &waiting, &*heard))
        };
        let on_error = {
            let waiting = waiting.clone();
            Closure::new(move |event: ErrorEvent| {
                let error = broken(&event.message());
                for (_, resolve) in waiting.borrow_mut().drain() {
                    answer(&resolve, &error.code, &error.message.as_str().into());
                }
                heard(Import::Failed(error));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let message = Array::of2(&"open".into(), file);
        worker.post_message(&message).map_err(|_| not_started())?;
        let callbacks = RefCell::new(Some((on_message, on_error)));
        let (file, next_number) = (file.clone(), Cell::new(0));
        let worker = Rc::new(Running { worker, file, waiting, next_number, callbacks });
        Ok(Self { worker, is_other: false })
    }

    pub fn file(&self) -> File {
        self.worker.file.clone()
    }

    /// Like [`open`](Self::open), but returns once the trace is loaded.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a trace or does not fit in memory.
    pub async fn load(file: &File) -> Result<Self, ClientError> {
        let mut resolve = None;
        let promise = Promise::new(&mut |end, _| resolve = Some(end));
        let heard = move |import: Import| {
            let Some(resolve) = &resolve else { return };
            match import {
                Import::Read(_) => {}
                Import::Opened => answer(resolve, "", &JsValue::UNDEFINED),
                Import::Failed(error) => answer(resolve, &error.code, &error.message.into()),
            }
        };
        let trace = Self::open(file, heard)?;
        await_answer(promise).await.map(|_| trace)
    }

    pub async fn ask(&self, question: &Question) -> Result<String, ClientError> {
        self.send("ask", &question.to_string().into(), self.is_other).await
    }

    #[must_use]
    pub fn other(&self) -> Self {
        Self { is_other: true, ..self.clone() }
    }

    /// Loads a second file to compare with; it replaces an earlier one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a trace or does not fit in memory.
    pub async fn put_beside(&self, file: &File) -> Result<(), ClientError> {
        self.send("beside", file, false).await.map(drop)
    }

    /// Loads a part of a further run of one of the two sides. The worker keeps only its metrics and lines.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a trace, lacks the part, or does not fit in memory.
    pub async fn add_run(&self, file: &File, is_of_other: bool, part: &PartOfRun) -> Result<(), ClientError> {
        self.post("run", file, is_of_other, &part.to_string()).await.map(drop)
    }

    /// Queries the further runs of one of the two sides; returns the list of answers, with `null` for a run without
    /// one.
    ///
    /// # Errors
    ///
    /// Returns an error if the query is invalid.
    pub async fn ask_runs(&self, question: &Question, is_of_other: bool) -> Result<String, ClientError> {
        self.send("runs", &question.to_string().into(), is_of_other).await
    }

    /// Queries a part of both traces; the second one is the baseline if they are swapped.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no second trace, or if the query has no answer.
    pub async fn compare(
        &self,
        question: &CompareQuestion,
        part: &PartOfRun,
        is_swapped: bool,
    ) -> Result<String, ClientError> {
        self.send("compare", &part.with(question).into(), is_swapped).await
    }

    async fn send(&self, word: &str, what: &JsValue, flag: bool) -> Result<String, ClientError> {
        self.post(word, what, flag, "").await
    }

    async fn post(&self, word: &str, what: &JsValue, flag: bool, part: &str) -> Result<String, ClientError> {
        let _pending = Busy::start();
        let Running { worker, waiting, next_number, .. } = &*self.worker;
        let number = next_number.get();
        next_number.set(number.wrapping_add(1));
        let promise = Promise::new(&mut |resolve, _| {
            waiting.borrow_mut().insert(number, resolve);
        });
        let message = Array::of5(&word.into(), &f64::from(number).into(), what, &flag.into(), &part.into());
        worker.post_message(&message).map_err(|_| broken("it does not accept messages"))?;
        await_answer(promise).await
    }
}

async fn await_answer(promise: Promise) -> Result<String, ClientError> {
    let answer = JsFuture::from(promise).await.map_err(|_| broken("it does not respond"))?;
    let answer: Array = answer.unchecked_into();
    match (text(&answer, 0), text(&answer, 1)) {
        (code, body) if code.is_empty() => Ok(body),
        (code, message) => Err(ClientError { code, message }),
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        self.callbacks.borrow_mut().take();
    }
}

/// Starts the page's script as a worker that loads the named module.
pub(super) fn start(name: &str) -> Result<Worker, JsValue> {
    let meta = document().query_selector("meta[name=\"syclscope-boot\"]")?.ok_or(JsValue::NULL)?;
    let script = meta.get_attribute("data-boot").ok_or(JsValue::NULL)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    Worker::new_with_options(&script, &options)
}

fn listen(data: &JsValue, waiting: &Waiting, heard: &dyn Fn(Import)) {
    let message: &Array = data.unchecked_ref();
    let number = || message.get(1).as_f64().unwrap_or_default();
    match text(message, 0).as_str() {
        "progress" => heard(Import::Read(number())),
        "opened" => heard(Import::Opened),
        "failed" => heard(Import::Failed(ClientError { code: text(message, 1), message: text(message, 2) })),
        word @ ("answer" | "refused") => {
            let number = number() as u32;
            let resolve = waiting.borrow_mut().remove(&number);
            match (word, resolve) {
                ("answer", Some(resolve)) => answer(&resolve, "", &message.get(2)),
                (_, Some(resolve)) => answer(&resolve, &text(message, 2), &message.get(3)),
                _ => {}
            }
        }
        _ => {}
    }
}

/// Resolves a promise with a list: the error's code, empty on success, and the body or message.
fn answer(resolve: &Function, code: &str, body: &JsValue) {
    let list = Array::of2(&code.into(), body);
    // The function resolves our promise and accepts any value.
    let _ = resolve.call1(&JsValue::NULL, &list);
}

pub(super) fn text(list: &Array, index: u32) -> String {
    list.get(index).as_string().unwrap_or_default()
}

pub(super) fn not_started() -> ClientError {
    ClientError {
        code: "no_worker".into(),
        message: "The browser could not start a worker for the file. It needs a browser from 2023 or later; reload to try again."
            .into(),
    }
}

pub(super) fn broken(why: &str) -> ClientError {
    ClientError {
        code: "worker_ended".into(),
        message: format!(
            "The worker for this file stopped ({why}). A page can use at most 4 GiB: open larger traces with \
             `syclscope open`."
        ),
    }
}
