//! Headers and libraries of Kokkos for a program of the tests, from Debian; its only device is the host.
//!
//! (Packages of Debian 12 also run under the newer C libraries of later systems. Kokkos 5 is installed from PyPI, in a
//! module without headers.)

use super::debian;
use crate::prelude::*;

pub(crate) static KOKKOS: debian::PackageFiles = debian::PackageFiles::new(
    "Kokkos 3.4",
    "kokkos-bookworm",
    "bookworm",
    &["libtrilinos-kokkos-13.2", "libtrilinos-kokkos-dev"],
    take,
);

fn take(unpacked: &Path, folder: &Path) -> Result<()> {
    files::copy_folder(&unpacked.join("usr/include/trilinos"), &folder.join("include"))?;
    files::copy_folder(&unpacked.join("usr/lib/x86_64-linux-gnu"), &folder.join("lib"))
}
