//! Canvas colours: the page's tokens, read from CSS, and one colour for each category and name.
//!
//! Slices are light enough for dark text in both schemes. Device work is blue (kernels), orange (copies) and
//! yellow (fills), which colour-blind people can distinguish. Host work has weaker colours. Kernels with different
//! names differ in hue within their category's range.

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use syclscope_language::api::{KernelSummary, ObjectEventKind};
use syclscope_language::decimal::float;
use syclscope_language::event::{AllocationKind, Category, EdgeReason, NodeKind};
use syclscope_language::names::ShortNames;

use crate::canvas::draw_list::Colour;
use crate::canvas::oklch::oklch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    #[default]
    Dark,
    Light,
}

/// Canvas colours other than slice colours, from the tokens in `assets/tokens.css`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub scheme: Scheme,
    /// Background of the lanes.
    pub ground: Colour,
    /// Background of a track group's heading.
    pub group: Colour,
    pub line: Colour,
    pub grid: Colour,
    pub text: Colour,
    pub quiet: Colour,
    pub slice_text: Colour,
    pub accent: Colour,
    /// Dependences of the selection.
    pub edge: Colour,
}

impl Default for Theme {
    fn default() -> Self {
        Self {
            scheme: Scheme::Dark,
            ground: Colour::rgb(0x14, 0x17, 0x1c),
            group: Colour::rgb(0x1a, 0x1e, 0x25),
            line: Colour::rgb(0x26, 0x2b, 0x34),
            grid: Colour::rgb(0x22, 0x27, 0x2f),
            text: Colour::rgb(0xe4, 0xe8, 0xee),
            quiet: Colour::rgb(0x96, 0xa0, 0xae),
            slice_text: Colour::rgb(0x0f, 0x13, 0x19),
            accent: Colour::rgb(0xff, 0xff, 0xff),
            edge: Colour::rgb(0xff, 0xb8, 0x4d),
        }
    }
}

/// Lightness, chroma and hue of a category, and how far names may shift the hue.
struct Base {
    lightness: f64,
    chroma: f64,
    hue: f64,
    turn: f64,
}

fn base(category: Category) -> Base {
    let (lightness, chroma, hue, turn) = match category {
        Category::Kernel => (0.70, 0.120, 275.0, 48.0),
        Category::Copy => (0.76, 0.120, 62.0, 0.0),
        Category::Fill => (0.83, 0.125, 97.0, 0.0),
        Category::Command => (0.72, 0.030, 300.0, 0.0),
        Category::Submission => (0.73, 0.085, 190.0, 12.0),
        Category::Wait => (0.62, 0.012, 265.0, 0.0),
        Category::Call => (0.68, 0.035, 245.0, 25.0),
        Category::Memory => (0.76, 0.110, 150.0, 0.0),
        Category::Signal => (0.74, 0.100, 340.0, 0.0),
        Category::Diagnostic => (0.68, 0.170, 25.0, 0.0),
        Category::Barrier => (0.66, 0.040, 320.0, 0.0),
        Category::Native => (0.70, 0.045, 215.0, 25.0),
        Category::User => (0.78, 0.090, 125.0, 30.0),
        Category::Raw => (0.68, 0.010, 90.0, 0.0),
        // Mostly other tools' slices, which differ only in their names.
        Category::Other => (0.70, 0.055, 265.0, 170.0),
    };
    Base { lightness, chroma, hue, turn }
}

/// Colours and short names that distinguish a trace's kernels.
///
/// Colours are assigned in the order of device time, the most different ones first, so that the kernels with most time
/// never look alike. The first kernels share their colours with no other. A trace has the same colours in every view,
/// whenever it is opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hues {
    places: Vec<(String, usize)>,
    pub names: ShortNames,
}

/// Number of colours in a category's range.
const PLACES: usize = 16;

/// Number of kernels that share their colour with no other, however many there are.
const OWN: usize = PLACES / 2;

/// Maximum number of names whose short forms are computed together. Commands are sorted by device time, so later names
/// matter little.
pub const MAX_NAMES: usize = 256;

/// Lightness, chroma and hue of kernels, in the order of assignment; the same in both schemes, because a shift towards
/// white would make the light ones alike. They are far apart for colour-blind people, too, many of whom distinguish
/// lightness better than hue.
const KERNELS: [(f64, f64, f64); PLACES] = [
    (0.60, 0.175, 256.0),
    (0.62, 0.150, 352.0),
    (0.78, 0.125, 298.0),
    (0.88, 0.100, 208.0),
    (0.70, 0.175, 340.0),
    (0.72, 0.175, 310.0),
    (0.62, 0.150, 316.0),
    (0.82, 0.100, 352.0),
    (0.60, 0.060, 244.0),
    (0.68, 0.150, 238.0),
    (0.88, 0.060, 352.0),
    (0.68, 0.080, 280.0),
    (0.84, 0.080, 286.0),
    (0.68, 0.060, 352.0),
    (0.74, 0.080, 250.0),
    (0.76, 0.060, 346.0),
];

