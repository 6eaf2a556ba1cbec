//! Names of the values of enumerations and flags, for the writer's thread.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::parameter::Scalar;
use super::table::{Interface, Table};

#[derive(Default)]
pub(crate) struct Names {
    values: FxHashMap<(Interface, &'static str), Vec<Value>>,
    /// Names of the first elements of lists, by the list's.
    indexed: FxHashMap<&'static str, [&'static str; FIRST]>,
}

/// Number of a list's first elements whose names are cached.
const FIRST: usize = 4;

struct Value {
    number: u32,
    /// Leaked, like the tables.
    name: &'static str,
    /// The type of the property denoted by the value.
    property: Option<Property>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Text,
    Scalar(Scalar),
    List(Scalar),
}

impl Names {
    /// Returns the name of a list's element: `phEventWaitList[0]`.
    pub(crate) fn indexed(&mut self, list: &'static str, index: usize) -> Cow<'static, str> {
        let text = |index: usize| format!("{list}[{index}]");
        // Leaked: there are no more lists than parameters.
        let first = || std::array::from_fn(|index| &*Box::leak(text(index).into_boxed_str()));
        match self.indexed.entry(list).or_insert_with(first).get(index) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(text(index)),
        }
    }

    fn values(&mut self, interface: Interface, name: &'static str) -> &[Value] {
        self.values.entry((interface, name)).or_insert_with(|| {
            let line = Table::get(interface).line(interface, name);
            line.map(|line| read(line.rest)).unwrap_or_default()
        })
    }

    pub(crate) fn enumerator(
        &mut self,
        interface: Interface,
        name: &'static str,
        number: u32,
    ) -> Option<&'static str> {
        let values = self.values(interface, name);
        values.iter().find(|value| value.number == number).map(|value| value.name)
    }

    /// Returns the type of the property with this enumeration value.
    pub(crate) fn property(
        &mut self,
        interface: Interface,
        name: &'static str,
        number: u32,
    ) -> Option<Property> {
        self.values(interface, name).iter().find(|value| value.number == number)?.property
    }

    /// Returns the names of a set of flags, those without a name as a number; `None` for the empty set.
    pub(crate) fn flags(&mut self, interface: Interface, name: &'static str, mut set: u32) -> Option<String> {
        let mut text = String::new();
        for value in self.values(interface, name) {
            if value.number != 0 && set & value.number == value.number {
                set &= !value.number;
                text.push_str(if text.is_empty() { "" } else { " | " });
                text.push_str(value.name);
            }
        }
        if set != 0 {
            text.push_str(if text.is_empty() { "" } else { " | " });
            text.push_str(&format!("{set:#x}"));
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Parses a line `PREFIX VALUE=NAME[:TYPE]…`.
fn read(line: &'static str) -> Vec<Value> {
    let Some((prefix, rest)) = line.split_once(' ') else { return Vec::new() };
    let value = |word: &'static str| {
        let (number, name) = word.split_once('=')?;
        let (name, code) = name.split_once(':').unwrap_or((name, ""));
        let property = match (code, code.strip_prefix('[')) {
            ("s", _) => Some(Property::Text),
            (_, Some(element)) => Scalar::parse(element).map(Property::List),
            (scalar, None) => Scalar::parse(scalar).map(Property::Scalar),
        };
        Some(Value {
            number: u32::from_str_radix(number, 16).ok()?,
            name: Box::leak(format!("{prefix}{name}").into_boxed_str()),
            property,
        })
    };
    rest.split(' ').filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_names_of_the_header() {
        let mut names = Names::default();
        let ur = Interface::UnifiedRuntime;
        assert_eq!(names.enumerator(ur, "ur_result_t", 0), Some("UR_RESULT_SUCCESS"));
        assert_eq!(names.enumerator(ur, "ur_result_t", 44), Some("UR_RESULT_ERROR_UNSUPPORTED_FEATURE"));
        assert_eq!(names.enumerator(ur, "ur_result_t", 0x1234_5678), None);
        let flags = names.flags(ur, "ur_queue_flags_t", 3 | 1 << 30).unwrap();
        assert_eq!(
            flags,
            "UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE | UR_QUEUE_FLAG_PROFILING_ENABLE | 0x40000000"
        );
        assert_eq!(names.flags(ur, "ur_queue_flags_t", 0), None);
        assert_eq!(names.property(ur, "ur_kernel_info_t", 0), Some(Property::Text));
        let property = names.property(ur, "ur_device_info_t", 0);
        assert_eq!(property, Some(Property::Scalar(Scalar::Enumerator("ur_device_type_t"))));
    }
}
