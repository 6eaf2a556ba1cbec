//! Reading types that hold another type's members among their own. serde's `flatten` keeps all of them in a form of its own
//! first, and what reads that is several times the code, of which the page has a copy for each type.

/// Reads a type from the list of its members as they are written, with those of the inner one between them.
macro_rules! read_flat {
    (
        $name:ident from $flat:ident { $($written:ident: $type:ty),+ $(,)? }
        with $($own:ident),+; $field:ident: $inner:ident { $($member:ident),+ $(,)? }
    ) => {
        #[derive(serde::Deserialize)]
        struct $flat {
            $($written: $type,)+
        }

        impl From<$flat> for $name {
            fn from(flat: $flat) -> Self {
                Self { $($own: flat.$own,)+ $field: $inner { $($member: flat.$member),+ } }
            }
        }
    };
}

pub(super) use read_flat;
