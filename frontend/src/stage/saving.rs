//! Saving of pictures and other exports of a drawing.

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::browser::{document, save, text_address};
use crate::canvas::paint::paint;
use crate::canvas::svg::svg;
use crate::reactive::*;
use crate::stage::picture::Picture;
use crate::state::session::with_key;

/// Longest side of a canvas that browsers draw, in device pixels.
const MAX_DEVICE_PX: f64 = 16_000.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PictureFormat {
    Svg,
    /// PNG with this number of pixels per CSS pixel, limited to the browser's maximum.
    Png(f64),
}

/// Buttons that save a view as a picture, for a menu. `testids` are the SVG's, and the PNG's without its scale.
/// `commands` are the ids of the commands for an SVG and a PNG.
#[component]
pub(crate) fn Pictures(
    testids: (&'static str, &'static str),
    commands: (&'static str, &'static str),
    on_save: Callback<PictureFormat>,
) -> impl IntoView {
    let entries = [
        (PictureFormat::Svg, "SVG (Shift+S)"),
        (PictureFormat::Png(1.0), "PNG, 1×"),
        (PictureFormat::Png(2.0), "PNG, 2× (Shift+P)"),
        (PictureFormat::Png(4.0), "PNG, 4×"),
    ];
    let buttons = entries.map(|(saved, text)| {
        let (testid, command) = match saved {
            PictureFormat::Svg => (testids.0.to_owned(), commands.0),
            PictureFormat::Png(scale) => (format!("{}-{scale}", testids.1), commands.1),
        };
        view! { <button type="button" data-testid=testid on:click=move |_| on_save.run(saved)>{with_key(command, text)}</button> }
    });
    buttons.collect_view()
}

/// Saves a picture under `stem` and returns a message about the result.
pub(crate) fn save_picture(picture: &Picture, stem: &str, saved: PictureFormat) -> String {
    let (name, address) = match saved {
        PictureFormat::Svg => {
            let text = svg(&picture.list, picture.width_css_px, picture.height_css_px, &picture.title);
            (format!("{stem}.svg"), Some(text_address("image/svg+xml", &text)))
        }
        PictureFormat::Png(scale) => (format!("{stem}.png"), png(picture, scale)),
    };
    match address {
        Some(address) => {
            save(&name, &address);
            format!("Saved the view as {name}")
        }
        None => "The browser can't draw a picture of this size. Choose a smaller scale, or SVG.".to_owned(),
    }
}

fn png(picture: &Picture, scale: f64) -> Option<String> {
    let longest_css_px = picture.width_css_px.max(picture.height_css_px);
    let scale = scale.min(MAX_DEVICE_PX / longest_css_px.max(1.0));
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width((picture.width_css_px * scale).round() as u32);
    canvas.set_height((picture.height_css_px * scale).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    paint(&context, &picture.list, scale);
    let address = canvas.to_data_url_with_type("image/png").ok()?;
    address.starts_with("data:image/png").then_some(address)
}
