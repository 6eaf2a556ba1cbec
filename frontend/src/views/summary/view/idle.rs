//! The card about idle time of devices: by cause, and the longest gaps.

use syclscope_language::api::Gaps;
use syclscope_language::event::TrackKind;
use syclscope_language::question::{GapsQuestion, Question};

use super::Card;
use super::scope::Part;
use crate::components::idle_time::{IdleClasses, IdleStretches};
use crate::components::states::show_lasting_answer;
use crate::format;
use crate::hooks::answer::use_lasting_answer;
use crate::reactive::*;
use crate::state::session::use_session;

const MAX_GAPS: u32 = 5;

#[component]
pub(super) fn IdleTime() -> impl IntoView {
    let part = expect_context::<Part>();
    let info = use_session().info();
    let devices = info.tracks.iter().filter(|track| track.kind == TrackKind::Device).count();
    // The gaps of several devices overlap.
    let summed = if devices > 1 { " summed" } else { "" };
    let query = use_lasting_answer::<Gaps>(move || {
        let (from_ns, to_ns) = part.ends();
        Some(Question::Gaps(GapsQuestion { from_ns, to_ns, limit: MAX_GAPS, ..GapsQuestion::default() }))
    });
    show_lasting_answer(query, "idle time", move |Gaps { idle_ns, classes, gaps, .. }| {
        let big = format!("{}{summed}", format::duration(idle_ns as f64));
        (idle_ns > 0).then(|| {
            view! {
                <Card title="Idle time of devices" testid="idle-time" wide=true big>
                    <IdleClasses idle_ns classes/>
                    <IdleStretches gaps/>
                </Card>
            }
        })
    })
}
