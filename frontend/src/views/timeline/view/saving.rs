//! Saves pictures of the view.

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::browser::{document, save, text_address};
use crate::canvas::paint::paint;
use crate::canvas::svg::svg;
use crate::views::timeline::picture::{Picture, picture};
use crate::views::timeline::view::controller::Controller;

/// Browsers draw no canvas with a side longer than this, in device pixels.
const MOST_DEVICE_PX: f64 = 16_000.0;

impl Controller {
    /// Saves the view as an SVG.
    pub(crate) fn save_svg(&self) {
        let Picture { list, title, width_css_px, height_css_px } = self.picture();
        let text = svg(&list, width_css_px, height_css_px, &title);
        save("timeline.svg", &text_address("image/svg+xml", &text));
        self.say("Saved the view as timeline.svg");
    }

    /// Saves the view as a PNG with this many pixels for each of the screen's CSS pixels.
    pub(crate) fn save_png(&self, scale: f64) {
        let picture = self.picture();
        let longest_css_px = picture.width_css_px.max(picture.height_css_px);
        let scale = scale.min(MOST_DEVICE_PX / longest_css_px.max(1.0));
        match png(&picture, scale) {
            Some(address) => {
                save("timeline.png", &address);
                self.say("Saved the view as timeline.png");
            }
            None => {
                self.say("The browser can't draw a picture of this size. Choose a smaller scale, or SVG.")
            }
        }
    }

    fn picture(&self) -> Picture {
        let inner = self.inner.borrow();
        let program = inner.info.process.name.as_str();
        let name = if program.is_empty() { "trace" } else { program };
        picture(&inner.scene(), &inner.frame, name)
    }
}

/// The picture as a `data:` address.
pub(crate) fn png(picture: &Picture, scale: f64) -> Option<String> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width((picture.width_css_px * scale).round() as u32);
    canvas.set_height((picture.height_css_px * scale).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    paint(&context, &picture.list, scale);
    let address = canvas.to_data_url_with_type("image/png").ok()?;
    address.starts_with("data:image/png").then_some(address)
}
