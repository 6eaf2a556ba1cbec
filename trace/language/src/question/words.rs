//! Parameters that are one of some words.

/// Declares the words of a parameter; the first one is what it is when it's left out.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
        }

        impl $name {
            /// What a parameter can be.
            const EXPECTED: &'static str = concat!("one of", $(" ", $text,)+);

            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its word in a question.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            fn read(
                params: &mut crate::question::params::Params,
                name: &'static str,
            ) -> Result<Self, crate::question::QuestionError> {
                let of = |text: &str| Self::ALL.iter().copied().find(|known| known.as_str() == text);
                Ok(params.parse(name, Self::EXPECTED, of)?.unwrap_or_default())
            }

            fn write(self, name: &str, out: &mut crate::question::params::ParamWriter<'_, '_>) -> std::fmt::Result {
                out.pair(name, Some(self).filter(|word| *word != Self::default()).map(Self::as_str))
            }
        }
    };
}
