//! Uploads with progress. A file of more than one part is sent in parts: a broken connection costs at most the current
//! part, and [`Upload::go_on`] sends only the missing ones.

mod parts;
mod request;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::TraceEntry;
use web_sys::{File, XmlHttpRequest};

use self::request::{Answer, UploadRequest};
use crate::data::client::{self, ClientError};
use crate::idle::Busy;

/// Largest file that is sent in one request, in bytes: one part of a server.
const ONE_REQUEST_BYTES: f64 = (16 << 20) as f64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Share of the bytes sent, 0 to 1.
    Sending(f64),
    /// The server does not respond; the request is retried in a moment.
    Waiting,
    Sent,
    /// The server imports the trace, even if no client waits for it.
    Importing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Stored(TraceEntry),
    Failed(ClientError),
    /// The connection was lost; the upload can be resumed.
    Interrupted,
}

#[derive(Clone)]
pub struct Upload(Rc<Shared>);

struct Shared {
    file: File,
    /// Id of its project; `None` for the server's default.
    project: Option<String>,
    tell: Box<dyn Fn(Progress)>,
    done: Box<dyn Fn(Outcome)>,
    /// Upload id on the server, once it has started in parts.
    id: RefCell<Option<String>>,
    request: RefCell<Option<XmlHttpRequest>>,
    /// Number of the current attempt; earlier ones send and report nothing.
    number: Cell<u32>,
}

#[derive(Clone)]
struct Attempt {
    shared: Rc<Shared>,
    number: u32,
}

impl Upload {
    pub fn start(
        file: File,
        project: Option<String>,
        tell: impl Fn(Progress) + 'static,
        done: impl Fn(Outcome) + 'static,
    ) -> Self {
        let (tell, done) = (Box::new(tell), Box::new(done));
        let (id, request, number) = (RefCell::default(), RefCell::default(), Cell::default());
        let upload = Self(Rc::new(Shared { file, project, tell, done, id, request, number }));
        upload.go_on();
        upload
    }

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

    /// Cancels the upload and deletes the sent parts from the server. No callback runs after this.
    pub fn cancel(&self) {
        self.leave();
        if let Some(id) = self.0.id.take() {
            // If this fails, the server cleans up by itself later.
            spawn_local(async move { drop(client::delete_at(&parts::address(&id)).await) });
        }
    }

    /// Ends the current attempt and returns the number of the next one.
    fn leave(&self) -> u32 {
        self.0.number.set(self.0.number.get() + 1);
        if let Some(request) = self.0.request.take() {
            // Aborting a finished request has no effect.
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

    fn tell_sent(&self, bytes: f64) {
        let share = bytes / self.shared.file.size();
        self.tell(if share < 1.0 { Progress::Sending(share) } else { Progress::Sent });
    }
}

async fn send_whole(attempt: &Attempt) -> Outcome {
    let file = &attempt.shared.file;
    let name: String = js_sys::encode_uri_component(&file.name()).into();
    let mut path = format!("./api/v1/traces?name={name}");
    if let Some(project) = &attempt.shared.project {
        path += &format!("&project={project}");
    }
    let request =
        UploadRequest { method: "POST", path: &path, bytes: Some((file, 0.0)), ..UploadRequest::default() };
    match request::send(attempt, &request).await.map(Answer::value) {
        Some(Ok(trace)) => Outcome::Stored(trace),
        Some(Err(error)) => Outcome::Failed(error),
        None => Outcome::Interrupted,
    }
}
