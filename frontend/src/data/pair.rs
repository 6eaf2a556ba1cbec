//! Source of a compared pair: a server with both traces, or a worker of this page. Callers don't see the difference.

use syclscope_language::question::{CompareQuestion, PartOfRun, Question};

use crate::data::client::{self, ClientError};
use crate::data::trace_source::{Text, TraceSource};
use crate::data::worker::LocalTrace;

#[derive(Clone)]
pub enum Pair {
    Server([String; 2]),
    Worker(LocalTrace),
}

impl Pair {
    pub fn other(self) -> TraceSource {
        match self {
            Self::Server([_, other]) => TraceSource::Server(other),
            Self::Worker(trace) => TraceSource::Worker(trace.other()),
        }
    }

    /// Returns the answer to a query about a part of the runs. The page's own trace is the baseline, unless they are
    /// swapped. `more` are the keys of further runs of both sides, if a server has them.
    pub fn text(
        self,
        question: CompareQuestion,
        part: PartOfRun,
        is_swapped: bool,
        more: [Vec<String>; 2],
    ) -> Text<'static> {
        Box::pin(async move {
            match self {
                Self::Server([own, other]) => {
                    let [own_more, other_more] = more;
                    let (own, other) = ((own, own_more), (other, other_more));
                    client::compare(if is_swapped { [other, own] } else { [own, other] }, &question, &part)
                        .await
                }
                Self::Worker(trace) => trace.compare(&question, &part, is_swapped).await,
            }
        })
    }

    /// Returns the answers of all runs, as a list for each side, the baseline first. `home` is the source of the page's
    /// own trace. The list has `null` for a run without an answer; it is empty for a side that is not queried.
    pub fn of_runs(
        self,
        home: TraceSource,
        questions: [Option<Question>; 2],
        is_swapped: bool,
        more: [Vec<String>; 2],
    ) -> Text<'static> {
        Box::pin(async move {
            let mut lists = Vec::new();
            for (side, question) in questions.into_iter().enumerate() {
                let Some(question) = question else {
                    lists.push("[]".to_owned());
                    continue;
                };
                let is_other = (side == 1) != is_swapped;
                let mut homes = vec![if is_other { self.clone().other() } else { home.clone() }];
                if let Self::Server(_) = self {
                    homes.extend(more[usize::from(is_other)].iter().cloned().map(TraceSource::Server));
                }
                let mut answers = Vec::new();
                for home in homes {
                    answers.push(or_null(home.text(&question).await)?);
                }
                if let Self::Worker(trace) = &self {
                    let list = trace.ask_runs(&question, is_other).await?;
                    answers.extend(in_list(&list).map(str::to_owned));
                }
                lists.push(format!("[{}]", answers.join(",")));
            }
            Ok(format!("[{}]", lists.join(",")))
        })
    }
}

/// Returns the content of a list's brackets, if any.
fn in_list(list: &str) -> Option<&str> {
    let items = list.strip_prefix('[')?.strip_suffix(']')?;
    (!items.is_empty()).then_some(items)
}

fn or_null(answer: Result<String, ClientError>) -> Result<String, ClientError> {
    match answer {
        Err(error) if error.code == "not_found" => Ok("null".to_owned()),
        answer => answer,
    }
}
