//! Views' code, loaded on demand.

use std::cell::RefCell;

use leptos::task::spawn_local;

use crate::data::client::ClientError;
use crate::hooks::answer::Answer;
use crate::reactive::*;
use crate::state::view::View;
use crate::state::view_descriptor::{Code, ViewCode, ViewDescriptor};

thread_local! {
    static CODES: RefCell<Vec<(View, Code)>> = const { RefCell::new(Vec::new()) };
}

/// Loads the code of a view into `answer`, unless it is loaded or pending; `arrived` gets it first.
pub(crate) fn load(
    descriptor: &'static ViewDescriptor,
    answer: RwSignal<Answer<Code>>,
    arrived: Box<dyn FnOnce(Code)>,
) {
    if answer.with_untracked(|answer| matches!(answer, Answer::Loading | Answer::Ready(_))) {
        return;
    }
    let begin = match descriptor.code {
        ViewCode::Here(code) => return take_over(answer, code, arrived),
        ViewCode::Later(begin) => begin,
    };
    let loaded =
        CODES.with_borrow(|all| all.iter().find(|(view, _)| *view == descriptor.view).map(|(_, code)| *code));
    if let Some(code) = loaded {
        return take_over(answer, code, arrived);
    }
    answer.set(Answer::Loading);
    spawn_local(async move {
        let code = begin().await;
        if let Ok(code) = code {
            CODES.with_borrow_mut(|all| all.push((descriptor.view, code)));
        }
        // The page may show another trace by now.
        if answer.try_with_untracked(|_| ()).is_some() {
            match code {
                Ok(code) => take_over(answer, code, arrived),
                Err(_) => answer.set(Answer::Failed(missing(descriptor))),
            }
        }
    });
}

fn take_over(answer: RwSignal<Answer<Code>>, code: Code, arrived: Box<dyn FnOnce(Code)>) {
    arrived(code);
    answer.set(Answer::Ready(code));
}

fn missing(descriptor: &ViewDescriptor) -> ClientError {
    let message = format!(
        "The code of the view “{}” could not be loaded. Check that `syclscope` is running, then try again; if it was \
         updated meanwhile, reload the page.",
        descriptor.title
    );
    ClientError { code: "unreachable".to_owned(), message }
}
