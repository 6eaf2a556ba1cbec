//! Saves pictures and texts of the drawing.

use super::controller::Controller;
use crate::browser::{save, text_address};
use crate::canvas::svg::svg;
use crate::format;
use crate::views::graph::dot::dot;
use crate::views::graph::picture::picture;
use crate::views::graph::question::LEVELS;
use crate::views::timeline::picture::Picture;
use crate::views::timeline::view::png;

impl Controller {
    /// Saves the view as an SVG.
    pub(crate) fn save_svg(&self) {
        let Picture { list, title, width_css_px, height_css_px } = self.picture();
        let text = svg(&list, width_css_px, height_css_px, &title);
        save("graph.svg", &text_address("image/svg+xml", &text));
        self.say("Saved the view as graph.svg");
    }

    /// Saves the view as a PNG with this many pixels for each of the screen's CSS pixels.
    pub(crate) fn save_png(&self, scale: f64) {
        match png(&self.picture(), scale) {
            Some(address) => {
                save("graph.png", &address);
                self.say("Saved the view as graph.png");
            }
            None => {
                self.say("The browser can't draw a picture of this size. Choose a smaller scale, or SVG.");
            }
        }
    }

    /// Saves the whole drawing as DOT.
    pub(crate) fn save_dot(&self) {
        let title = self.title();
        let inner = self.inner.borrow();
        let text = dot(&inner.model, &inner.choice, &title);
        drop(inner);
        save("graph.dot", &text_address("text/vnd.graphviz", &text));
        self.say("Saved the drawing as graph.dot");
    }

    fn picture(&self) -> Picture {
        let title = self.title();
        let inner = self.inner.borrow();
        picture(&inner.scene(), &inner.frame, &title)
    }

    fn title(&self) -> String {
        let info = self.session.info();
        let program = if info.process.name.is_empty() { "trace" } else { info.process.name.as_str() };
        let inner = self.inner.borrow();
        let level = inner.shown.as_ref().map(|shown| shown.level).unwrap_or_default();
        let level = LEVELS.iter().find(|(known, ..)| *known == level).map_or("", |(_, name, _)| *name);
        format!(
            "{program} · {} graph · {} in {}",
            level.to_lowercase(),
            format::counted(inner.model.commands, "command", "commands"),
            format::counted(inner.model.view.nodes.len() as u64, "node", "nodes"),
        )
    }
}
