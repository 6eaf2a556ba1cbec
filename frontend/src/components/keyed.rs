//! Lists whose items stay on screen as long as their keys do.

use crate::reactive::*;

struct Item {
    key: String,
    view: Box<dyn FnOnce() -> AnyView + Send>,
}

/// Draws the items of `each`; an item is redrawn only if its key is new.
pub(crate) fn keyed<T, V>(
    each: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    view: impl Fn(T) -> V + Clone + Send + 'static,
) -> AnyView
where
    T: Send + 'static,
    V: IntoAny,
{
    let items = move || {
        let item = |item| {
            let (key, view) = (key(&item), view.clone());
            Item { key, view: Box::new(move || view(item).into_any()) }
        };
        each().into_iter().map(item).collect()
    };
    list(Box::new(items))
}

/// Draws untyped items, so that the code is compiled once and not for every item type.
fn list(items: Box<dyn Fn() -> Vec<Item> + Send>) -> AnyView {
    view! { <For each=items key=|item| item.key.clone() children=|item| (item.view)()/> }.into_any()
}
