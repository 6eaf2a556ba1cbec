//! Mangled names of kernels: other tools record them, and the recorder's demangler can't read all.

/// Returns the name and the named template arguments in a symbol of a kernel's type: `scale<Add>` for
/// `_ZTSZN5scaleI3AddEvvEUlvE_`, a lambda in the function `scale`. `None` if it is no such symbol.
pub(super) fn name_in(symbol: &str) -> Option<String> {
    spelled_symbol(symbol).and_then(|symbol| name_in(&symbol)).or_else(|| own_name(symbol))
}

/// Returns the symbol that a kernel of oneDPL has as a list of letters in its template arguments.
fn spelled_symbol(symbol: &str) -> Option<String> {
    let mut rest = &symbol[symbol.find("Lc95ELc90ELc84ELc83E").filter(|_| symbol.starts_with("_ZTS"))?..];
    let mut text = String::new();
    while let Some(after) = rest.strip_prefix("Lc") {
        let (letter, after) = after.split_once('E')?;
        text.push(char::from(letter.parse::<u8>().ok()?));
        rest = after;
    }
    Some(text)
}

fn own_name(symbol: &str) -> Option<String> {
    let inner = symbol.strip_prefix("_ZTS")?;
    let local = inner.trim_start_matches('Z');
    let (is_local, nested) = (local.len() < inner.len(), local.strip_prefix('N'));
    // Types in functions have names of their own, unless they are lambdas.
    if is_local && !local.contains("Ul") {
        return None;
    }
    let mut rest = nested.unwrap_or(local);
    let (mut name, mut arguments) = ("", Vec::new());
    loop {
        if let Some((identifier, after)) = identifier(rest.strip_prefix('L').unwrap_or(rest)) {
            (name, rest) = (identifier, after);
            arguments.clear();
        } else if let Some(after) = rest.strip_prefix('I').filter(|_| arguments.is_empty()) {
            (arguments, rest) = template_arguments(after)?;
        } else {
            break;
        }
    }
    let is_whole = is_local || rest == if nested.is_some() { "E" } else { "" };
    match arguments.join(", ") {
        _ if name.is_empty() || !is_whole => None,
        arguments if arguments.is_empty() => Some(name.to_owned()),
        arguments => Some(format!("{name}<{arguments}>")),
    }
}

/// Splits off an identifier, which follows its length in digits.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    let (name, rest) = text[digits..].split_at_checked(length)?;
    (!name.is_empty()).then_some((name, rest))
}

/// Returns the names in a list of template arguments, without the names in nested lists, and the text after the list.
fn template_arguments(mut rest: &str) -> Option<(Vec<&str>, &str)> {
    let mut names = Vec::new();
    // First letters of the open groups, and true if the previous part was a name that encloses the next one.
    let (mut open, mut is_inside) = (vec![b'I'], false);
    while !open.is_empty() {
        if let Some((name, after)) = identifier(rest) {
            if !open[1..].contains(&b'I') {
                if is_inside {
                    names.pop();
                }
                names.push(name);
            }
            (rest, is_inside) = (after, true);
            continue;
        }
        is_inside = false;
        let mut letters = rest.bytes();
        let (first, next) = (letters.next()?, letters.next().unwrap_or_default());
        let taken = match (first, next) {
            (b'E', _) => {
                let closed = open.pop();
                match (closed, open.last()) {
                    // The number of a lambda in its function.
                    (Some(b'U'), _) => rest.find('_')? + 1,
                    // The value of an enumerator, after its type.
                    (_, Some(b'L')) => rest[1..].find('E')? + 1,
                    _ => 1,
                }
            }
            (b'L', b'0'..=b'9') => 1,
            // A value: its type, digits and an end.
            (b'L', b'a'..=b'z') => rest.find('E')? + 1,
            (b'U', b'l') => {
                open.push(first);
                2
            }
            (b'L', b'_') if rest.starts_with("L_Z") => {
                open.push(b'Z');
                3
            }
            (b'I' | b'N' | b'X' | b'J' | b'F' | b'L' | b'Z', _) => {
                open.push(first);
                1
            }
            (b'S', b'a'..=b'z')
            | (b'D', b'a' | b'd' | b'e' | b'f' | b'h' | b'i' | b'n' | b'p' | b's' | b'u') => 2,
            (b'S' | b'T', _) => rest.find('_')? + 1,
            (b'U' | b'D', _) => return None,
            _ => 1,
        };
        rest = rest.get(taken..)?;
    }
    Some((names, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_named_by_their_function_or_type() {
        for (symbol, name) in [
            ("_ZTS4work", "work"),
            ("_ZTSN3app6KernelE", "Kernel"),
            ("_ZTSN3app6KernelIN3app3oneENS_3twoEE", ""),
            ("_ZTSN3app6KernelINS_3oneI4manyEES1_Lb1EfEE", "Kernel<one>"),
            ("_ZTSN3app5OuterI3oneE6KernelE", "Kernel"),
            (
                "_ZTSZN14bin_bcast_syclIXadL_ZL6op_mulffEEEclIfffEEvPKT_PKT0_PT1_llllllllllllmmmmmmmmmmmmbbbb\
                 PN4sycl3_V15queueEEUlNSB_7nd_itemILi3EEEE0_",
                "bin_bcast_sycl<op_mul>",
            ),
            (
                "_ZTSZL14rope_norm_syclILb1EffEvPKT0_PT1_iiiiiiiiiiiPKiffff14rope_corr_dimsPKfPKliPN4sycl3_V15queueE\
                 EUlNSD_7nd_itemILi3EEEE_",
                "rope_norm_sycl",
            ),
            (
                "_ZTSZL13set_rows_syclIflN4sycl3_V16detail9half_impl4halfEEvPKcPKT0_PcllllllmmmmmmmmmmmPNS1_5queueE\
                 EUlNS1_7nd_itemILi1EEEE_",
                "set_rows_sycl<half>",
            ),
            (
                "_ZTSN4dpnp6tensor7kernels11true_divide26true_divide_strided_kernelIdddNS0_12offset_utils27ThreeOffsets\
                 _StridedIndexerEEE",
                "true_divide_strided_kernel<ThreeOffsets_StridedIndexer>",
            ),
            ("_ZTSN3app6KernelILNS_4modeE1EZNS_3runEvEUlvE0_fEE", "Kernel<mode, run>"),
            // `_ZTSN3app4scanI3oneEE` as letters.
            (
                "_ZTSN3dpl6outer_INS_4scanIJEEEJLc95ELc90ELc84ELc83ELc78ELc51ELc97ELc112ELc112ELc52ELc115ELc99ELc97ELc110ELc73\
                 ELc51ELc111ELc110ELc101ELc69ELc69EEEE",
                "scan<one>",
            ),
            ("_ZTSN3dpl6outer_INS_4scanIJEEEJLc95ELc90ELc84ELc83ELc78EEEE", "outer_<scan>"),
            ("_ZTSZN3app3runEvE6Kernel", ""),
            ("_ZTS", ""),
            ("_ZTSN", ""),
            ("_ZTS9short", ""),
            ("_ZTS1ß", ""),
            ("_ZTS99999999999999999999999x", ""),
            ("_ZTSN1aIS", ""),
            ("_ZTSN1aIß", ""),
            ("work", ""),
        ] {
            assert_eq!(name_in(symbol).unwrap_or_default(), name, "{symbol}");
        }
    }
}
