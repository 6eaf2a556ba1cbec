//! Positions of panes and borders, as shares of the available space.

use super::{Axis, Pane, Panes, WHOLE};
use crate::state::view::View;

/// A rectangle; the whole space is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanePlace {
    pub view: View,
    pub area: Area,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Divider {
    /// The split, as indices from the root.
    pub path: Vec<usize>,
    /// Index of the part before the border.
    pub index: usize,
    pub axis: Axis,
    pub split: Area,
    /// Share of the parts before the border, in thousandths.
    pub share: u32,
}

impl Panes {
    /// Returns the positions of the views, from the top left.
    pub fn places(&self) -> Vec<PanePlace> {
        let (mut places, mut dividers) = (Vec::new(), Vec::new());
        self.root.place(WHOLE_AREA, &mut Vec::new(), &mut places, &mut dividers);
        places
    }

    pub fn dividers(&self) -> Vec<Divider> {
        let (mut places, mut dividers) = (Vec::new(), Vec::new());
        self.root.place(WHOLE_AREA, &mut Vec::new(), &mut places, &mut dividers);
        dividers
    }
}

const WHOLE_AREA: Area = Area { x: 0.0, y: 0.0, w: 1.0, h: 1.0 };

impl Pane {
    fn place(
        &self,
        area: Area,
        path: &mut Vec<usize>,
        places: &mut Vec<PanePlace>,
        dividers: &mut Vec<Divider>,
    ) {
        let split = match self {
            Self::View(view) => return places.push(PanePlace { view: *view, area }),
            Self::Split(split) => split,
        };
        let mut before = 0;
        for (index, (share, part)) in split.parts.iter().enumerate() {
            let (from, size) = (f64::from(before) / f64::from(WHOLE), f64::from(*share) / f64::from(WHOLE));
            let own = match split.axis {
                Axis::Row => Area { x: area.x + from * area.w, w: size * area.w, ..area },
                Axis::Column => Area { y: area.y + from * area.h, h: size * area.h, ..area },
            };
            path.push(index);
            part.place(own, path, places, dividers);
            path.pop();
            before += share;
            if index + 1 < split.parts.len() {
                let (path, axis) = (path.clone(), split.axis);
                dividers.push(Divider { path, index, axis, split: area, share: before });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_fill_the_room() {
        let views = ["timeline", "source", "calls"].map(View::new);
        let panes = Panes::read("row(timeline:600,column(source:250,calls:750):400)", &views).unwrap();
        let places = panes.places();
        let sum: f64 = places.iter().map(|place| place.area.w * place.area.h).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        assert_eq!(places[2].view, views[2]);
        assert_eq!(places[2].area, Area { x: 0.6, y: 0.25, w: 0.4, h: 0.75 });
        let dividers = panes.dividers();
        let found: Vec<_> = dividers.iter().map(|line| (line.path.clone(), line.index, line.share)).collect();
        assert_eq!(found, [(vec![], 0, 600), (vec![1], 0, 250)]);
    }
}
