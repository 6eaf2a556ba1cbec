//! Parameters with a fixed set of words.

/// Declares the words of a parameter; the first one is the default.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
        }

        impl $name {
            /// Valid values, for messages.
            const EXPECTED: &'static str = concat!("one of", $(" ", $text,)+);

            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Word in a query.
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
