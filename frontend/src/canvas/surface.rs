//! A canvas whose backing store matches the screen's pixels.

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use crate::browser::{document, prefers_dark, window};
use crate::canvas::draw_list::{Colour, DrawList};
use crate::canvas::paint::Painter;
use crate::canvas::palette::{Scheme, Theme, parse_css};
use crate::canvas::scale::Size;

pub struct Surface {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    width_css_px: f64,
    height_css_px: f64,
    device_pixel_ratio: f64,
    painter: Painter,
    scale: f64,
}

impl Surface {
    /// Creates the surface of a canvas; `None` if the browser has no 2D context.
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let mut surface = Self {
            canvas,
            context,
            width_css_px: 0.0,
            height_css_px: 0.0,
            device_pixel_ratio: 1.0,
            painter: Painter::default(),
            scale: 1.0,
        };
        surface.fit();
        Some(surface)
    }

    /// Enlarges the canvas's content by `scale`. Sizes and densities then count in content pixels, which are larger
    /// than CSS pixels by that factor.
    pub fn enlarge(&mut self, scale: f64) {
        self.scale = scale;
    }

    /// Fits the backing store to the element's size and the screen's density. True if anything changed.
    pub fn fit(&mut self) -> bool {
        let ratio = window().device_pixel_ratio();
        let (width, height) = (f64::from(self.canvas.client_width()), f64::from(self.canvas.client_height()));
        if (width, height, ratio) == (self.width_css_px, self.height_css_px, self.device_pixel_ratio) {
            return false;
        }
        (self.width_css_px, self.height_css_px, self.device_pixel_ratio) = (width, height, ratio);
        self.canvas.set_width((width * ratio).round() as u32);
        self.canvas.set_height((height * ratio).round() as u32);
        true
    }

    pub fn size(&self) -> Size {
        Size {
            width_css_px: self.width_css_px / self.scale,
            height_css_px: self.height_css_px / self.scale,
            device_pixel_ratio: self.device_pixel_ratio * self.scale,
        }
    }

    pub fn paint(&mut self, list: &DrawList) {
        self.painter.paint(&self.context, list, self.device_pixel_ratio * self.scale);
    }

    pub fn canvas(&self) -> &HtmlCanvasElement {
        &self.canvas
    }

    pub fn context(&self) -> &CanvasRenderingContext2d {
        &self.context
    }
}

pub fn read_theme() -> Theme {
    let standard = Theme::default();
    let Some(root) = document().document_element() else { return standard };
    let Ok(probe) = document().create_element("span") else { return standard };
    probe.set_class_name("token-probe");
    if root.append_child(&probe).is_err() {
        return standard;
    }
    let token = |name: &str, fallback: Colour| computed_colour(&probe, name).unwrap_or(fallback);
    let scheme = match root.get_attribute("data-theme").as_deref() {
        Some("light") => Scheme::Light,
        Some("dark") => Scheme::Dark,
        _ if prefers_dark() => Scheme::Dark,
        _ => Scheme::Light,
    };
    let theme = Theme {
        scheme,
        ground: token("--canvas-ground", standard.ground),
        group: token("--canvas-group", standard.group),
        line: token("--canvas-line", standard.line),
        grid: token("--canvas-grid", standard.grid),
        text: token("--text", standard.text),
        quiet: token("--text-quiet", standard.quiet),
        slice_text: token("--slice-text", standard.slice_text),
        accent: token("--canvas-accent", standard.accent),
        edge: token("--canvas-edge", standard.edge),
    };
    probe.remove();
    theme
}

fn computed_colour(probe: &Element, token: &str) -> Option<Colour> {
    let style = probe.dyn_ref::<web_sys::HtmlElement>()?.style();
    style.set_property("color", &format!("var({token})")).ok()?;
    let computed = window().get_computed_style(probe).ok()??;
    parse_css(&computed.get_property_value("color").ok()?)
}
