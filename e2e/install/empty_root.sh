#!/bin/bash
# Installs a release into an empty Debian and uses it there: the package, the wheel, and the steps of the container's recipe.
#
#   e2e/install/empty_root.sh ARTEFACTS SYCL PROGRAMS FOLDER [SUITE]
#
# ARTEFACTS is what `cargo xtask release` made, SYCL an environment with a SYCL runtime, PROGRAMS the compiled examples. FOLDER keeps the
# empty system, which mmdebstrap makes once from Debian's packages. It wants root: everything happens in namespaces of its own, which
# have no network, and the system of FOLDER is left as it was. SUITE is another Debian than bookworm, or Ubuntu's bionic: an older one, whose own
# compiler makes the program that is recorded, since what this machine's compiler makes does not run there.
set -euo pipefail
if [ "${1:-}" != within ]; then
  suite=${5:-bookworm} packages=python3-pip sources=()
  case $suite in
  bookworm) ;;
  # Debian has no keys of Ubuntu's: whose packages these are, the connection tells. Its Python is too old for the wheel.
  bionic) packages=python3,g++-8 sources=("deb [trusted=yes] https://archive.ubuntu.com/ubuntu bionic main universe") ;;
  *) packages=python3-pip,g++ ;;
  esac
  base="$4/$suite.tar"
  mkdir -p "$4"
  [ -f "$base" ] || { mmdebstrap --quiet --format=tar --variant=minbase --include=$packages "$suite" "$base.part" "${sources[@]}" && mv "$base.part" "$base"; }
  root=$(mktemp --directory "$4/root.XXXXXX")
  trap 'rm --recursive --force --one-file-system "$root"' EXIT
  tar --extract --file "$base" --directory "$root" --exclude './dev/*'
  unshare --mount --net --pid --fork bash "$0" within "$1" "$2" "$3" "$root" "$suite"
  exit
fi

artefacts=$2 sycl=$3 programs=$4 root=$5 suite=$6
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/shm"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
here=$(cd "$(dirname "$0")/../.." && pwd)
shown=("$artefacts:/mnt/artefacts" "$sycl:/mnt/sycl" "$programs:/mnt/programs" "$here/examples/cpp:/mnt/examples")
# The runtime compiles the examples' kernels, and wants C++'s headers for it.
[ "$suite" = bookworm ] && shown+=(/usr/include:/usr/include /usr/lib/gcc:/usr/lib/gcc)
for pair in "${shown[@]}"; do
  mkdir -p "$root${pair#*:}"
  mount --bind "${pair%%:*}" "$root${pair#*:}"
done

within() { chroot "$root" env --ignore-environment PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
within python3 - <<'P'
# Without a network the loopback device is down, too.
import fcntl, socket, struct
with socket.socket() as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))
P

if [ "$suite" != bookworm ]; then
  within ldd --version > "$root/root/ldd.log"; sed -n 1p "$root/root/ldd.log"
  case $suite in
  bionic)
    # No device of oneAPI's loads with so old a C library: the program asks the runtime for platforms, and gets none.
    echo '#include <sycl/sycl.hpp>
      int main() { return static_cast<int>(sycl::platform::get_platforms().size()); }' > "$root/root/heat.cpp"
    within g++-8 -std=c++17 -O1 -w -pthread -I /mnt/sycl/include /root/heat.cpp -L /mnt/sycl/lib -lsycl -o /root/heat
    ;;
  *) within g++ -std=c++17 -O1 -w -pthread -I /mnt/sycl/include /mnt/examples/heat.cpp -L /mnt/sycl/lib -lsycl -o /root/heat ;;
  esac
  mount --bind "$root/root" "$root/mnt/programs"
fi

# Record, open, sum up, ask the demo: whatever put the program there. What the summary must say, and options for it, are
# given.
cat > "$root/root/use.sh" <<'U'
set -euo pipefail
cd "$(mktemp --directory)"
answers() { # what follows "syclscope" serves a trace that answers
  local stamp=$(date +%s%N)
  syclscope "$@" --no-browser --port 0 > address 2> said & local pid=$!
  until grep --quiet http address; do kill -0 $pid || { cat said; exit 1; }; sleep 0.01; done
  python3 -c 'import sys, urllib.request as r; b, _, t = open("address").read().strip().partition("/t/"); assert b"kernel" in r.urlopen(f"{b}/api/v1/traces/{t}/report").read()'
  echo "$1: answers after $((($(date +%s%N) - stamp) / 1000000)) ms"
  kill -INT $pid; wait $pid
}
syclscope --version
answers demo
export LD_LIBRARY_PATH=/mnt/sycl/lib OCL_ICD_FILENAMES=/mnt/sycl/lib/libintelocl.so
syclscope record --quiet -o run.pftrace -- /mnt/programs/heat > heat.log
unset LD_LIBRARY_PATH OCL_ICD_FILENAMES
syclscope summary "${@:2}" run.pftrace | grep "$1"
answers open run.pftrace
cp run.pftrace /root/
U

echo "== the Debian package"
within dpkg --install "/mnt/artefacts/$(basename "$artefacts"/*_"$(dpkg --print-architecture)".deb)" > "$root/root/dpkg.log"
recorded=diffuse_band
[ "$suite" != bionic ] || recorded="urPlatformGet --calls"
within bash /root/use.sh $recorded
within test -s /usr/share/man/man1/syclscope-record.1.gz -o -n "$(grep -rs path-exclude "$root/etc/dpkg/dpkg.cfg.d")"

echo "== the container's recipe: a user without rights, a file system that is read only, the health check"
recipe="$here/docs/deploy/Containerfile"
within bash -c 'mkdir --mode=0700 /data && chown 10001:10001 /data'
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$root/data"
mount -o remount,bind,ro "$root"
command=$(sed -n 's/^CMD //p' "$recipe" | grep serve | python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)))')
health=$(sed -n 's/^HEALTHCHECK .*CMD //p' "$recipe" | python3 -c 'import json, sys; print("syclscope", *json.load(sys.stdin)[1:])')
chroot --userspec=10001:10001 "$root" env --ignore-environment PATH=/usr/bin:/bin syclscope $command 2> /dev/null & server=$!
until within bash -c "$health"; do kill -0 $server || exit 1; sleep 0.1; done
within bash -c "$health"
echo "healthy"
if within touch /nothing 2> /dev/null; then echo "the file system can be written"; exit 1; fi
kill -TERM $server; wait $server
if within bash -c "$health" 2> /dev/null; then echo "healthy without a server"; exit 1; fi
mount -o remount,bind,rw "$root"

if [ "$suite" = bionic ]; then
  echo "installed and used"
  exit
fi

echo "== the wheel"
within dpkg --remove syclscope > "$root/root/dpkg.log"
if within which syclscope; then echo "the package left the program"; exit 1; fi
# Both settings are newer than the pip of older systems, which does not mind a variable.
within PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore pip install --quiet --no-index /mnt/artefacts/$(basename "$artefacts"/*_"$(uname -m)".whl)
within bash /root/use.sh $recorded
within python3 -c 'import syclscope; print("syclscope", syclscope.__version__, "in Python:", syclscope.open("/root/run.pftrace").info["counts"]["executions"], "executions")'
echo "installed, used and removed"
