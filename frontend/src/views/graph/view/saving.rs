use super::controller::Controller;
use crate::browser::{save, text_address};
use crate::format;
use crate::stage::picture::trace_name;
use crate::stage::saving::{PictureFormat, save_picture};
use crate::views::graph::dot::dot;
use crate::views::graph::picture::picture;
use crate::views::graph::question::LEVELS;

impl Controller {
    pub(crate) fn save_picture(&self, saved: PictureFormat) {
        // A table has no picture: the last drawing may be of other nodes, or there is none yet.
        if !self.inner.borrow().is_on_stage {
            self.session.tell("Show the drawing (T) to save a picture of it.".to_owned());
            return;
        }
        let title = self.title();
        let inner = self.inner.borrow();
        let picture = picture(&inner.scene(), &inner.frame, title);
        drop(inner);
        self.say(&save_picture(&picture, "graph", saved));
    }

    pub(crate) fn save_dot(&self) {
        let title = self.title();
        let inner = self.inner.borrow();
        let text = dot(&inner.model, &inner.choice, &title);
        drop(inner);
        save("graph.dot", &text_address("text/vnd.graphviz", &text));
        self.say("Saved the drawing as graph.dot");
    }

    fn title(&self) -> String {
        let info = self.session.info();
        let program = trace_name(&info);
        let inner = self.inner.borrow();
        let level = inner.drawing_query.as_ref().map(|query| query.level).unwrap_or_default();
        let level = LEVELS.iter().find(|(other, ..)| *other == level).map_or("", |(_, name, _)| *name);
        format!(
            "{program} · {} graph · {} in {}",
            level.to_lowercase(),
            format::counted(inner.model.commands, "command", "commands"),
            format::counted(inner.model.view.nodes.len() as u64, "node", "nodes"),
        )
    }
}
