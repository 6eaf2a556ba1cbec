//! Names by pattern: `matrix*,-*_debug`.

/// Patterns in which `*` matches anything; those after a `-` exclude names.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamePatterns {
    included: Vec<String>,
    excluded: Vec<String>,
}

impl NamePatterns {
    /// Reads a comma-separated list.
    pub(crate) fn parse(list: &str) -> Self {
        let mut patterns = Self::default();
        for pattern in list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
            match pattern.strip_prefix('-') {
                Some("") => {}
                Some(pattern) => patterns.excluded.push(pattern.to_owned()),
                None => patterns.included.push(pattern.to_owned()),
            }
        }
        patterns
    }

    /// True if a name matches an including pattern, or there is none, and no excluding one.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let matches = |pattern: &String| matches(pattern.as_bytes(), name.as_bytes());
        (self.included.is_empty() || self.included.iter().any(matches)) && !self.excluded.iter().any(matches)
    }
}

/// True if a name matches a pattern, in which `*` matches any characters or none.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    // The last `*`, and the end of the part of the name that it matches.
    let mut star = None;
    while in_name < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, in_name));
            at += 1;
        } else if pattern.get(at) == Some(&name[in_name]) {
            (at, in_name) = (at + 1, in_name + 1);
        } else if let Some((star_at, reached)) = star {
            (at, in_name) = (star_at + 1, reached + 1);
            star = Some((star_at, reached + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name) in
            [("*", ""), ("a*", "a"), ("*b", "aab"), ("a*c*e", "abcde"), ("x", "x"), ("**", "y")]
        {
            assert!(matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in
            [("", "a"), ("a", ""), ("a*", "ba"), ("*b", "abc"), ("a*c*e", "abce_"), ("x", "xx")]
        {
            assert!(!matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_excluded_is_not_wanted() {
        let patterns = NamePatterns::parse("mat*, -*_slow,");
        assert!(patterns.wants("matrix") && !patterns.wants("matrix_slow") && !patterns.wants("vector"));
        let all_but = NamePatterns::parse("-vector");
        assert!(all_but.wants("matrix") && !all_but.wants("vector"));
        assert!(NamePatterns::parse("").wants("anything"));
    }
}
