mod arrows;
mod search;

use self::arrows::Arrows;
use self::search::Search;
use crate::components::toolbar::{ToolMenu, hint, leave_on_escape};
use crate::format;
use crate::reactive::*;
use crate::stage::saving::{PictureFormat, Pictures};
use crate::state::session::{use_session, with_key};
use crate::views::timeline::ID;
use crate::views::timeline::additions::MeasureKind;
use crate::views::timeline::input::Tool;
use crate::views::timeline::keys::Command;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::tracks::Grouping;
use crate::views::timeline::view::Timeline;

#[component]
pub(super) fn Toolbar(timeline: Timeline) -> impl IntoView {
    view! {
        <div class="timeline-toolbar" role="toolbar" aria-label="Timeline">
            <Tracks timeline/>
            <Search timeline/>
            <div class="timeline-tools"><Tools timeline/><Arrows timeline/><Saving timeline/></div>
        </div>
    }
}

#[component]
fn Tracks(timeline: Timeline) -> impl IntoView {
    let session = use_session();
    let choice = Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.choice.clone()));
    let left_out = move || {
        let (hidden, filtered) = timeline.signals.left_out.get();
        let total = (hidden + filtered) as u64;
        (total > 0).then(|| {
            let text = format!("{} not shown", format::counted(total, "track", "tracks"));
            view! {
                <button
                    type="button"
                    class="tool"
                    data-testid="show-all-tracks"
                    title=with_key("timeline.all_tracks", "Show all tracks (Shift+U)")
                    on:click=move |_| timeline.run(Command::ShowAllTracks)
                >{text}" ×"</button>
            }
        })
    };
    view! {
        <input
            type="search"
            class="tool-input track-filter"
            data-testid="track-filter"
            placeholder=with_key("timeline.filter_tracks", hint("Filter tracks (T)"))
            title="queue: tracks with this in their names\n-memory: not those\n+worker: one line of all of them\n*: any letters"
            aria-label="Filter tracks by name; -word excludes, +word merges, * stands for any letters"
            prop:value=move || choice.with(|choice| choice.filter.clone())
            on:input=move |event| {
                let text = event_target_value(&event);
                timeline.with(|controller| controller.change_tracks(|choice| choice.filter = text));
            }
            on:keydown=move |event| leave_on_escape(ID, &event)
        />
        <select
            class="tool-input"
            data-testid="group-by"
            aria-label="Group executions by"
            title=with_key("timeline.group", "Group executions (Shift+G)")
            on:change=move |event| {
                let text = event_target_value(&event);
                if let Some(grouping) = Grouping::from_word(&text) {
                    timeline.with(|controller| controller.change_tracks(|choice| choice.grouping = grouping));
                }
            }
        >
            {Grouping::ALL.iter().copied().map(|grouping| view! {
                <option
                    value=grouping.as_str()
                    prop:selected=move || choice.with(|choice| choice.grouping == grouping)
                >{format!("by {}", grouping.as_str())}</option>
            }).collect_view()}
        </select>
        {left_out}
    }
}

#[component]
fn Tools(timeline: Timeline) -> impl IntoView {
    let session = use_session();
    let tool = move |tool: Tool, text: &'static str, (command, title), testid: &'static str| {
        view! {
            <button
                type="button"
                class="tool"
                data-testid=testid
                title=with_key(command, title)
                aria-pressed=move || (timeline.signals.tool.get() == tool).to_string()
                on:click=move |_| { timeline.with(|controller| controller.toggle_tool(tool)); }
            >{text}</button>
        }
    };
    let measure = Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.measure));
    let measured = move || {
        measure.get().map(|measure| {
            let what = match measure.kind {
                MeasureKind::Ruler => "",
                MeasureKind::Gap => "gap ",
                MeasureKind::Overlap => "overlap ",
            };
            view! {
                <button
                    type="button"
                    class="tool"
                    data-testid="measured"
                    title=format!("{} from {} to {}; click to remove it", format::exact_duration(measure.length_ns()), format::exact_duration(measure.from_ns), format::exact_duration(measure.to_ns))
                    on:click=move |_| { timeline.with(|controller| controller.change_additions(|additions| additions.measure = None)); }
                >{what}{format::duration(measure.length_ns() as f64)}" ×"</button>
            }
        })
    };
    let zero = Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.zero_ns));
    let relative = move || {
        zero.get().map(|zero_ns| view! {
            <button
                type="button"
                class="tool"
                data-testid="relative-time"
                title=with_key("timeline.zero", "Time counts from here; click to count from the trace start (Z)")
                on:click=move |_| timeline.run(Command::Zero)
            >"0 = "{format::moment(zero_ns as f64)}" ×"</button>
        })
    };
    let has_path =
        Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.has_critical_path));
    view! {
        {tool(Tool::Measure, "Measure", ("timeline.measure", "Measure by dragging; snaps to slice edges (M)"), "tool-measure")}
        {tool(Tool::Area, "Area", ("timeline.area", "Select an area by dragging, or hold Ctrl (B)"), "tool-area")}
        {measured}
        {relative}
        <button
            type="button"
            class="tool"
            data-testid="critical-path"
            title=with_key("timeline.critical_path", "The chain of commands and waits that determined the run time (K)")
            aria-pressed=move || has_path.get().to_string()
            on:click=move |_| timeline.run(Command::CriticalPath)
        >"Critical path"</button>
    }
}

#[component]
fn Saving(timeline: Timeline) -> impl IntoView {
    let save = Callback::new(move |saved: PictureFormat| {
        timeline.with(|controller| controller.save_picture(saved));
    });
    view! {
        <ToolMenu view=ID text="Picture" title="Save this view as a picture" testid="pictures">
            <Pictures testids=("save-svg", "save-png") commands=("timeline.svg", "timeline.png") on_save=save/>
        </ToolMenu>
    }
}
