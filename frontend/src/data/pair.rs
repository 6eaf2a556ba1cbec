//! Where two traces are compared: a server that holds both, or a worker of this page. Who asks can't tell which.

use syclscope_language::question::{CompareQuestion, Question};

use crate::data::client;
use crate::data::home::Text;
use crate::data::worker::LocalTrace;

/// Two traces: the page's own, and the one beside it.
#[derive(Clone)]
pub enum Pair {
    /// A server holds them under these keys.
    Server([String; 2]),
    /// A worker holds them.
    Worker(LocalTrace),
}

impl Pair {
    /// What the trace beside the page's own answers to a question.
    pub fn other(self, question: Question) -> Text<'static> {
        Box::pin(async move {
            match self {
                Self::Server([_, other]) => client::ask(&other, &question).await,
                Self::Worker(trace) => trace.ask_other(&question).await,
            }
        })
    }

    /// The answer to a question. The page's own trace is what was before, unless they are swapped. `more` are the keys of further
    /// runs of its side and of the other one, where a server has them.
    pub fn text(self, question: CompareQuestion, is_swapped: bool, more: [Vec<String>; 2]) -> Text<'static> {
        Box::pin(async move {
            match self {
                Self::Server([own, other]) => {
                    let [own_more, other_more] = more;
                    let (own, other) = ((own, own_more), (other, other_more));
                    client::compare(if is_swapped { [other, own] } else { [own, other] }, &question).await
                }
                Self::Worker(trace) => trace.compare(&question, is_swapped).await,
            }
        })
    }
}
