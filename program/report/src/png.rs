//! Pictures as PNG with an embedded font, for readers that can't show SVG.

mod canvas;

use std::io::Write as _;

use ab_glyph::{Font as _, FontRef, Glyph, PxScale, ScaleFont as _, point};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use self::canvas::{Canvas, Colour};
use crate::drawing::{GROUND, Picture, Shape, WIDTH};

/// Pixels per unit of a picture, enough for small letters to be legible.
const SCALE: f64 = 1.75;
/// A font with Latin, Greek and Cyrillic letters, and the symbols of our texts.
const FONT: &[u8] = include_bytes!("../font/DejaVuSans.ttf");

pub(crate) fn encode(picture: &Picture) -> Vec<u8> {
    let pixels = |length: f64| (length * SCALE).ceil() as usize;
    let mut canvas = Canvas::new(pixels(WIDTH), pixels(picture.height), Colour::from_hex(GROUND));
    for shape in &picture.shapes {
        draw(&mut canvas, shape);
    }
    to_file(&canvas)
}

fn draw(canvas: &mut Canvas, shape: &Shape) {
    match shape {
        Shape::Text { at, fill, size, ends_there, text } => {
            write(canvas, *at, Colour::from_hex(fill), (*size, *ends_there), text);
        }
        Shape::Rect { at: (x, y), size: (width, height), fill } => {
            canvas.fill([x * SCALE, y * SCALE, width * SCALE, height * SCALE], Colour::from_hex(fill));
        }
        Shape::Bars { fill, bars } => {
            for [x, y, width, height] in bars {
                let corner = [x * SCALE, (y - height) * SCALE, width * SCALE, height * SCALE];
                canvas.fill(corner, Colour::from_hex(fill));
            }
        }
        Shape::Line { points, stroke, width } => {
            let scaled: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * SCALE, y * SCALE)).collect();
            for ends in scaled.windows(2) {
                canvas.stroke(ends[0], ends[1], width * SCALE, Colour::from_hex(stroke));
            }
        }
    }
}

/// Draws text that begins at a point, or ends there. Letters that the font lacks are drawn as boxes.
fn write(
    canvas: &mut Canvas,
    (x, y): (f64, f64),
    colour: Colour,
    (size, ends_there): (u32, bool),
    text: &str,
) {
    // A test parses the font.
    let Ok(font) = FontRef::try_from_slice(FONT) else { return };
    let em = font.units_per_em().unwrap_or(1.0);
    let scaled =
        font.as_scaled(PxScale::from((f64::from(size) * SCALE) as f32 * font.height_unscaled() / em));
    let width: f32 = text.chars().map(|letter| scaled.h_advance(scaled.glyph_id(letter))).sum();
    let mut x = (x * SCALE) as f32 - if ends_there { width } else { 0.0 };
    for letter in text.chars() {
        let mut glyph: Glyph = scaled.scaled_glyph(letter);
        glyph.position = point(x, (y * SCALE) as f32);
        x += scaled.h_advance(glyph.id);
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|right, down, coverage| {
                let place = (corner.x as i64 + i64::from(right), corner.y as i64 + i64::from(down));
                canvas.blend(place, colour, f64::from(coverage));
            });
        }
    }
}

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Eight bits of red, green and blue; deflate; filters by row; not interlaced.
const FORM: [u8; 5] = [8, 2, 0, 0, 0];

/// Returns the file: a header, compressed rows and an end, each with a checksum.
fn to_file(canvas: &Canvas) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    let size =
        [canvas.width, canvas.height].map(|length| u32::try_from(length).unwrap_or_default().to_be_bytes());
    chunk(&mut file, b"IHDR", &[size.as_flattened(), &FORM].concat());
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in canvas.pixels.chunks(canvas.width * 3) {
        // Each row begins with its filter type. No filter is used, since filters make these pictures larger.
        // Infallible: writes to a Vec don't fail.
        let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
    }
    chunk(&mut file, b"IDAT", &rows.finish().unwrap_or_default());
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    let mut sum = Crc::new();
    for part in [kind, data] {
        sum.update(part);
        file.extend(part);
    }
    file.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::drawing::{TEXT, rect, text};

    #[test]
    fn the_font_has_the_signs_of_our_texts() {
        let font = FontRef::try_from_slice(FONT).unwrap();
        for sign in "aZ09 äßéŁΩжµ·→−×±≤≥…–“”%|/_<>".chars() {
            assert_ne!(font.glyph_id(sign).0, 0, "{sign}");
        }
    }

    fn read(png: &[u8]) -> (usize, Vec<u8>) {
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        let (width, height) = (number(16), number(20));
        let data = &png[33 + 8..33 + 8 + number(33)];
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(data).read_to_end(&mut rows).unwrap();
        assert_eq!(rows.len(), height * (width * 3 + 1));
        (width, rows.chunks(width * 3 + 1).flat_map(|row| row[1..].to_vec()).collect())
    }

    #[test]
    fn shapes_are_where_they_belong() {
        let mut shapes = Vec::new();
        rect(&mut shapes, (100.0, 20.0), (40.0, 8.0), "#4f7fd6");
        text(&mut shapes, (16.0, 60.0), (TEXT, 16), "heat → 318 ms");
        shapes.push(Shape::Text {
            at: (844.0, 60.0),
            fill: TEXT,
            size: 12,
            ends_there: true,
            text: "end".to_owned(),
        });
        shapes.push(Shape::Line {
            points: vec![(400.0, 40.0), (500.0, 40.0)],
            stroke: "#c4472b",
            width: 4.0,
        });
        let (width, pixels) =
            read(&Picture { title: String::new(), height: 80.0, activity: None, shapes }.png());
        let at = |x: f64, y: f64| {
            let place = ((y * SCALE) as usize * width + (x * SCALE) as usize) * 3;
            <[u8; 3]>::try_from(&pixels[place..place + 3]).unwrap()
        };
        assert_eq!((at(120.0, 24.0), at(120.0, 30.0)), ([0x4f, 0x7f, 0xd6], [255; 3]));
        assert_eq!(at(450.0, 40.0), [0xc4, 0x47, 0x2b]);
        let is_dark = |from: f64, to: f64| (from as usize..to as usize).any(|x| at(x as f64, 55.0)[0] < 128);
        assert!(is_dark(16.0, 60.0) && is_dark(820.0, 844.0) && !is_dark(200.0, 800.0));
    }
}
