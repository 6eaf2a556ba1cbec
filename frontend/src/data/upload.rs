//! Uploads, with progress. A file of more than one part goes in parts: what broke a connection costs no more than the part that
//! was under way, and [`Upload::go_on`] sends only what the server has not got.

mod parts;
mod request;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::TraceEntry;
use web_sys::{File, XmlHttpRequest};

use self::request::{Answer, Wanted};
use crate::data::client::{self, ClientError};
use crate::idle::Busy;

/// The largest file that goes in one request, in bytes: one part of a server.
const ONE_REQUEST_BYTES: f64 = (16 << 20) as f64;

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// The share of the bytes that was sent, from 0 to 1.
    Sending(f64),
    /// The server does not answer, and is asked again in a moment.
    Waiting,
    /// All is sent.
    Sent,
    /// The server makes a trace of it, whether or not somebody waits for that.
    Importing,
}

/// How an upload ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server holds the trace.
    Stored(TraceEntry),
    /// It does not, and why.
    Failed(ClientError),
    /// The connection broke and did not come back: it can go on.
    Interrupted,
}

/// An upload, under way or interrupted.
#[derive(Clone)]
pub struct Upload(Rc<Shared>);

struct Shared {
    file: File,
    tell: Box<dyn Fn(Progress)>,
    done: Box<dyn Fn(Outcome)>,
    /// Its id at the server, once it has begun in parts.
    id: RefCell<Option<String>>,
    /// The request that sends something now.
    request: RefCell<Option<XmlHttpRequest>>,
    /// Which attempt goes on; none of another number says or sends anything.
    number: Cell<u32>,
}

/// An attempt to send what is missing.
#[derive(Clone)]
struct Attempt {
    shared: Rc<Shared>,
    number: u32,
}

impl Upload {
    /// Sends a file. `tell` hears how far it is, `done` how it ended.
    pub fn start(file: File, tell: impl Fn(Progress) + 'static, done: impl Fn(Outcome) + 'static) -> Self {
        let (tell, done) = (Box::new(tell), Box::new(done));
        let (id, request, number) = (RefCell::default(), RefCell::default(), Cell::default());
        let upload = Self(Rc::new(Shared { file, tell, done, id, request, number }));
        upload.go_on();
        upload
    }

    /// Sends what the server has not got yet.
    pub fn go_on(&self) {
        let attempt = Attempt { number: self.leave(), shared: self.0.clone() };
        let busy = Busy::start();
        spawn_local(async move {
            let _busy = busy;
            let outcome = match attempt.shared.file.size() > ONE_REQUEST_BYTES {
                true => parts::send(&attempt).await,
                false => send_whole(&attempt).await,
            };
            if !attempt.is_over() {
                (attempt.shared.done)(outcome);
            }
        });
    }

    /// Sends no more, and lets the server forget what it has got. Nothing more is heard of it.
    pub fn cancel(&self) {
        self.leave();
        if let Some(id) = self.0.id.take() {
            // What nobody drops, the server drops by itself later.
            spawn_local(async move { drop(client::delete_at(&parts::address(&id)).await) });
        }
    }

    /// Ends the attempt that is under way: the number of the next one.
    fn leave(&self) -> u32 {
        self.0.number.set(self.0.number.get() + 1);
        if let Some(request) = self.0.request.take() {
            // A request that has ended already stays as it is.
            let _ = request.abort();
        }
        self.0.number.get()
    }
}

impl Attempt {
    fn is_over(&self) -> bool {
        self.shared.number.get() != self.number
    }

    fn tell(&self, progress: Progress) {
        if !self.is_over() {
            (self.shared.tell)(progress);
        }
    }

    /// Says that so many bytes of the file were sent.
    fn tell_sent(&self, bytes: f64) {
        let share = bytes / self.shared.file.size();
        self.tell(if share < 1.0 { Progress::Sending(share) } else { Progress::Sent });
    }
}

async fn send_whole(attempt: &Attempt) -> Outcome {
    let file = &attempt.shared.file;
    let name: String = js_sys::encode_uri_component(&file.name()).into();
    let path = format!("./api/v1/traces?name={name}");
    let wanted = Wanted { method: "POST", path: &path, bytes: Some((file, 0.0)), ..Wanted::default() };
    match request::send(attempt, &wanted).await.map(Answer::value) {
        Some(Ok(trace)) => Outcome::Stored(trace),
        Some(Err(error)) => Outcome::Failed(error),
        None => Outcome::Interrupted,
    }
}
