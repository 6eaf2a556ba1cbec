//! Pixels, and antialiased shapes.

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour([u8; 3]);

pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub(super) pixels: Vec<u8>,
}

impl Colour {
    /// Reads `#rrggbb`; black for anything else.
    pub(super) fn from_hex(text: &str) -> Self {
        let value = text.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, red, green, blue] = value.unwrap_or_default().to_be_bytes();
        Self([red, green, blue])
    }
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, ground: Colour) -> Self {
        Self { width, height, pixels: ground.0.repeat(width * height) }
    }

    /// Blends a colour into a pixel by its coverage.
    pub(super) fn blend(&mut self, (x, y): (i64, i64), Colour(colour): Colour, coverage: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height || coverage <= 0.0 {
            return;
        }
        let place = (y * self.width + x) * 3;
        for (old, new) in self.pixels[place..place + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * coverage.min(1.0);
            *old = mixed.round() as u8;
        }
    }

    /// Fills a rectangle given by corner and size.
    pub(super) fn fill(&mut self, [x, y, width, height]: [f64; 4], colour: Colour) {
        let share = |at: usize, from: f64, to: f64| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
        let places =
            |from: f64, to: f64, end: usize| from.max(0.0) as usize..(to.max(0.0).ceil() as usize).min(end);
        let (right, bottom) = (x + width, y + height);
        for row in places(y, bottom, self.height) {
            for column in places(x, right, self.width) {
                let coverage = share(column, x, right) * share(row, y, bottom);
                self.blend((column as i64, row as i64), colour, coverage);
            }
        }
    }

    pub(super) fn stroke(&mut self, from: (f64, f64), to: (f64, f64), width: f64, colour: Colour) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
        let reach = width / 2.0 + 1.0;
        let rows = (from.1.min(to.1) - reach) as i64..=(from.1.max(to.1) + reach) as i64;
        for row in rows {
            for column in (from.0.min(to.0) - reach) as i64..=(from.0.max(to.0) + reach) as i64 {
                let (x, y) = (column as f64 + 0.5 - from.0, row as f64 + 0.5 - from.1);
                let along = ((x * dx + y * dy) / (length * length)).clamp(0.0, 1.0);
                let distance = (x - along * dx).hypot(y - along * dy);
                self.blend((column, row), colour, width / 2.0 + 0.5 - distance);
            }
        }
    }
}
