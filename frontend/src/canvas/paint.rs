//! Puts a draw list on a canvas.

use web_sys::CanvasRenderingContext2d;

use crate::canvas::draw_list::{Align, ArrowShape, DrawList, Font, Op, Rect, Text};

/// The fonts, as CSS; the families are those of the page.
const SLICE_FONT: &str = "11.5px system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif";
const SMALL_FONT: &str = "11px system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif";

/// Lines in one path.
const LINES_AT_ONCE: usize = 64;

/// Paints a list. `device_pixel_ratio` scales its CSS pixels to the backing store.
pub fn paint(context: &CanvasRenderingContext2d, list: &DrawList, device_pixel_ratio: f64) {
    // A context that refuses a transform or a curve shows an incomplete picture; there is nobody to tell.
    let _ = context.set_transform(device_pixel_ratio, 0.0, 0.0, device_pixel_ratio, 0.0, 0.0);
    context.set_text_baseline("middle");
    let mut font = None;
    for op in &list.ops {
        match op {
            Op::Fill(colour, rects) => {
                context.set_fill_style_str(&colour.css());
                for Rect { x, y, w, h } in rects {
                    context.fill_rect(*x, *y, *w, *h);
                }
            }
            Op::Outline(colour, width, rect) => {
                context.set_stroke_style_str(&colour.css());
                context.set_line_width(*width);
                let inset = width / 2.0;
                let (w, h) = ((rect.w - width).max(0.5), (rect.h - width).max(0.5));
                context.stroke_rect(rect.x + inset, rect.y + inset, w, h);
            }
            Op::Polygon(colour, points) => {
                context.set_fill_style_str(&colour.css());
                path(context, points);
                context.fill();
            }
            Op::Line(colour, width, points) => {
                context.set_stroke_style_str(&colour.css());
                context.set_line_width(*width);
                path(context, points);
                context.stroke();
            }
            Op::Lines(colour, width, lines) => {
                context.set_stroke_style_str(&colour.css());
                context.set_line_width(*width);
                // A path of very many lines is slower than several of some.
                for lines in lines.chunks(LINES_AT_ONCE) {
                    context.begin_path();
                    for points in lines {
                        extend(context, points);
                    }
                    context.stroke();
                }
            }
            Op::Arrow(colour, width, from, to) => {
                context.set_stroke_style_str(&colour.css());
                context.set_fill_style_str(&colour.css());
                context.set_line_width(*width);
                arrow(context, *from, *to);
            }
            Op::Text(text) => {
                if font != Some(text.font) {
                    set_font(context, text.font);
                    font = Some(text.font);
                }
                write(context, text);
            }
            Op::Clip(rect) => {
                context.save();
                font = None;
                context.begin_path();
                context.rect(rect.x, rect.y, rect.w, rect.h);
                context.clip();
            }
            Op::Unclip => {
                context.restore();
                font = None;
            }
        }
    }
}

/// Width of a text in the slices' font, in CSS pixels.
pub fn measure(context: &CanvasRenderingContext2d, text: &str) -> f64 {
    set_font(context, Font::Slice);
    // An average width where the browser does not tell.
    context.measure_text(text).map_or(text.len() as f64 * 6.5, |metrics| metrics.width())
}

fn set_font(context: &CanvasRenderingContext2d, font: Font) {
    context.set_font(match font {
        Font::Slice => SLICE_FONT,
        Font::Small => SMALL_FONT,
    });
}

fn write(context: &CanvasRenderingContext2d, text: &Text) {
    context.set_fill_style_str(&text.colour.css());
    context.set_text_align(match text.align {
        Align::Left => "left",
        Align::Centre => "center",
        Align::Right => "right",
    });
    let _ = context.fill_text(&text.text, text.x, text.y + 0.5);
}

fn path(context: &CanvasRenderingContext2d, points: &[(f64, f64)]) {
    context.begin_path();
    extend(context, points);
}

fn extend(context: &CanvasRenderingContext2d, points: &[(f64, f64)]) {
    for (index, (x, y)) in points.iter().enumerate() {
        if index == 0 { context.move_to(*x, *y) } else { context.line_to(*x, *y) }
    }
}

fn arrow(context: &CanvasRenderingContext2d, from: (f64, f64), to: (f64, f64)) {
    let ArrowShape { curve: [start, one, other, end], head } = ArrowShape::new(from, to);
    context.begin_path();
    context.move_to(start.0, start.1);
    context.bezier_curve_to(one.0, one.1, other.0, other.1, end.0, end.1);
    context.stroke();
    path(context, &head);
    context.fill();
}
