//! Side effects that rerun when their dependencies change.

/// A side effect that lives as long as its owner.
pub(crate) struct Effect;

impl Effect {
    /// Runs `act` soon, and again whenever a dependency changes. `act` gets its previous result.
    pub(crate) fn new<T: 'static>(mut act: impl FnMut(Option<T>) -> T + 'static) -> Self {
        let mut before = None;
        begin(Box::new(move || before = Some(act(before.take()))));
        Self
    }
}

fn begin(mut act: Box<dyn FnMut()>) {
    leptos::prelude::Effect::new(move |_: Option<()>| act());
}
