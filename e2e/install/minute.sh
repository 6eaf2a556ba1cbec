#!/bin/bash
# What a user waits who has nothing but pip: in an empty Debian, from the installation to the demo on the screen, and to an own program
# recorded and on the screen. A browser outside of it looks at the page. Prints seconds, and fails for what does not work, never for
# what is slow.
#
#   e2e/install/minute.sh ARTEFACTS FOLDER PACKAGE…
#
# ARTEFACTS has the wheel of `cargo xtask release`, FOLDER the empty Debian of empty_root.sh. The own program is program.py, which runs on
# the PACKAGEs: pip gets them from PyPI into FOLDER/wheels, in a time that is said apart, and takes them from there the next time. It wants
# root, node with the tests' packages, and CHROMIUM.
set -euo pipefail
if [ "${1:-}" != within ]; then
  root=$(mktemp --directory "$2/root.XXXXXX")
  trap 'rm --recursive --force --one-file-system "$root"' EXIT
  tar --extract --file "$2/bookworm.tar" --directory "$root" --exclude './dev/*'
  wheels=$2/wheels
  mkdir --parents "$wheels"
  artefacts=$1
  shift 2
  unshare --mount --pid --fork bash "$0" within "$artefacts" "$root" "$wheels" "$@"
  exit
fi

artefacts=$2 root=$3 wheels=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/shm" "$root/mnt/artefacts" "$root/mnt/wheels"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$artefacts" "$root/mnt/artefacts"
mount --bind "$wheels" "$root/mnt/wheels"
cp "$(dirname "$0")/program.py" "$root/root/program.py"
# The network is this machine's: how names are found, and whom it trusts.
cat /etc/resolv.conf > "$root/etc/resolv.conf"
cat /etc/hosts > "$root/etc/hosts"
mkdir -p "$root/etc/ssl/certs"
cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt"
# The processes of this namespace are those that browser and node see, too.
mount -t proc proc /proc
node "$(dirname "$0")/minute.mjs" "$root" "$@"
