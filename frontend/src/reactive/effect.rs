//! What is done again whenever something changes that it has read.

/// Something that is done again and again, as long as the part of the page lives that began it.
pub(crate) struct Effect;

impl Effect {
    /// Does `act` soon, and again when something changes that it has read; it gets what it returned before.
    pub(crate) fn new<T: 'static>(mut act: impl FnMut(Option<T>) -> T + 'static) -> Self {
        let mut before = None;
        begin(Box::new(move || before = Some(act(before.take()))));
        Self
    }
}

fn begin(mut act: Box<dyn FnMut()>) {
    leptos::prelude::Effect::new(move |_: Option<()>| act());
}
