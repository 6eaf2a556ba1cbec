//! Readable names of element types.

/// Returns the readable name of a type given by `typeid`: a plain type, a vector, complex, or a class other than a
/// template. Other names are returned as they are.
pub(super) fn readable(name: &str) -> String {
    let vector = || {
        let rest = name.strip_prefix("N4sycl3_V13vecI")?.strip_suffix("EEE")?;
        let (of, count) = rest.split_once("Li")?;
        Some(format!("vec<{}, {count}>", plain(of)?))
    };
    let complex =
        || Some(format!("complex<{}>", plain(name.strip_prefix("St7complexI")?.strip_suffix('E')?)?));
    let known = plain(name).map(str::to_owned).or_else(vector).or_else(complex);
    known.or_else(|| class(name)).unwrap_or_else(|| name.to_owned())
}

/// Returns the name of a mangled class: `N1a1bE` is `a::b`, and `1b` is `b`. Each part's length precedes it.
fn class(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix('N').map_or(Some(name), |name| name.strip_suffix('E'))?;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let letters = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let bytes: usize = rest[..letters].parse().ok()?;
        parts.push(rest[letters..].get(..bytes).filter(|part| !part.is_empty())?);
        rest = &rest[letters + bytes..];
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

fn plain(name: &str) -> Option<&'static str> {
    Some(match name {
        "b" => "bool",
        "c" => "char",
        "a" => "signed char",
        "h" => "unsigned char",
        "s" => "short",
        "t" => "unsigned short",
        "i" => "int",
        "j" => "unsigned int",
        "l" => "long",
        "m" => "unsigned long",
        "x" => "long long",
        "y" => "unsigned long long",
        "f" => "float",
        "d" => "double",
        "e" => "long double",
        "St4byte" => "byte",
        "DF16_" | "N4sycl3_V16detail9half_impl4halfE" => "half",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn types_are_told_in_words() {
        for (name, expected) in [
            ("f", "float"),
            ("e", "long double"),
            ("N4sycl3_V13vecIfLi4EEE", "vec<float, 4>"),
            ("St7complexIdE", "complex<double>"),
            ("8Particle", "Particle"),
            ("N6oneapi3mkl2vm5enums6statusE", "oneapi::mkl::vm::enums::status"),
            ("N3geo3BoxIfEE", "N3geo3BoxIfEE"),
            ("9Particle", "9Particle"),
            ("0", "0"),
            ("", ""),
        ] {
            assert_eq!(readable(name), expected);
        }
    }
}
