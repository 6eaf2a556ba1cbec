//! Painter of draw lists on a canvas.

use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::browser::document;
use crate::canvas::draw_list::{Align, ArrowShape, Colour, DrawList, Font, Op, Rect, Text};
use crate::canvas::strips::{Strip, Strips};

const SLICE_FONT: &str = "11.5px system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif";
const SMALL_FONT: &str = "11px system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif";

const LINES_AT_ONCE: usize = 64;

#[derive(Default)]
pub struct Painter {
    strips: Strips,
    strips_canvas: Option<(HtmlCanvasElement, CanvasRenderingContext2d)>,
    pictures: Vec<CachedPicture>,
}

struct CachedPicture {
    list: Rc<DrawList>,
    size_css_px: (f64, f64),
    device_pixel_ratio: f64,
    canvas: HtmlCanvasElement,
    is_used: bool,
}

/// Paints a list without caches. `device_pixel_ratio` scales its CSS pixels to the backing store.
pub fn paint(context: &CanvasRenderingContext2d, list: &DrawList, device_pixel_ratio: f64) {
    Brush::new(context, device_pixel_ratio).all(&list.plain());
}

impl Painter {
    pub fn paint(&mut self, context: &CanvasRenderingContext2d, list: &DrawList, device_pixel_ratio: f64) {
        let mosaics = self.lay_strips(context, list, device_pixel_ratio);
        let mut mosaics = mosaics.into_iter();
        let mut brush = Brush::new(context, device_pixel_ratio);
        for op in &list.ops {
            match op {
                Op::Mosaic(groups) => match mosaics.next().flatten() {
                    Some(strips) => self.mosaic(&mut brush, groups, strips),
                    None => groups.iter().for_each(|(colour, rects)| brush.fill(*colour, rects)),
                },
                Op::Picture(place, list) => {
                    if !self.paint_picture(context, *place, list, device_pixel_ratio) {
                        let plain = DrawList { ops: vec![op.clone()] }.plain();
                        plain.ops.iter().for_each(|op| brush.op(op));
                    }
                }
                op => brush.op(op),
            }
        }
        self.pictures.retain_mut(|picture| std::mem::take(&mut picture.is_used));
    }

    /// Turns the narrow rectangles of all mosaics into one picture and returns each mosaic's strips.
    fn lay_strips(
        &mut self,
        context: &CanvasRenderingContext2d,
        list: &DrawList,
        device_pixel_ratio: f64,
    ) -> Vec<Option<Range<usize>>> {
        let width = context.canvas().map_or(0, |canvas| canvas.width());
        self.strips.begin(width, device_pixel_ratio);
        let mosaics = list.ops.iter().filter_map(|op| match op {
            Op::Mosaic(groups) => Some(self.strips.take(groups)),
            _ => None,
        });
        let mosaics = mosaics.collect();
        if self.strips.strips.is_empty() || self.put_strips().is_some() { mosaics } else { Vec::new() }
    }

    /// Puts the strips on a separate canvas; `None` if the browser can't create one.
    fn put_strips(&mut self) -> Option<()> {
        let (width, height) = (self.strips.width_device_px(), self.strips.strips.len() as u32);
        if self.strips_canvas.is_none() {
            self.strips_canvas = Some(new_canvas()?);
        }
        let (canvas, context) = self.strips_canvas.as_ref()?;
        // A canvas loses its content when it is resized, so it only grows.
        if canvas.width() != width || canvas.height() < height {
            canvas.set_width(width);
            canvas.set_height(height.next_power_of_two().max(64));
        }
        let pixels = Clamped(self.strips.pixels.as_slice());
        let data = ImageData::new_with_u8_clamped_array_and_sh(pixels, width, height).ok()?;
        context.put_image_data(&data, 0.0, 0.0).ok()
    }

    fn mosaic(&self, brush: &mut Brush<'_>, groups: &[(Colour, Vec<Rect>)], strips: Range<usize>) {
        let Some((canvas, _)) = &self.strips_canvas else { return };
        let ratio = brush.device_pixel_ratio;
        brush.context.set_image_smoothing_enabled(false);
        for (number, Strip { rows, columns }) in strips.clone().zip(&self.strips.strips[strips]) {
            let (x, w) = (f64::from(columns.start), f64::from(columns.end - columns.start));
            let (y, h) = (f64::from(rows.start), f64::from(rows.end - rows.start));
            if w > 0.0 {
                // A picture that can't be painted leaves its area empty.
                let _ = brush
                    .context
                    .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                        canvas,
                        x,
                        number as f64,
                        w,
                        1.0,
                        x / ratio,
                        y / ratio,
                        w / ratio,
                        h / ratio,
                    );
            }
        }
        for (colour, rects) in groups {
            for rect in rects.iter().filter(|rect| self.strips.columns(*colour, rect).is_none()) {
                brush.fill(*colour, std::slice::from_ref(rect));
            }
        }
    }

    /// Paints a list from its cached picture, created on first use. True on success.
    fn paint_picture(
        &mut self,
        context: &CanvasRenderingContext2d,
        place: Rect,
        list: &Rc<DrawList>,
        device_pixel_ratio: f64,
    ) -> bool {
        let size_css_px = (place.w, place.h);
        let is_same = |picture: &CachedPicture| {
            Rc::ptr_eq(&picture.list, list)
                && (picture.size_css_px, picture.device_pixel_ratio) == (size_css_px, device_pixel_ratio)
        };
        if !self.pictures.iter().any(is_same) {
            let Some((canvas, own)) = new_canvas() else { return false };
            canvas.set_width((place.w * device_pixel_ratio).ceil() as u32);
            canvas.set_height((place.h * device_pixel_ratio).ceil() as u32);
            paint(&own, list, device_pixel_ratio);
            self.pictures.push(CachedPicture {
                list: list.clone(),
                size_css_px,
                device_pixel_ratio,
                canvas,
                is_used: false,
            });
        }
        let Some(picture) = self.pictures.iter_mut().find(|picture| is_same(picture)) else { return false };
        picture.is_used = true;
        let (w, h) = (f64::from(picture.canvas.width()), f64::from(picture.canvas.height()));
        let drawn = context.draw_image_with_html_canvas_element_and_dw_and_dh(
            &picture.canvas,
            place.x,
            place.y,
            w / device_pixel_ratio,
            h / device_pixel_ratio,
        );
        drawn.is_ok()
    }
}

