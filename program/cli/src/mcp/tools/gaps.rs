//! Idle time for an assistant, with the longest parts of each gap.

use serde_json::{Value, json};
use syclscope_engine::store::Trace;
use syclscope_language::api::Gap;
use syclscope_language::question::GapsQuestion;

use super::Refusal;

const MAX_PARTS: usize = 5;

/// Answers `gaps` with at most [`MAX_PARTS`] parts for each gap. `more_parts` and `more_parts_ns` count the
/// others.
pub(super) fn answer(trace: &Trace, question: &GapsQuestion) -> Result<String, Refusal> {
    let mut answer = trace.gaps(question)?;
    let gaps: Vec<Value> =
        std::mem::take(&mut answer.gaps).into_iter().map(shorten).collect::<Result<_, _>>()?;
    let mut answer = serde_json::to_value(answer)?;
    answer["gaps"] = json!(gaps);
    Ok(answer.to_string())
}

fn shorten(mut gap: Gap) -> serde_json::Result<Value> {
    let mut order: Vec<usize> = (0..gap.parts.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(gap.parts[*place].step.duration_ns));
    let rest = order.split_off(MAX_PARTS.min(order.len()));
    let rest_ns: u64 = rest.iter().map(|place| gap.parts[*place].step.duration_ns).sum();
    let mut place = 0;
    gap.parts.retain(|_| {
        place += 1;
        !rest.contains(&(place - 1))
    });
    let mut gap = serde_json::to_value(gap)?;
    if !rest.is_empty() {
        gap["more_parts"] = json!(rest.len());
        gap["more_parts_ns"] = json!(rest_ns);
    }
    Ok(gap)
}