impl Hues {
    /// Assigns colours to kernels, and short names to the first [`MAX_NAMES`] commands. `commands` starts with the most
    /// important one.
    pub fn new(commands: &[KernelSummary]) -> Self {
        Self::default().of_another(commands)
    }

    /// Returns the colours and short names of another trace, whose kernels keep the colours that they have here.
    #[must_use]
    pub fn of_another(&self, commands: &[KernelSummary]) -> Self {
        let mut places = self.places.clone();
        for kernel in commands.iter().filter(|command| command.kind == NodeKind::Kernel) {
            if let Err(at) = find(&places, &kernel.name) {
                let place = match places.len() {
                    number if number < PLACES => number,
                    number => OWN + number % (PLACES - OWN),
                };
                places.insert(at, (kernel.name.clone(), place));
            }
        }
        let names: Vec<&str> = commands.iter().take(MAX_NAMES).map(|command| command.name.as_str()).collect();
        Self { places, names: ShortNames::new(names.into_iter(), |_| 1) }
    }

    fn place(&self, name: &str) -> usize {
        find(&self.places, name).map_or_else(|_| self.free_place(name), |at| self.places[at].1)
    }

    /// Returns the place of a name that never ran on a device. No kernel has that place, unless all are taken.
    fn free_place(&self, name: &str) -> usize {
        let taken = if self.places.len() < PLACES { self.places.len() } else { OWN };
        taken + (hash(name) % (PLACES - taken) as u64) as usize
    }
}

fn find(places: &[(String, usize)], name: &str) -> Result<usize, usize> {
    places.binary_search_by(|(other, _)| other.as_str().cmp(name))
}

pub fn slice_colour(scheme: Scheme, category: Category, name: &str, hues: &Hues) -> Colour {
    thread_local! {
        /// Colour cache: a frame requests thousands of colours, but few different ones.
        static COLOURS: RefCell<Vec<Option<Colour>>> = const { RefCell::new(Vec::new()) };
    }
    // A slice without a name has its category's first colour.
    let has_own = base(category).turn > 0.0 && !name.is_empty();
    let place = if has_own { hues.place(name) } else { 0 };
    let number = (category as usize * PLACES + place) * 2 + usize::from(scheme == Scheme::Dark);
    COLOURS.with_borrow_mut(|colours| {
        if colours.len() <= number {
            colours.resize(number + 1, None);
        }
        *colours[number].get_or_insert_with(|| colour_at(scheme, category, place))
    })
}

fn colour_at(scheme: Scheme, category: Category, place: usize) -> Colour {
    let Base { lightness, chroma, hue, turn } = base(category);
    if category == Category::Kernel {
        let (lightness, chroma, hue) = KERNELS[place];
        return oklch(lightness, chroma, hue);
    }
    let (lightness, chroma, hue, shade) = if turn > 0.0 {
        let spread = place as f64 / (PLACES - 1) as f64 * 2.0 - 1.0;
        // Neighbouring hues also differ in lightness.
        (lightness, chroma, hue + spread * turn, if place.is_multiple_of(2) { 0.03 } else { -0.03 })
    } else {
        (lightness, chroma, hue, 0.0)
    };
    match scheme {
        Scheme::Dark => oklch(lightness + shade, chroma, hue),
        Scheme::Light => oklch((lightness + shade + 0.07).min(0.85), chroma * 0.95, hue),
    }
}

pub fn counter_colours(scheme: Scheme) -> (Colour, Colour) {
    match scheme {
        Scheme::Dark => (oklch(0.78, 0.12, 150.0), oklch(0.70, 0.12, 150.0).with_alpha(0.30)),
        Scheme::Light => (oklch(0.50, 0.12, 150.0), oklch(0.60, 0.12, 150.0).with_alpha(0.25)),
    }
}

pub fn memory_colour(scheme: Scheme, kind: AllocationKind) -> Colour {
    let (chroma, hue) = match kind {
        AllocationKind::Device => (0.120, 265.0),
        AllocationKind::Shared => (0.120, 320.0),
        AllocationKind::Host => (0.095, 190.0),
        AllocationKind::Buffer => (0.120, 62.0),
        AllocationKind::Image => (0.120, 110.0),
        AllocationKind::Other => (0.010, 265.0),
    };
    lit(scheme, 0.74, chroma, hue)
}

