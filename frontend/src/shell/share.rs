//! Sharing: a link, another viewer, a file in another format, pictures.

mod contents;
mod hand_over;
mod links;
mod menu;

pub(crate) use self::contents::ContentsDialog;
pub(crate) use self::hand_over::hand_over;
pub(crate) use self::links::ShareDialog;
pub(crate) use self::menu::{Notices, ShareMenu};

use std::cell::Cell;

use leptos::task::spawn_local;
use syclscope_language::formats::Format;

use crate::browser::{self, now_ms, save, save_bytes, window};
use crate::data::export::{self, Progress, export};
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::idle::Busy;
use crate::state::session::Session;

pub(crate) fn copy_link(session: Session) {
    let link = session.link();
    let is_local = matches!(session.home(), Some(TraceSource::Worker(_)));
    let done = if is_local {
        "Copied a link to this view. To open it, choose the same file."
    } else {
        "Copied a link to this view"
    };
    copy(session, link, "link", done.to_owned());
}

/// Copies a text and shows the message `done`. If the browser refuses, shows the text itself, called `what`.
pub(crate) fn copy(session: Session, text: String, what: &'static str, done: String) {
    let busy = Busy::start();
    spawn_local(async move {
        let _busy = busy;
        if browser::copy(&text).await {
            session.tell(done);
        } else {
            session.fail(format!("The browser does not let this page copy. The {what} is {text}"));
        }
    });
}

pub(crate) fn download_recording(session: Session) {
    match session.home().and_then(|home| home.file_url()) {
        Some(address) => save("", &address),
        None => session.tell("This trace is a local file".to_owned()),
    }
}

/// Opens the report of the run, written by the server, in a new tab.
pub(crate) fn open_report(session: Session) {
    let Some(TraceSource::Server(id)) = session.home() else {
        return session
            .tell("For a local file: syclscope summary --format html -o report.html FILE".to_owned());
    };
    let address = format!("./api/v1/traces/{id}/summary.html");
    if !matches!(window().open_with_url_and_target(&address, "_blank"), Ok(Some(_))) {
        session.fail(format!("The browser blocked the window. The report is at {address}"));
    }
}

pub(crate) fn download(session: Session, format: Format) {
    let Some(home) = session.home() else { return };
    let name = match &home {
        TraceSource::Server(id) => {
            // The browser shows the progress, and the server names the file.
            save("", &export::address(id, format, false));
            return session.tell(format!("The server writes the {}; the browser saves it", words(format)));
        }
        TraceSource::Worker(trace) => format.file_name(&trace.file().name()),
    };
    spawn_local(async move {
        match export(&home, format, false, progress(session, &home, words(format))).await {
            Ok(bytes) => {
                save_bytes(&name, &bytes);
                session.tell(format!("Saved {name}, {}", format::bytes(bytes.size())));
            }
            Err(error) => session.fail(error.message),
        }
    });
}

/// Interval of progress messages, in ms.
const PROGRESS_INTERVAL_MS: f64 = 500.0;

/// Shows an export's progress: bytes written by a server, or bytes read of a local file.
fn progress(session: Session, home: &TraceSource, what: &'static str) -> Progress {
    let doing = match home {
        TraceSource::Server(_) => format!("Writing the {what}"),
        TraceSource::Worker(_) => "Reading the file".to_owned(),
    };
    let last_ms = Cell::new(f64::NEG_INFINITY);
    Box::new(move |bytes| {
        let now_ms = now_ms();
        if now_ms - last_ms.get() >= PROGRESS_INTERVAL_MS {
            last_ms.set(now_ms);
            session.tell(format!("{doing}: {} so far…", format::bytes(bytes)));
        }
    })
}

fn words(format: Format) -> &'static str {
    match format {
        Format::Perfetto => "Perfetto trace",
        Format::Json => "Chrome trace JSON",
        Format::Fxprof => "Firefox profile",
        Format::Parquet => "Parquet tables",
    }
}
