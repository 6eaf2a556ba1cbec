//! Draw list to SVG 1.1, equal to the canvas.

use std::fmt::Write as _;

use crate::canvas::draw_list::{Align, ArrowShape, Colour, DrawList, Font, Op, Rect};

/// The page's fonts without those available in browsers only.
const FAMILY: &str = "Segoe UI, Roboto, DejaVu Sans, sans-serif";

pub fn svg(list: &DrawList, width_css_px: f64, height_css_px: f64, title: &str) -> String {
    let mut out = Writer { out: String::new(), clips: 0, depth: 0 };
    let (w, h) = (number(width_css_px), number(height_css_px));
    // Writing to a string can't fail.
    let _ = writeln!(
        out.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"{FAMILY}\">\n<title>{}</title>",
        escaped(title)
    );
    for op in &list.plain().ops {
        out.op(op);
    }
    for _ in 0..out.depth {
        out.out += "</g>\n";
    }
    out.out + "</svg>\n"
}

struct Writer {
    out: String,
    clips: usize,
    depth: usize,
}

impl Writer {
    fn op(&mut self, op: &Op) {
        let out = &mut self.out;
        let _ = match op {
            Op::Fill(colour, rects) => {
                let mut path = String::new();
                for Rect { x, y, w, h } in rects {
                    let (x, y, w, h) = (number(*x), number(*y), number(*w), number(*h));
                    let _ = write!(path, "M{x} {y}h{w}v{h}h-{w}z");
                }
                writeln!(out, "<path d=\"{path}\" {}/>", paint("fill", *colour))
            }
            Op::Outline(colour, width, Rect { x, y, w, h }) => {
                let inset = width / 2.0;
                let (w, h) = (number((w - width).max(0.5)), number((h - width).max(0.5)));
                let (x, y, stroke) = (number(x + inset), number(y + inset), paint("stroke", *colour));
                writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" {stroke} \
                     stroke-width=\"{}\"/>",
                    number(*width)
                )
            }
            Op::Polygon(colour, points) => {
                writeln!(out, "<polygon points=\"{}\" {}/>", joined(points), paint("fill", *colour))
            }
            Op::Line(colour, width, points) => writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{}\"/>",
                joined(points),
                paint("stroke", *colour),
                number(*width)
            ),
            Op::Lines(colour, width, lines) => {
                let paths: Vec<String> = lines.iter().map(|points| format!("M{}", joined(points))).collect();
                writeln!(
                    out,
                    "<path d=\"{}\" fill=\"none\" {} stroke-width=\"{}\"/>",
                    paths.join(""),
                    paint("stroke", *colour),
                    number(*width)
                )
            }
            Op::Arrow(colour, width, from, to) => {
                let ArrowShape { curve: [start, one, other, end], head } = ArrowShape::new(*from, *to);
                let [start, one, other, end] = [start, one, other, end].map(point);
                let (stroke, fill) = (paint("stroke", *colour), paint("fill", *colour));
                writeln!(
                    out,
                    "<path d=\"M{start}C{one} {other} {end}\" fill=\"none\" {stroke} stroke-width=\"{}\"/>\
                     <polygon points=\"{}\" {fill}/>",
                    number(*width),
                    joined(&head)
                )
            }
            Op::Text(text) => {
                let anchor = match text.align {
                    Align::Left => "start",
                    Align::Centre => "middle",
                    Align::Right => "end",
                };
                let size = match text.font {
                    Font::Slice => "11.5",
                    Font::Small => "11",
                };
                // A letter's middle is about a third of its size above the baseline.
                let (x, y) = (number(text.x), number(text.y + 4.2));
                writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" {}>{}</text>",
                    paint("fill", text.colour),
                    escaped(&text.text)
                )
            }
            Op::Clip(Rect { x, y, w, h }) => {
                self.clips += 1;
                self.depth += 1;
                let (x, y, w, h) = (number(*x), number(*y), number(*w), number(*h));
                writeln!(
                    out,
                    "<clipPath id=\"c{0}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>\
                     <g clip-path=\"url(#c{0})\">",
                    self.clips
                )
            }
            // A plain list contains neither mosaics nor pictures.
            Op::Mosaic(_) | Op::Picture(..) => Ok(()),
            Op::Unclip if self.depth == 0 => Ok(()),
            Op::Unclip => {
                self.depth -= 1;
                writeln!(out, "</g>")
            }
        };
    }
}

