//! Deserialisation of types that contain another type's members among their own. serde's `flatten` buffers all members
//! first, which takes several times as much code, and the page has a copy of that code for each type.

/// Implements reading of a type, given its members in written order with the inner type's members in between.
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
