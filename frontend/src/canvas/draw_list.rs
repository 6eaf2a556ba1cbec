//! Draw operations as plain data: rectangles grouped by colour, lines, curves and text, in layers.

use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour {
    pub rgb: [u8; 3],
    /// Opacity; 255 is opaque.
    pub alpha: u8,
}

impl Colour {
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue], alpha: 255 }
    }

    /// Returns the same colour with opacity `alpha`, 0 to 1.
    pub fn with_alpha(self, alpha: f64) -> Self {
        Self { rgb: self.rgb, alpha: (alpha.clamp(0.0, 1.0) * 255.0).round() as u8 }
    }

    pub fn css(self) -> String {
        let [red, green, blue] = self.rgb;
        match self.alpha {
            255 => format!("#{red:02x}{green:02x}{blue:02x}"),
            alpha => format!("rgb({red} {green} {blue} / {:.3})", f64::from(alpha) / 255.0),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    /// True if the point is inside; left and top edge included.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }

    pub fn meets(&self, other: &Self) -> bool {
        let part = self.intersection(other);
        part.w > 0.0 && part.h > 0.0
    }

    /// Returns the intersection with `other`; width and height are 0 if they don't meet.
    pub fn intersection(&self, other: &Self) -> Self {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let w = ((self.x + self.w).min(other.x + other.w) - x).max(0.0);
        let h = ((self.y + self.h).min(other.y + other.h) - y).max(0.0);
        Self { x, y, w, h }
    }
}

/// Canvas fonts; sizes are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Font {
    Slice,
    Small,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Centre,
    Right,
}

/// A line of text; `y` is its vertical centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub x: f64,
    pub y: f64,
    pub text: String,
    pub colour: Colour,
    pub font: Font,
    pub align: Align,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Fill(Colour, Vec<Rect>),
    /// Filled rectangles by colour, in any order, because they don't overlap.
    Mosaic(Vec<(Colour, Vec<Rect>)>),
    /// A list that stays the same over several frames, so that the painter caches it as a picture. Its coordinates are
    /// relative to the corner of the rectangle.
    Picture(Rect, Rc<DrawList>),
    /// A rectangle's outline, drawn inside its edges.
    Outline(Colour, f64, Rect),
    Polygon(Colour, Vec<(f64, f64)>),
    /// A line through points: colour, width, points.
    Line(Colour, f64, Vec<(f64, f64)>),
    Lines(Colour, f64, Vec<Vec<(f64, f64)>>),
    /// A curve that leaves and arrives horizontally, with an arrow head: colour, width, from, to.
    Arrow(Colour, f64, (f64, f64), (f64, f64)),
    Text(Text),
    Clip(Rect),
    Unclip,
}

impl Op {
    #[must_use]
    pub fn translated(&self, dx: f64, dy: f64) -> Self {
        let rect = |rect: &Rect| Rect { x: rect.x + dx, y: rect.y + dy, ..*rect };
        let point = |(x, y): &(f64, f64)| (x + dx, y + dy);
        match self {
            Self::Fill(colour, rects) => Self::Fill(*colour, rects.iter().map(rect).collect()),
            Self::Mosaic(groups) => {
                let groups = groups.iter().map(|(colour, rects)| (*colour, rects.iter().map(rect).collect()));
                Self::Mosaic(groups.collect())
            }
            Self::Picture(place, list) => Self::Picture(rect(place), list.clone()),
            Self::Outline(colour, width, outlined) => Self::Outline(*colour, *width, rect(outlined)),
            Self::Polygon(colour, points) => Self::Polygon(*colour, points.iter().map(point).collect()),
            Self::Line(colour, width, points) => {
                Self::Line(*colour, *width, points.iter().map(point).collect())
            }
            Self::Lines(colour, width, lines) => {
                let lines = lines.iter().map(|points| points.iter().map(point).collect());
                Self::Lines(*colour, *width, lines.collect())
            }
            Self::Arrow(colour, width, from, to) => Self::Arrow(*colour, *width, point(from), point(to)),
            Self::Text(text) => Self::Text(Text { x: text.x + dx, y: text.y + dy, ..text.clone() }),
            Self::Clip(clipped) => Self::Clip(rect(clipped)),
            Self::Unclip => Self::Unclip,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrowShape {
    /// Start, two control points and end of the curve.
    pub curve: [(f64, f64); 4],
    pub head: [(f64, f64); 3],
}

impl ArrowShape {
    /// Creates a curve that leaves to the right and arrives from the left, so that the direction of time stays
    /// readable.
    pub fn new(from: (f64, f64), to: (f64, f64)) -> Self {
        const HEAD_CSS_PX: f64 = 6.0;
        let end_x = to.0 - HEAD_CSS_PX;
        let bend = ((end_x - from.0).abs() / 2.0).clamp(12.0, 90.0);
        Self {
            curve: [from, (from.0 + bend, from.1), (end_x - bend, to.1), (end_x, to.1)],
            head: [to, (end_x, to.1 - 3.5), (end_x, to.1 + 3.5)],
        }
    }

    /// Returns a point of the curve; `share` runs from 0 to 1.
    pub fn at(&self, share: f64) -> (f64, f64) {
        let [a, b, c, d] = self.curve;
        let rest = 1.0 - share;
        let mixed = |a: f64, b: f64, c: f64, d: f64| {
            rest * rest * (rest * a + 3.0 * share * b) + share * share * (3.0 * rest * c + share * d)
        };
        (mixed(a.0, b.0, c.0, d.0), mixed(a.1, b.1, c.1, d.1))
    }
}

/// Operations in painting order, back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawList {
    pub ops: Vec<Op>,
}

impl DrawList {
    /// Adds a filled rectangle, to the last group if that has the same colour.
    pub fn fill(&mut self, colour: Colour, rect: Rect) {
        match self.ops.last_mut() {
            Some(Op::Fill(last, rects)) if *last == colour => rects.push(rect),
            _ => self.ops.push(Op::Fill(colour, vec![rect])),
        }
    }

    /// Returns the list without the operations that only speed up painting.
    pub fn plain(&self) -> DrawList {
        let mut ops = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            match op {
                Op::Mosaic(groups) => {
                    ops.extend(groups.iter().map(|(colour, rects)| Op::Fill(*colour, rects.clone())));
                }
                Op::Picture(place, list) => {
                    ops.extend(list.plain().ops.iter().map(|op| op.translated(place.x, place.y)));
                }
                op => ops.push(op.clone()),
            }
        }
        DrawList { ops }
    }

    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    pub fn text(&mut self, x: f64, y: f64, text: impl Into<String>, colour: Colour, align: Align) {
        self.ops.push(Op::Text(Text { x, y, text: text.into(), colour, font: Font::Small, align }));
    }
}

/// Rectangles collected by colour, for layers in which the order of colours is irrelevant.
#[derive(Debug, Default)]
pub struct FillGroups {
    groups: Vec<(Colour, Vec<Rect>)>,
    /// Colours with the indices of their groups, sorted by colour number.
    index: Vec<(u32, u32)>,
    last: usize,
}

impl FillGroups {
    pub fn fill(&mut self, colour: Colour, rect: Rect) {
        if self.groups.get(self.last).is_none_or(|(last, _)| *last != colour) {
            self.last = self.place(colour);
        }
        self.groups[self.last].1.push(rect);
    }

