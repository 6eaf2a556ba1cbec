//! Filters of the trace list: search, days, projects, and chips for the rest.

use syclscope_language::api::ProjectEntry;

use crate::components::icons::{Icon, IconKind};
use crate::format;
use crate::reactive::*;
use crate::state::listing::Filters;

#[component]
pub(crate) fn ListFilters(
    filters: RwSignal<Filters>,
    projects: RwSignal<Vec<ProjectEntry>>,
) -> impl IntoView {
    let day = move |name: &'static str, label: &'static str| {
        view! {
            <label class="day" title="Days are in UTC">
                {label}
                <input
                    type="date"
                    data-testid=name
                    prop:value=move || filters.with(|filters| filters.get(name).to_owned())
                    on:change=move |event| filters.update(|filters| filters.set(name, &event_target_value(&event)))
                />
            </label>
        }
    };
    let chips = move || {
        let chips =
            filters.with(Filters::chips).into_iter().filter(|(name, _)| !matches!(*name, "from" | "to"));
        let chip = move |(name, value): (&'static str, String)| {
            let (text, label) = (format!("{name} {value}"), format!("Without {name} {value}"));
            view! {
                <button
                    type="button"
                    class="label-chip"
                    data-testid="filter"
                    aria-label=label
                    on:click=move |_| filters.update(|filters| filters.toggle(name, &value))
                >
                    {text}
                    <Icon kind=IconKind::Close/>
                </button>
            }
        };
        chips.map(chip).collect_view()
    };
    let places = move || {
        let all = projects.get();
        let is_worth_it =
            all.len() > 1 || all.iter().any(|one| one.quota_bytes.is_some() || one.retention_days.is_some());
        is_worth_it.then(|| all.into_iter().map(|project| place(project, filters)).collect_view())
    };
    view! {
        <div class="list-filters" role="search">
            <input
                type="search"
                placeholder="Search traces"
                aria-label="Search names, programs, devices, kernels, labels and people"
                aria-keyshortcuts="/"
                data-testid="search"
                prop:value=move || filters.with(|filters| filters.get("q").to_owned())
                on:input=move |event| filters.update(|filters| filters.set("q", &event_target_value(&event)))
            />
            {day("from", "From")}
            {day("to", "To")}
            {chips}
        </div>
        <div class="projects">{places}</div>
    }
}

fn place(project: ProjectEntry, filters: RwSignal<Filters>) -> impl IntoView {
    let ProjectEntry { id, name, traces, used_bytes, quota_bytes, retention_days, .. } = project;
    let mut text =
        format!("{}, {}", format::counted(traces, "trace", "traces"), format::bytes(used_bytes as f64));
    if let Some(quota) = quota_bytes {
        text += &format!(" of {}", format::bytes(quota as f64));
    }
    if let Some(days) = retention_days {
        text += &format!(", kept for {}", format::counted(days, "day", "days"));
    }
    let label = format!("Use of {name}");
    let meter = quota_bytes.map(|quota| {
        let (quota, used, high) = (quota.to_string(), used_bytes.to_string(), (quota / 10 * 9).to_string());
        view! { <meter max=quota high=high value=used aria-label=label></meter> }
    });
    let project = id.clone();
    view! {
        <span class="project" data-testid="project">
            <button
                type="button"
                class="label-chip"
                aria-pressed=move || filters.with(|filters| filters.has("project", &project)).to_string()
                on:click=move |_| filters.update(|filters| filters.toggle("project", &id))
            >
                {name}
            </button>
            {meter}
            <span class="quiet">{text}</span>
        </span>
    }
}
