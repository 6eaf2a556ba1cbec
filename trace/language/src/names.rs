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
/// `a::b::Kernel<int, c::D>` is `Kernel<int, D>`. A lambda is its number in its function, whose parameters are left out.
/// A kernel's symbol is replaced by the names in it.
pub fn short_name(name: &str) -> Cow<'_, str> {
    let name = plain_name(name);
    if let Some(name) = symbol::name_in(name) {
        return Cow::Owned(name);
    }
    let numbered = numbered_lambdas(name);
    let inner = numbered.as_deref().unwrap_or(name);
    if !inner.contains("::") || inner.contains("lambda") {
        return numbered.map_or(Cow::Borrowed(name), Cow::Owned);
    }
    let mut short = String::with_capacity(name.len());
    // Start of the current name, and starts of the names around the current bracket.
    let (mut start, mut around) = (0, Vec::new());
    let mut letters = inner.chars().peekable();
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

/// Returns a name with lambdas as numbers, and without parameters: `run#1#2` for
/// `run(int)::{lambda(handler&)#1}::operator()(handler&) const::{lambda(item)#2}`. `None` if it has no numbered lambda.
fn numbered_lambdas(name: &str) -> Option<String> {
    if !name.contains("::{lambda(") {
        return None;
    }
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("::operator()") {
            rest = after;
        } else if rest.starts_with("::{lambda(") {
            let (lambda, after) = rest.split_at(bracketed(rest)?);
            short.push_str(&lambda[lambda.rfind('#')?..lambda.len() - 1]);
            rest = after;
        } else if letter == '(' && short.ends_with(|last: char| last.is_alphanumeric() || "_>".contains(last))
        {
            rest = &rest[bracketed(rest)?..];
            rest = rest.strip_prefix(" const").unwrap_or(rest);
        } else {
            short.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    Some(short)
}

/// Returns the length of a text to the end of its first bracket.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_are_their_numbers() {
        let of = |name| short_name(name).into_owned();
        assert_eq!(
            of(
                "typeinfo name for app::run(sycl::_V1::queue&, int)::{lambda(sycl::_V1::handler&)#1}::operator()\
                (sycl::_V1::handler&) const::{lambda(sycl::_V1::id<1>)#2}"
            ),
            "run#1#2"
        );
        assert_eq!(
            of(
                "lib::For<lib::(anonymous namespace)::copy<float, (char)4>(lib::Tensor const&)::{lambda()#3}::operator()() \
                const::{lambda(long)#1}>(long, std::vector<int> const&)::{lambda(sycl::_V1::nd_item<1>)#1}"
            ),
            "For<copy<float, (char)4>#3#1>#1"
        );
        // Incomplete names stay as they are.
        for name in ["run(int::{lambda()#1}", "run()::{lambda(", "run()::{lambda(int)}", "::{lambda()#1"] {
            assert_eq!(of(name), name);
        }
    }

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
