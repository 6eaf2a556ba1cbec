//! Closed sets of words.

/// A closed set of words, for generic code.
pub trait Word: Copy + PartialEq + 'static {
    /// Words of the set, for messages.
    const EXPECTED: &'static str;

    /// Returns every value, in the order of declaration.
    fn all() -> &'static [Self];

    /// Returns the word of the value.
    fn word(self) -> &'static str;

    /// Returns the value with a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::all().iter().copied().find(|value| value.word() == word)
    }
}

/// Declares a closed set of words.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns its word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// Returns the value with a word.
            pub fn from_word(word: &str) -> Option<Self> {
                <Self as $crate::words::Word>::from_word(word)
            }
        }

        impl $crate::words::Word for $name {
            const EXPECTED: &'static str = concat!("one of", $(" ", $text,)+);

            fn all() -> &'static [Self] {
                Self::ALL
            }

            fn word(self) -> &'static str {
                self.as_str()
            }
        }
    };
}

/// Declares a closed set of words in answers.
macro_rules! answer_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $crate::words! {
            $(#[$doc])*
            #[derive(PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
            $name {
                $($(#[$vdoc])* #[serde(rename = $text)] $variant = $text,)+
            }
        }
    };
}
