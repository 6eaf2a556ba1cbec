//! Rank of a process in a parallel run started by an MPI launcher.

/// Variables of a family of launchers: the rank, the number of ranks, the rank on its host.
struct Family {
    rank: &'static str,
    counts: &'static [&'static str],
    local: &'static str,
}

/// Families by precedence, inner launchers first: a Slurm job may run another launcher.
const FAMILIES: [Family; 4] = [
    // Hydra (MPICH, Intel MPI) and Slurm's `--mpi=pmi2`.
    Family { rank: "PMI_RANK", counts: &["PMI_SIZE"], local: "MPI_LOCALRANKID" },
    Family {
        rank: "OMPI_COMM_WORLD_RANK",
        counts: &["OMPI_COMM_WORLD_SIZE"],
        local: "OMPI_COMM_WORLD_LOCAL_RANK",
    },
    Family { rank: "PMIX_RANK", counts: &[], local: "" },
    Family { rank: SLURM_RANK, counts: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"], local: "SLURM_LOCALID" },
];

const SLURM_RANK: &str = "SLURM_PROCID";

/// Set if Slurm's `srun` started the process. `sbatch` also sets the rank of its script, which is not part of a
/// parallel run.
const SLURM_STEP: &str = "SLURM_STEP_ID";

/// Rank of a process in a parallel run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Its number, from 0.
    pub rank: u32,
    /// Number of ranks, if the launcher sets it.
    pub count: Option<u32>,
    /// Its number among the ranks of its host, if the launcher sets it.
    pub local: Option<u32>,
}

impl Rank {
    /// Returns the rank from a launcher's environment variables.
    ///
    /// Number of ranks and local rank come from any family with the same rank: PMIx has no variables for them.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.parse::<u32>().ok();
        let is_started = |family: &&Family| family.rank != SLURM_RANK || number(SLURM_STEP).is_some();
        let rank = FAMILIES.iter().filter(is_started).find_map(|family| number(family.rank))?;
        let agreeing =
            || FAMILIES.iter().filter(is_started).filter(|family| number(family.rank) == Some(rank));
        let count = agreeing().flat_map(|family| family.counts).find_map(|name| number(name));
        let local = agreeing().find_map(|family| number(family.local));
        Some(Self { rank, count: count.filter(|count| *count > rank), local })
    }
}

/// Returns "rank 1 of 4 · python", or "rank 1 of 4" for an empty name; the name alone for a process without a rank.
pub fn ranked_name(rank: Option<u32>, count: Option<u32>, name: &str) -> String {
    let Some(rank) = rank else { return name.to_owned() };
    let mut words = format!("rank {rank}");
    if let Some(count) = count {
        words += &format!(" of {count}");
    }
    if !name.is_empty() {
        words += &format!(" · {name}");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], want: Option<(u32, Option<u32>, Option<u32>)>) {
        let variable = |wanted: &str| {
            variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
        };
        let rank = Rank::of_variables(variable).map(|rank| (rank.rank, rank.count, rank.local));
        assert_eq!(rank, want, "{variables:?}");
    }

    #[test]
    fn launchers_say_rank_number_of_ranks_and_local_rank() {
        check(&[], None);
        check(&[("PMI_RANK", "2"), ("PMI_SIZE", "4"), ("MPI_LOCALRANKID", "1")], Some((2, Some(4), Some(1))));
        let openmpi = [
            ("PMIX_RANK", "1"),
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "2"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "0"),
        ];
        check(&openmpi, Some((1, Some(2), Some(0))));
        let pmix = [("PMIX_RANK", "5"), ("SLURM_PROCID", "5"), ("SLURM_STEP_ID", "0"), ("SLURM_NTASKS", "8")];
        check(&pmix, Some((5, Some(8), None)));
        let step = [("SLURM_PROCID", "5"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "8")];
        check(
            &[&step[..], &[("SLURM_NTASKS", "16"), ("SLURM_LOCALID", "3")]].concat(),
            Some((5, Some(8), Some(3))),
        );
    }

    #[test]
    fn ranks_are_named_with_their_programs() {
        assert_eq!(ranked_name(Some(1), Some(4), "python"), "rank 1 of 4 · python");
        assert_eq!(ranked_name(Some(1), None, "python"), "rank 1 · python");
        assert_eq!(ranked_name(Some(1), Some(4), ""), "rank 1 of 4");
        assert_eq!(ranked_name(None, None, "python"), "python");
    }

    #[test]
    fn what_is_no_rank_gives_none() {
        check(&[("PMI_RANK", "first")], None);
        check(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")], None);
        check(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")], Some((4, None, None)));
        // A launcher within a Slurm job: the job's numbers are not the launcher's.
        let within = [("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0")];
        check(&[&within[..], &[("SLURM_LOCALID", "0")]].concat(), Some((3, Some(4), None)));
    }
}
