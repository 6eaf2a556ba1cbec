//! The address space at a moment: a row of blocks for each kind of memory and device, with metrics of fragmentation.

use syclscope_language::api::{MemoryAt, MemoryBlock, MemorySpace, TraceInfo};

use super::super::board::{Board, BoardView, Model};
use super::super::related::use_selected_memory;
use crate::canvas::draw_list::Colour;
use crate::canvas::palette::{Scheme, Theme, change_colours, memory_colour};
use crate::canvas::scale::Size;
use crate::components::theme::use_scheme;
use crate::format;
use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::stage::tooltip::Bubble;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;
use crate::views::memory::draw::blocks::{BlockRow, block_at, draw, places};
use crate::views::memory::gesture::Gesture;
use crate::views::memory::names;
use crate::views::memory::related::RelatedObjects;

#[component]
pub(super) fn Spaces(memory: MemoryAt) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let has_change = memory.to_ns.is_some();
    let rows = (0..memory.spaces.len()).map(|space| {
        let blocks = memory.blocks.iter().filter(|block| block.space as usize == space).cloned().collect();
        let own = MemoryAt { blocks, spaces: Vec::new(), places: Vec::new(), change: None, ..memory.clone() };
        view! { <Space title=title(&info, &memory.spaces[space]) space=memory.spaces[space].clone() memory=own/> }
    });
    let rows = rows.collect_view();
    view! {
        {has_change.then(|| view! {
            <ul class="change-legend" aria-label="Colours">
                <Change which=0 text="at both"/><Change which=1 text="at the second only"/><Change which=2 text="at the first only"/>
            </ul>
        })}
        <div class="spaces">{rows}</div>
    }
}

#[component]
fn Change(which: usize, text: &'static str) -> impl IntoView {
    let scheme = use_scheme();
    view! {
        <li>
            <span class="chip" style:background-color=move || change_colours(scheme.get())[which].css()></span>
            {text}
        </li>
    }
}

fn title(info: &TraceInfo, space: &MemorySpace) -> String {
    let title = names::title(info, space.kind, space.process);
    if space.device.is_empty() { title } else { format!("{title} · {}", space.device) }
}

fn colour(scheme: Scheme, space: &MemorySpace, has_change: bool, block: &MemoryBlock) -> Colour {
    if !has_change {
        return memory_colour(scheme, space.kind);
    }
    let [common, allocated, released] = change_colours(scheme);
    let max = block.kept_bytes.max(block.allocated_bytes).max(block.released_bytes);
    match max {
        max if max == block.kept_bytes => common,
        max if max == block.allocated_bytes => allocated,
        _ => released,
    }
}

#[component]
fn Space(title: String, space: MemorySpace, memory: MemoryAt) -> impl IntoView {
    let session = use_session();
    let related = use_selected_memory().related;
    let pointer = RwSignal::new(None::<Point>);
    let size = RwSignal::new(Size::default());
    let has_change = memory.to_ns.is_some();
    let moment = if has_change { "at the first: " } else { "" };
    let figures = names::figures(&space);
    let memory = StoredValue::new((memory, space));
    let with_row = move |size: Size, theme: &Theme, act: &mut dyn FnMut(&BlockRow<'_>)| {
        let selected = related.with_untracked(RelatedObjects::rows);
        memory.with_value(|(memory, space)| {
            let colour = |block: &MemoryBlock| colour(theme.scheme, space, has_change, block);
            act(&BlockRow {
                width_css_px: size.width_css_px,
                height_css_px: size.height_css_px,
                theme,
                memory,
                has_addresses: space.has_addresses,
                colour: &colour,
                selected: &selected,
            });
        });
    };
    let block_under = move |at: Point| {
        let mut found = None;
        with_row(size.get_untracked(), &Theme::default(), &mut |row| {
            found = block_at(&places(row).1, at.x).map(|place| row.memory.blocks[place].clone());
        });
        found
    };
    let model = Model {
        label: "Memory blocks by address. The table below lists them.",
        testid: "memory-blocks",
        scrolls: false,
        depends: Box::new(move || related.track()),
        draw: Box::new(move |size, theme| {
            let mut list = Default::default();
            with_row(size, theme, &mut |row| list = draw(row));
            list
        }),
        after: Box::new(move |new| {
            if size.get_untracked() != new {
                size.set(new);
            }
        }),
        is_waiting: Box::new(|| false),
        line_at: Box::new(|_| None),
        gesture: Box::new(move |gesture| {
            if let Gesture::Click(at, _) = gesture
                && let Some(block) = block_under(at)
            {
                session.select(Some(Selection::Allocation(block.allocation)));
            }
        }),
    };
    let board = Board::new(model, pointer);
    let bubble = move || {
        let at = pointer.get()?;
        let block = block_under(at)?;
        let place = memory.with_value(|(memory, _)| {
            let location = memory.locations.get(block.location? as usize)?;
            Some(words::short_place(location))
        });
        let count =
            (block.count > 1).then(|| format!(" in {} allocations", format::count(block.count.into())));
        Some(view! {
            <Bubble at testid="memory-tooltip">
                <div class="tooltip-facts">
                    <b>{format::bytes(block.bytes as f64)}</b>
                    <span>{count}</span>
                    <span>{format!("{:#x}", block.pointer)}</span>
                </div>
                <div class="tooltip-merged">{place}</div>
            </Bubble>
        })
    };
    view! {
        <div class="space" data-testid="space">
            <div class="space-head"><b>{title}</b><span class="quiet">{moment}{figures}</span></div>
            <div class="space-row"><BoardView board>{bubble}</BoardView></div>
        </div>
    }
}
