//! The theme: the user's choice, the resulting scheme, and the switch.

use leptos::ev;
use syclscope_language::decimal::float;
use syclscope_language::event::Category;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlElement;

use crate::browser::{document, load, prefers_dark, query, store, window};
use crate::canvas::palette::Scheme;
use crate::components::icons::{Icon, IconKind};
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::theme::{ThemeChoice, text_scale};
use crate::state::url;

const THEME_KEY: &str = "syclscope.theme";
const SCALE_KEY: &str = "syclscope.text-scale";

#[derive(Clone, Copy)]
pub(crate) struct ThemeContext {
    pub(crate) choice: RwSignal<ThemeChoice>,
    scheme: RwSignal<Scheme>,
    /// Text size relative to the default.
    text_scale: RwSignal<f64>,
}

pub(crate) fn provide_theme() {
    // An older link contains its sender's theme, which is used but not stored.
    let choice = match url::theme(&query()) {
        ThemeChoice::System => ThemeChoice::from_stored(load(THEME_KEY).as_deref()),
        linked => linked,
    };
    apply_scale(read_scale());
    let (choice, scheme) = (RwSignal::new(choice), RwSignal::new(scheme(choice)));
    let theme = ThemeContext { choice, scheme, text_scale: RwSignal::new(browser_scale()) };
    provide_context(theme);
    if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
        let on_change =
            Closure::<dyn Fn()>::new(move || theme.scheme.set(self::scheme(theme.choice.get_untracked())));
        // The listener lives as long as the page.
        let _ = query.add_event_listener_with_callback("change", on_change.into_js_value().unchecked_ref());
    }
    let _print = window_event_listener(ev::beforeprint, move |_| {
        let painted = if theme.scheme.get_untracked() == Scheme::Dark { "dark" } else { "light" };
        if let Some(root) = document().document_element() {
            // Setting an attribute to a plain word can't fail.
            let _ = root.set_attribute("data-painted", painted);
        }
    });
    let _other_tabs = window_event_listener(ev::storage, move |event| {
        // A link's theme is not stored, so other changes must not end it. Without a key everything was removed.
        if event.key().is_none_or(|key| key == THEME_KEY) {
            theme.choose(ThemeChoice::from_stored(load(THEME_KEY).as_deref()));
        }
    });
}

pub(crate) fn use_scheme() -> RwSignal<Scheme> {
    expect_context::<ThemeContext>().scheme
}

pub(crate) fn use_text_scale() -> RwSignal<f64> {
    expect_context::<ThemeContext>().text_scale
}

/// Returns the CSS colour of a slice, which follows the theme.
pub(crate) fn slice_colour(category: Category, name: &str) -> impl Fn() -> String + Clone + Send + use<> {
    let (session, scheme, name) = (use_session(), use_scheme(), name.to_owned());
    move || session.slice_css(scheme.get(), category, &name)
}

impl ThemeContext {
    pub(crate) fn next(self) {
        let next = self.choice.get_untracked().next();
        store(THEME_KEY, next.as_stored());
        self.choose(next);
    }

    pub(crate) fn scale_text(self, steps: isize) {
        let scale = text_scale(read_scale(), steps);
        store(SCALE_KEY, (scale != 100).then(|| scale.to_string()).as_deref());
        apply_scale(scale);
        self.text_scale.set(browser_scale());
    }

    fn choose(self, choice: ThemeChoice) {
        let root = document().document_element();
        if let Some(root) = root {
            // Setting an attribute to a plain word can't fail.
            let _ = match choice.as_stored() {
                Some(value) => root.set_attribute("data-theme", value),
                None => root.remove_attribute("data-theme"),
            };
        }
        self.choice.set(choice);
        self.scheme.set(scheme(choice));
    }
}

fn read_scale() -> u32 {
    load(SCALE_KEY).and_then(|text| text.parse().ok()).unwrap_or(100)
}

fn apply_scale(percent: u32) {
    let root = document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        // All text sizes follow from the root's.
        let _ = root.style().set_property("font-size", &format!("{percent}%"));
    }
}

/// Returns the text size that the browser applies: users may have a larger default font.
fn browser_scale() -> f64 {
    const USUAL_CSS_PX: f64 = 16.0;
    let root = document().document_element();
    let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    let size = size.and_then(|size| float(size.strip_suffix("px")?));
    (size.unwrap_or(USUAL_CSS_PX) / USUAL_CSS_PX).clamp(0.5, 4.0)
}

fn scheme(choice: ThemeChoice) -> Scheme {
    match choice {
        ThemeChoice::Dark => Scheme::Dark,
        ThemeChoice::Light => Scheme::Light,
        ThemeChoice::System if prefers_dark() => Scheme::Dark,
        ThemeChoice::System => Scheme::Light,
    }
}

#[component]
pub(crate) fn ThemeSwitch() -> impl IntoView {
    let theme = expect_context::<ThemeContext>();
    let title = move || {
        format!("Theme: {}. Switch to {}", theme.choice.get().name(), theme.choice.get().next().name())
    };
    view! {
        <button class="quiet-button" type="button" data-testid="theme" title=title aria-label=title on:click=move |_| theme.next()>
            {move || {
                let kind = match theme.choice.get() {
                    ThemeChoice::System => IconKind::System,
                    ThemeChoice::Dark => IconKind::Moon,
                    ThemeChoice::Light => IconKind::Sun,
                };
                view! { <Icon kind/> }
            }}
            <span class="button-text">{move || format!("Theme: {}", theme.choice.get().name())}</span>
        </button>
    }
}
