//! Saves pictures of chart and map.

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::browser::{document, save, text_address};
use crate::canvas::paint::paint;
use crate::canvas::svg::svg;
use crate::state::session::Session;
use crate::views::memory::draw::picture::Picture;

/// Pixels of a PNG for each of the screen's CSS pixels.
const PNG_SCALE: f64 = 2.0;

/// Saves a picture as an SVG, or as a PNG.
pub(super) fn save_picture(session: Session, picture: &Picture, is_png: bool) {
    let name = if is_png { "memory.png" } else { "memory.svg" };
    let address = if is_png {
        png(picture)
    } else {
        let text = svg(&picture.list, picture.width_css_px, picture.height_css_px, &picture.title);
        Some(text_address("image/svg+xml", &text))
    };
    match address {
        Some(address) => {
            save(name, &address);
            session.announcement.set(format!("Saved the view as {name}"));
        }
        None => {
            session.announcement.set("The browser can't draw a picture of this size. Choose SVG.".to_owned())
        }
    }
}

/// The picture as a `data:` address.
fn png(picture: &Picture) -> Option<String> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width((picture.width_css_px * PNG_SCALE).round() as u32);
    canvas.set_height((picture.height_css_px * PNG_SCALE).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    paint(&context, &picture.list, PNG_SCALE);
    let address = canvas.to_data_url_with_type("image/png").ok()?;
    address.starts_with("data:image/png").then_some(address)
}
