//! Rank of this process, if an MPI launcher started it as one of several.

use std::ffi::OsString;

/// Variables that hold a process' rank: Hydra and other PMI launchers, PMIx, Open MPI, Slurm.
const RANKS: &[&str] = &["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];

/// Variables that hold how many there are.
const SIZES: &[&str] = &["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Set where Slurm's `srun` started the process; `sbatch` sets the rank of its script too, which is alone.
const SLURM_STEP: &str = "SLURM_STEP_ID";

/// The rank, if there is one.
pub(super) fn rank(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    RANKS.iter().find_map(|name| number(&variable, name)).map(|number| number.to_string())
}

pub(super) fn is_one_of_many(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_known = |name: &&str| *name != "SLURM_PROCID" || variable(SLURM_STEP).is_some();
    if !RANKS.iter().filter(|name| is_known(name)).any(|name| number(&variable, name).is_some()) {
        return false;
    }
    // Where nobody says how many there are, there may be more.
    SIZES.iter().filter_map(|name| number(&variable, name)).max().is_none_or(|size| size > 1)
}

fn number(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Option<u64> {
    variable(name)?.to_str()?.parse().ok()
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
        check(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")], (Some("1"), true));
        check(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")], (Some("0"), false));
        let step = [("SLURM_PROCID", "5"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "8")];
        check(&step, (Some("5"), true));
        check(&[("PMI_RANK", "first")], (None, false));
    }
}
