use crate::stage::picture::trace_name;
use crate::stage::saving::{PictureFormat, save_picture};
use crate::views::timeline::picture::picture;
use crate::views::timeline::view::controller::Controller;

impl Controller {
    pub(crate) fn save_picture(&self, saved: PictureFormat) {
        let inner = self.inner.borrow();
        let picture = picture(&inner.scene(), &inner.frame, trace_name(&inner.info));
        drop(inner);
        self.say(&save_picture(&picture, "timeline", saved));
    }
}