/// Returns the colours of kept, new and freed memory between two moments.
pub fn change_colours(scheme: Scheme) -> [Colour; 3] {
    [(0.015, 265.0), (0.130, 150.0), (0.130, 25.0)].map(|(chroma, hue)| lit(scheme, 0.72, chroma, hue))
}

pub fn wheel_colour(scheme: Scheme, number: u64) -> Colour {
    // The golden angle separates neighbours, however many there are.
    let hue = (number % 10_007) as f64 * 137.508;
    let shade = if number.is_multiple_of(2) { 0.0 } else { 0.06 };
    lit(scheme, 0.72 + shade, 0.105, hue % 360.0)
}

pub fn touch_colour(scheme: Scheme, kind: ObjectEventKind) -> Colour {
    let (lightness, chroma, hue) = match kind {
        ObjectEventKind::CopyIn | ObjectEventKind::Map => (0.72, 0.125, 195.0),
        ObjectEventKind::CopyOut | ObjectEventKind::Unmap => (0.74, 0.125, 60.0),
        ObjectEventKind::CopyWithin => (0.78, 0.080, 125.0),
        ObjectEventKind::Fill => (0.72, 0.120, 105.0),
        ObjectEventKind::Read => (0.70, 0.120, 255.0),
        ObjectEventKind::Write => (0.70, 0.150, 25.0),
        ObjectEventKind::ReadWrite => (0.72, 0.130, 315.0),
        ObjectEventKind::HostAccess => (0.74, 0.130, 150.0),
        ObjectEventKind::Advice
        | ObjectEventKind::Made
        | ObjectEventKind::Allocated
        | ObjectEventKind::Released
        | ObjectEventKind::Gone
        | ObjectEventKind::Other => (0.72, 0.020, 265.0),
    };
    lit(scheme, lightness, chroma, hue)
}

pub fn ramp_colour(scheme: Scheme, share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0);
    let hue = 230.0 - 190.0 * share;
    lit(scheme, 0.66 + 0.14 * share, 0.06 + 0.07 * share, hue)
}

fn lit(scheme: Scheme, lightness: f64, chroma: f64, hue: f64) -> Colour {
    match scheme {
        Scheme::Dark => oklch(lightness, chroma, hue),
        Scheme::Light => oklch((lightness + 0.05).min(0.85), chroma * 0.95, hue),
    }
}

/// Parses a computed CSS colour: `rgb(1, 2, 3)`, `rgba(1, 2, 3, 0.5)`, `rgb(1 2 3 / 0.5)` or `#rrggbb`.
pub fn parse_css(text: &str) -> Option<Colour> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
        let [_, red, green, blue] = value.to_be_bytes();
        return Some(Colour::rgb(red, green, blue));
    }
    let inside = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.strip_suffix(')')?;
    let mut numbers = inside.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(float);
    let mut channel = || numbers.next().flatten().map(|value| value.clamp(0.0, 255.0).round() as u8);
    let colour = Colour::rgb(channel()?, channel()?, channel()?);
    Some(match numbers.next() {
        Some(alpha) => colour.with_alpha(alpha?),
        None => colour,
    })
}

/// Returns the colours of a command's submission, its execution, and the wait that it ended.
pub fn life_colours(scheme: Scheme) -> [Colour; 3] {
    let lightness = match scheme {
        Scheme::Dark => 0.80,
        Scheme::Light => 0.52,
    };
    [250.0, 150.0, 50.0].map(|hue| oklch(lightness, 0.16, hue))
}

pub fn path_colour(scheme: Scheme) -> Colour {
    match scheme {
        Scheme::Dark => oklch(0.72, 0.20, 25.0),
        Scheme::Light => oklch(0.55, 0.22, 25.0),
    }
}

pub fn note_colour(scheme: Scheme) -> Colour {
    match scheme {
        Scheme::Dark => oklch(0.85, 0.15, 95.0),
        Scheme::Light => oklch(0.62, 0.13, 85.0),
    }
}

pub fn reason_colour(scheme: Scheme, reason: EdgeReason) -> Colour {
    let (chroma, hue) = match reason {
        EdgeReason::Accessor => (0.090, 250.0),
        EdgeReason::Event => (0.110, 150.0),
        EdgeReason::InOrder => (0.015, 265.0),
        EdgeReason::HostTask => (0.120, 330.0),
        EdgeReason::HostAccessor => (0.120, 55.0),
        EdgeReason::SyncPoint => (0.120, 195.0),
        EdgeReason::Other => (0.060, 100.0),
    };
    match scheme {
        Scheme::Dark => oklch(0.68, chroma, hue),
        Scheme::Light => oklch(0.56, chroma, hue),
    }
}

fn hash(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 40
}
