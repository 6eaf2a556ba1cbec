#!/bin/bash
# What a user waits who has nothing but pip: in an empty Debian, from the installation to the demo on the screen, and to an own program
# recorded and on the screen. A browser outside of it looks at the page. Prints seconds, and fails for what does not work, never for
# what is slow.
#
#   e2e/install/minute.sh ARTEFACTS FOLDER PROGRAM.py [PACKAGE…]
#
# ARTEFACTS has the wheel of `cargo xtask release`, FOLDER the empty Debian of empty_root.sh. PROGRAM.py is recorded; where PACKAGEs are
# named, pip gets them from PyPI first, in the time that is taken. It wants root, node with the tests' packages, and CHROMIUM.
set -euo pipefail
if [ "${1:-}" != within ]; then
  root=$(mktemp --directory "$2/root.XXXXXX")
  trap 'rm --recursive --force --one-file-system "$root"' EXIT
  tar --extract --file "$2/bookworm.tar" --directory "$root" --exclude './dev/*'
  artefacts=$1 program=$3
  shift 3
  unshare --mount --pid --fork bash "$0" within "$artefacts" "$root" "$program" "$@"
  exit
fi

artefacts=$2 root=$3 program=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/shm" "$root/mnt/artefacts"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$artefacts" "$root/mnt/artefacts"
cp "$program" "$root/root/program.py"
# The network is this machine's: how names are found, and whom it trusts.
cat /etc/resolv.conf > "$root/etc/resolv.conf"
cat /etc/hosts > "$root/etc/hosts"
mkdir -p "$root/etc/ssl/certs"
cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt"
# The processes of this namespace are those that browser and node see, too.
mount -t proc proc /proc
node "$(dirname "$0")/minute.mjs" "$root" "$@"