/// Creates a canvas outside the document.
fn new_canvas() -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    Some((canvas, context))
}

/// Paints plain operations and skips context settings that are already in effect.
struct Brush<'a> {
    context: &'a CanvasRenderingContext2d,
    device_pixel_ratio: f64,
    fill: Option<Colour>,
    font: Option<Font>,
    align: Option<Align>,
}

impl<'a> Brush<'a> {
    fn new(context: &'a CanvasRenderingContext2d, device_pixel_ratio: f64) -> Self {
        // A context that refuses a transform or a curve shows an incomplete picture.
        let _ = context.set_transform(device_pixel_ratio, 0.0, 0.0, device_pixel_ratio, 0.0, 0.0);
        context.set_text_baseline("middle");
        Self { context, device_pixel_ratio, fill: None, font: None, align: None }
    }

    fn all(&mut self, list: &DrawList) {
        list.ops.iter().for_each(|op| self.op(op));
    }

    fn set_fill(&mut self, colour: Colour) {
        if self.fill != Some(colour) {
            self.context.set_fill_style_str(&colour.css());
            self.fill = Some(colour);
        }
    }

    fn set_line(&self, colour: Colour, width: f64) {
        self.context.set_stroke_style_str(&colour.css());
        self.context.set_line_width(width);
    }

    fn fill(&mut self, colour: Colour, rects: &[Rect]) {
        self.set_fill(colour);
        for Rect { x, y, w, h } in rects {
            self.context.fill_rect(*x, *y, *w, *h);
        }
    }

    fn op(&mut self, op: &Op) {
        let context = self.context;
        match op {
            Op::Fill(colour, rects) => self.fill(*colour, rects),
            // A plain list contains neither mosaics nor pictures.
            Op::Mosaic(_) | Op::Picture(..) => {}
            Op::Outline(colour, width, rect) => {
                self.set_line(*colour, *width);
                let inset = width / 2.0;
                let (w, h) = ((rect.w - width).max(0.5), (rect.h - width).max(0.5));
                context.stroke_rect(rect.x + inset, rect.y + inset, w, h);
            }
            Op::Polygon(colour, points) => {
                self.set_fill(*colour);
                path(context, points);
                context.fill();
            }
            Op::Line(colour, width, points) => {
                self.set_line(*colour, *width);
                path(context, points);
                context.stroke();
            }
            Op::Lines(colour, width, lines) => {
                self.set_line(*colour, *width);
                // One path with very many lines is slower than several smaller ones.
                for lines in lines.chunks(LINES_AT_ONCE) {
                    context.begin_path();
                    for points in lines {
                        extend(context, points);
                    }
                    context.stroke();
                }
            }
            Op::Arrow(colour, width, from, to) => {
                self.set_line(*colour, *width);
                self.set_fill(*colour);
                arrow(context, *from, *to);
            }
            Op::Text(text) => self.write(text),
            Op::Clip(rect) => {
                context.save();
                context.begin_path();
                context.rect(rect.x, rect.y, rect.w, rect.h);
                context.clip();
            }
            Op::Unclip => {
                context.restore();
                (self.fill, self.font, self.align) = (None, None, None);
            }
        }
    }

    fn write(&mut self, text: &Text) {
        if self.font != Some(text.font) {
            set_font(self.context, text.font);
            self.font = Some(text.font);
        }
        if self.align != Some(text.align) {
            self.context.set_text_align(match text.align {
                Align::Left => "left",
                Align::Centre => "center",
                Align::Right => "right",
            });
            self.align = Some(text.align);
        }
        self.set_fill(text.colour);
        let _ = self.context.fill_text(&text.text, text.x, text.y + 0.5);
    }
}

pub fn measure(context: &CanvasRenderingContext2d, text: &str) -> f64 {
    set_font(context, Font::Slice);
    // Falls back to an average letter width if the browser can't measure the text.
    context.measure_text(text).map_or(text.len() as f64 * 6.5, |metrics| metrics.width())
}

fn set_font(context: &CanvasRenderingContext2d, font: Font) {
    context.set_font(match font {
        Font::Slice => SLICE_FONT,
        Font::Small => SMALL_FONT,
    });
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