fn paint(what: &str, colour: Colour) -> String {
    let opaque = Colour { alpha: 255, ..colour }.css();
    match colour.alpha {
        255 => format!("{what}=\"{opaque}\""),
        alpha => format!("{what}=\"{opaque}\" {what}-opacity=\"{}\"", number(f64::from(alpha) / 255.0)),
    }
}

fn point((x, y): (f64, f64)) -> String {
    format!("{} {}", number(x), number(y))
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect::<Vec<_>>().join(" ")
}

/// Formats a number with at most three decimals, without trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            // XML forbids most control characters and these two, even escaped.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_element() {
        let red = Colour::rgb(255, 0, 0);
        let mut list = DrawList::default();
        list.push(Op::Clip(Rect { x: 0.0, y: 0.0, w: 100.0, h: 50.0 }));
        list.fill(red, Rect { x: 1.0, y: 2.0, w: 3.25, h: 4.0 });
        list.push(Op::Outline(red.with_alpha(0.5), 2.0, Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 }));
        list.push(Op::Polygon(red, vec![(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)]));
        list.push(Op::Line(red, 1.0, vec![(0.0, 0.0), (1.0, 2.0)]));
        list.push(Op::Lines(red, 1.0, vec![vec![(0.0, 0.0), (1.0, 2.0)], vec![(3.0, 4.0), (5.0, 6.0)]]));
        list.push(Op::Arrow(red, 1.5, (0.0, 0.0), (50.0, 10.0)));
        list.push(Op::Unclip);
        list.push(Op::Unclip);
        list.text(5.0, 6.0, "f<int> & \u{1}\u{fffe}\u{ffff}\"g\"", red, Align::Centre);
        let expected = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50\" viewBox=\"0 0 100 50\" font-family=\"Segoe UI, Roboto, DejaVu Sans, sans-serif\">
<title>a &amp; b</title>
<clipPath id=\"c1\"><rect x=\"0\" y=\"0\" width=\"100\" height=\"50\"/></clipPath><g clip-path=\"url(#c1)\">
<path d=\"M1 2h3.25v4h-3.25z\" fill=\"#ff0000\"/>
<rect x=\"1\" y=\"1\" width=\"8\" height=\"8\" fill=\"none\" stroke=\"#ff0000\" stroke-opacity=\"0.502\" stroke-width=\"2\"/>
<polygon points=\"0,0 1,0 0.5,1\" fill=\"#ff0000\"/>
<polyline points=\"0,0 1,2\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"1\"/>
<path d=\"M0,0 1,2M3,4 5,6\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"1\"/>
<path d=\"M0 0C22 0 22 10 44 10\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"1.5\"/><polygon points=\"50,10 44,6.5 44,13.5\" fill=\"#ff0000\"/>
</g>
<text x=\"5\" y=\"10.2\" font-size=\"11\" text-anchor=\"middle\" fill=\"#ff0000\">f&lt;int&gt; &amp;    \"g\"</text>
</svg>
";
        assert_eq!(svg(&list, 100.0, 50.0, "a & b"), expected);
    }

    #[test]
    fn what_is_left_open_is_closed() {
        let mut list = DrawList::default();
        list.push(Op::Clip(Rect::default()));
        assert!(svg(&list, 1.0, 1.0, "").ends_with("<g clip-path=\"url(#c1)\">\n</g>\n</svg>\n"));
    }
}
