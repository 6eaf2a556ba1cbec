//! Names of kernels: from compilers, and for display.

mod distinct;
mod symbol;

use std::borrow::Cow;

pub use self::distinct::ShortNames;

/// Prefixes that demanglers add to a kernel's name, because its symbol is that of a type.
const NOISE: [&str; 2] = ["typeinfo name for ", "typeinfo for "];

/// Returns a kernel's name without the demangler's description of its symbol.
pub fn plain_name(name: &str) -> &str {
    NOISE.iter().find_map(|noise| name.strip_prefix(noise)).unwrap_or(name)
}

/// Returns a name without enclosing namespaces and classes, also in its template arguments, for narrow spaces:
/// `a::b::Kernel<int, c::D>` is `Kernel<int, D>`. A lambda has no name of its own, so that its name stays unchanged. A
/// kernel's symbol is replaced by the names in it.
pub fn short_name(name: &str) -> Cow<'_, str> {
    let name = plain_name(name);
    if let Some(name) = symbol::name_in(name) {
        return Cow::Owned(name);
    }
    if !name.contains("::") || name.contains("lambda") {
        return Cow::Borrowed(name);
    }
    let mut short = String::with_capacity(name.len());
    // Start of the current name, and starts of the names around the current bracket.
    let (mut start, mut around) = (0, Vec::new());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ':' if letters.peek() == Some(&':') => {
                letters.next();
                short.truncate(start);
                continue;
            }
            '<' | '(' | '[' | '{' => {
                around.push(start);
                short.push(letter);
                start = short.len();
                continue;
            }
            '>' | ')' | ']' | '}' => start = around.pop().unwrap_or(start),
            ' ' | ',' | '*' | '&' => {
                short.push(letter);
                start = short.len();
                continue;
            }
            _ => {}
        }
        short.push(letter);
    }
    // Names that are not C++ names stay unchanged.
    if short.trim().is_empty() { Cow::Borrowed(name) } else { Cow::Owned(short) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_demanglers_say_is_left_out() {
        assert_eq!(plain_name("typeinfo name for app::Kernel"), "app::Kernel");
        assert_eq!(plain_name("typeinfo for app::Kernel"), "app::Kernel");
        assert_eq!(plain_name("memcpy"), "memcpy");
    }

    #[test]
    fn short_names_have_no_namespaces() {
        let of = |name| short_name(name).into_owned();
        assert_eq!(of("memcpy"), "memcpy");
        assert_eq!(of("typeinfo name for app::Kernel"), "Kernel");
        assert_eq!(
            of("dpnp::tensor::subtract_strided_kernel<float, dpnp::tensor::Three<int>, (unsigned char)4>"),
            "subtract_strided_kernel<float, Three<int>, (unsigned char)4>"
        );
        assert_eq!(of("a::b<c::d>::e<f::g*, h::i const&>"), "e<g*, i const&>");
        let lambda = "run(sycl::_V1::queue&)::'lambda'(sycl::_V1::handler&)";
        assert_eq!(of(lambda), lambda);
        assert_eq!(of("Memory Transfer (Copy)"), "Memory Transfer (Copy)");
        assert_eq!(
            of("_ZTSZN14bin_bcast_syclIXadL_ZL6op_addffEEEclIfEvPKT_EUlvE_"),
            "bin_bcast_sycl<op_add>"
        );
    }

    #[test]
    fn odd_names_stay_readable() {
        for name in ["::", "a::", ">>::", "((((", "::x", "std::Größe::ß"] {
            assert!(!short_name(name).is_empty(), "{name}");
        }
        assert_eq!(short_name("a::"), "a::");
        assert_eq!(short_name("std::Größe::ß"), "ß");
    }
}
