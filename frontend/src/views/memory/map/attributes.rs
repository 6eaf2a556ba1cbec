//! Attributes of allocations besides their rectangles, and the colours for them.

use std::collections::HashMap;

use syclscope_language::api::LocationInfo;
use syclscope_language::event::AllocationKind;

use crate::canvas::draw_list::Colour;
use crate::canvas::palette::{Scheme, memory_colour, ramp_colour, wheel_colour};
use crate::format;
use crate::state::words;
use crate::views::memory::draw::map::{Block, Paints};
use crate::views::memory::names::KindTrack;
use crate::views::memory::state::MapColour;

/// Minimum distinguishable age; shorter lives share the first colour.
const MIN_LIFE_NS: f64 = 1_000.0;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    rows: HashMap<u32, Attribute>,
    places: Vec<SourceLine>,
}

#[derive(Clone, Debug, PartialEq)]
struct SourceLine {
    short: String,
    file: String,
    line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Attribute {
    place: Option<usize>,
    object: u32,
}

impl Attributes {
    pub fn insert(&mut self, row: u32, location: Option<&LocationInfo>, object: u32) {
        let place = location.map(|LocationInfo { file, line, .. }| {
            let entry = self.places.iter().position(|entry| entry.line == *line && entry.file == *file);
            entry.unwrap_or_else(|| {
                let short = location.map(words::short_place).unwrap_or_default();
                self.places.push(SourceLine { short, file: file.clone(), line: *line });
                self.places.len() - 1
            })
        });
        self.rows.insert(row, Attribute { place, object });
    }

    pub fn place(&self, row: u32) -> Option<&str> {
        let place = self.rows.get(&row)?.place?;
        self.places.get(place).map(|place| place.short.as_str())
    }

    pub fn object(&self, row: u32) -> Option<u32> {
        self.rows.get(&row).map(|entry| entry.object)
    }
}

pub struct Colouring<'a> {
    pub scheme: Scheme,
    pub by: MapColour,
    pub tracks: &'a [KindTrack],
    pub duration_ns: u64,
    pub attributes: &'a Attributes,
}

impl Colouring<'_> {
    fn kind(&self, block: &Block) -> AllocationKind {
        let track = self.tracks.iter().find(|track| track.track == block.track);
        track.map_or(AllocationKind::Other, |track| track.kind)
    }

    fn numbered(&self, number: Option<u64>) -> Colour {
        match number {
            Some(number) => wheel_colour(self.scheme, number),
            None => memory_colour(self.scheme, AllocationKind::Other),
        }
    }
}

impl Paints for Colouring<'_> {
    fn colour(&self, block: &Block) -> Colour {
        let entry = self.attributes.rows.get(&block.allocation);
        match self.by {
            MapColour::Kind => memory_colour(self.scheme, self.kind(block)),
            MapColour::Place => self.numbered(entry.and_then(|entry| entry.place).map(|place| place as u64)),
            MapColour::Buffer => self.numbered(entry.map(|entry| entry.object.into())),
            MapColour::Age => ramp_colour(
                self.scheme,
                age_share(block.until_ns.saturating_sub(block.at_ns), self.duration_ns),
            ),
        }
    }

    fn label(&self, block: &Block) -> String {
        let size = format::bytes(block.total_bytes as f64);
        match self.attributes.place(block.allocation) {
            Some(place) => format!("{size} · {place}"),
            None => size,
        }
    }
}

/// Returns the age from 0, for less than a microsecond, to 1 for the whole run, on a logarithmic scale.
pub fn age_share(lived_ns: u64, duration_ns: u64) -> f64 {
    let steps = |ns: u64| (ns as f64 / MIN_LIFE_NS).max(1.0).ln();
    (steps(lived_ns) / steps(duration_ns).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::draw_list::Rect;

    fn block(track: u32, allocation: u32, until_ns: u64) -> Block {
        Block {
            rect: Rect::default(),
            track,
            allocation,
            count: 1,
            at_ns: 0,
            until_ns,
            pointer: 0,
            span_bytes: 4096,
            total_bytes: 4096,
        }
    }

    #[test]
    fn colours_tell_kind_place_age_or_object() {
        let mut attributes = Attributes::default();
        let at = |line| LocationInfo { file: "/s/heat.cpp".into(), function: String::new(), line, column: 1 };
        attributes.insert(0, Some(&at(7)), 3);
        attributes.insert(1, Some(&at(9)), 3);
        attributes.insert(2, Some(&at(7)), 4);
        let tracks = [KindTrack { track: 5, process: 0, kind: AllocationKind::Host }];
        let colours = |by| {
            let scheme = Scheme::Dark;
            let colouring =
                Colouring { scheme, by, tracks: &tracks, duration_ns: 1_000_000, attributes: &attributes };
            [0, 1, 2, 9].map(|row| colouring.colour(&block(5, row, 1 << (10 + row))))
        };
        let kind = colours(MapColour::Kind);
        assert!(kind.iter().all(|colour| *colour == memory_colour(Scheme::Dark, AllocationKind::Host)));
        let place = colours(MapColour::Place);
        assert!(place[0] == place[2] && place[0] != place[1] && place[3] != place[0]);
        let object = colours(MapColour::Buffer);
        assert!(object[0] == object[1] && object[0] != object[2]);
        let age = colours(MapColour::Age);
        assert!(age[0] != age[2] && age[2] != age[3]);
        assert_eq!(
            (attributes.place(2), attributes.object(2), attributes.place(9)),
            (Some("heat.cpp:7"), Some(4), None)
        );
    }

    #[test]
    fn ages_go_from_a_microsecond_to_the_run() {
        assert_eq!((age_share(10, 1_000_000), age_share(1_000_000, 1_000_000)), (0.0, 1.0));
        assert!((age_share(31_623, 1_000_000) - 0.5).abs() < 0.001);
    }
}