    fn place(&mut self, colour: Colour) -> usize {
        let [red, green, blue] = colour.rgb;
        let number = u32::from_be_bytes([red, green, blue, colour.alpha]);
        let at = self.index.partition_point(|(other, _)| *other < number);
        match self.index.get(at) {
            Some((other, place)) if *other == number => *place as usize,
            _ => {
                self.groups.push((colour, Vec::new()));
                self.index.insert(at, (number, self.groups.len() as u32 - 1));
                self.groups.len() - 1
            }
        }
    }

    /// Appends the groups to `list`, in the order in which their colours first appeared.
    pub fn finish(self, list: &mut DrawList) {
        list.ops.extend(self.groups.into_iter().map(|(colour, rects)| Op::Fill(colour, rects)));
    }

    pub fn finish_mosaic(self, list: &mut DrawList) {
        if !self.groups.is_empty() {
            list.ops.push(Op::Mosaic(self.groups));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_colours_together() {
        let (red, blue) = (Colour::rgb(255, 0, 0), Colour::rgb(0, 0, 255));
        let mut groups = FillGroups::default();
        for (colour, x) in [(red, 0.0), (blue, 1.0), (red, 2.0)] {
            groups.fill(colour, Rect { x, ..Rect::default() });
        }
        let mut list = DrawList::default();
        groups.finish(&mut list);
        assert!(matches!(&list.ops[..], [Op::Fill(first, reds), Op::Fill(second, blues)]
            if *first == red && reds.len() == 2 && *second == blue && blues.len() == 1));
    }

    #[test]
    fn what_is_kept_or_a_mosaic_is_the_same_in_plain_operations() {
        let (red, blue) = (Colour::rgb(255, 0, 0), Colour::rgb(0, 0, 255));
        let rect = |x| Rect { x, y: 1.0, w: 1.0, h: 1.0 };
        let mut groups = FillGroups::default();
        for (colour, x) in [(red, 0.0), (blue, 1.0), (red, 2.0)] {
            groups.fill(colour, rect(x));
        }
        let mut picture = DrawList::default();
        groups.finish_mosaic(&mut picture);
        FillGroups::default().finish_mosaic(&mut picture);
        let mut list = DrawList::default();
        list.push(
            Op::Picture(Rect { x: 5.0, y: 7.0, w: 9.0, h: 9.0 }, Rc::new(picture)).translated(1.0, 0.0),
        );
        let moved = |x| Rect { x, y: 8.0, ..rect(x) };
        let plain = vec![Op::Fill(red, vec![moved(6.0), moved(8.0)]), Op::Fill(blue, vec![moved(7.0)])];
        assert_eq!(list.plain().ops, plain);
    }

    #[test]
    fn an_arrow_arrives_from_the_left() {
        let shape = ArrowShape::new((100.0, 10.0), (20.0, 50.0));
        assert_eq!((shape.curve[0], shape.head[0]), ((100.0, 10.0), (20.0, 50.0)));
        assert!(shape.curve[1].0 > 100.0 && shape.curve[2].0 < 20.0 && shape.head[1].0 < 20.0);
        assert_eq!(shape.at(0.5).1, 30.0);
    }

    #[test]
    fn rectangles_meet() {
        let rect = Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 };
        assert!(rect.contains(0.0, 0.0) && !rect.contains(10.0, 5.0));
        let part = rect.intersection(&Rect { x: 5.0, y: -5.0, w: 10.0, h: 10.0 });
        assert_eq!(part, Rect { x: 5.0, y: 0.0, w: 5.0, h: 5.0 });
        assert_eq!(rect.intersection(&Rect { x: 20.0, y: 0.0, w: 1.0, h: 1.0 }).w, 0.0);
    }

    #[test]
    fn colours_as_css() {
        assert_eq!(Colour::rgb(1, 171, 255).css(), "#01abff");
        assert_eq!(Colour::rgb(0, 0, 0).with_alpha(0.5).css(), "rgb(0 0 0 / 0.502)");
    }
}
