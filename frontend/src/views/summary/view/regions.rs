//! The card about regions of the program: by path, with commands and waits in them.

use syclscope_language::api::{RegionReport, Regions};
use syclscope_language::event::Category;
use syclscope_language::question::{Question, RegionsQuestion};

use super::name_line::{MAX_LETTERS, show_name};
use super::scope::Part;
use super::{Card, Lines, USUAL_LINES};
use crate::components::name_cell::NameCell;
use crate::components::states::show_lasting_answer;
use crate::format;
use crate::hooks::answer::use_lasting_answer;
use crate::reactive::*;
use crate::state::session::use_session;

#[component]
pub(super) fn RegionTimes() -> impl IntoView {
    let part = expect_context::<Part>();
    let query = use_lasting_answer::<Regions>(move || {
        let (from_ns, to_ns) = part.ends();
        Some(Question::Regions(RegionsQuestion { from_ns, to_ns, limit: USUAL_LINES as u32 }))
    });
    show_lasting_answer(query, "regions", |Regions { regions, more }| {
        (!regions.is_empty()).then(|| {
            let lines = regions.into_iter().map(|region| view! { <Region region/> }).collect_view();
            let more = (more > 0).then(|| {
                view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> }
            });
            view! {
                <Card title="Regions of the program" testid="regions" big=String::new()>
                    <Lines caption="Regions">{lines}</Lines>
                    {more}
                </Card>
            }
        })
    })
}

#[component]
fn Region(region: RegionReport) -> impl IntoView {
    let session = use_session();
    let ns = |ns: u64| format::duration(ns as f64);
    let name = region.path.last().cloned().unwrap_or_default();
    let title = format!(
        "{}\nmedian {}, longest {}\n{}: device {}, copies {}",
        region.path.join(" / "),
        ns(region.median_ns),
        ns(region.max_ns),
        format::counted(region.commands, "command", "commands"),
        ns(region.device_ns),
        ns(region.copy_ns),
    );
    let on_press = show_name(session, name.clone());
    view! {
        <tr title=title>
            <NameCell short=session.fit_name(&name, MAX_LETTERS) name category=Category::User on_press/>
            <td class="number quiet">{format!("{} ×", format::count(region.count))}</td>
            <td class="number">{ns(region.total_ns)}</td>
            <td class="number quiet">{format!("waited {}", ns(region.wait_ns))}</td>
        </tr>
    }
}
