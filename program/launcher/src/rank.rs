//! Rank of this process, if an MPI launcher started it as one of several.

use std::ffi::OsString;

use syclscope_language::rank::Rank;

fn read(variable: impl Fn(&str) -> Option<OsString>) -> Option<Rank> {
    Rank::of_variables(|name| variable(name)?.into_string().ok())
}

pub(super) fn rank(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    read(variable).map(|rank| rank.rank.to_string())
}

pub(super) fn is_one_of_many(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    // Without a count, assume several.
    read(variable).is_some_and(|rank| rank.count.is_none_or(|count| count > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], want: (Option<&str>, bool)) {
        let variable = |wanted: &str| {
            variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value))
        };
        assert_eq!((rank(variable).as_deref(), is_one_of_many(variable)), want, "{variables:?}");
    }

    #[test]
    fn ranks_of_the_usual_launchers() {
        check(&[], (None, false));
        check(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")], (Some("2"), true));
        check(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")], (Some("0"), false));
        check(&[("PMIX_RANK", "3")], (Some("3"), true));
        check(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")], (None, false));
    }
}
