#!/bin/bash
# Uses an image: as a user without rights, with a file system that is read only.
#
#   e2e/install/image.sh PROGRAM FOLDER      builds it by the container's recipe around PROGRAM
#   e2e/install/image.sh IMAGE.tar FOLDER    loads that of a release
#
# FOLDER has the empty Debian of empty_root.sh, which stands for the recipe's base image. It wants
# root, buildah, podman and runc, and no service of them; images and containers are in a folder of their own, which is removed.
# The recipe installs packages of Debian's; the container has no network.
set -euo pipefail
base="$2/bookworm.tar" recipe="$(dirname "$0")/../../docs/deploy/Containerfile"
own=$(mktemp --directory "$2/image.XXXXXX")
# Podman wants a short name.
running=$(mktemp --directory /tmp/image.XXXXXX)
store=(--root "$own/store" --runroot "$running" --storage-driver vfs)
buildah() { command buildah "${store[@]}" --signature-policy "$own/policy.json" "$@"; }
# Machines that are containers themselves have no systemd, and let nobody raise limits.
podman() { command podman "${store[@]}" --cgroup-manager cgroupfs --events-backend file --runtime runc "$@" 2>> "$own/podman.log"; }
failed() { echo "$1"; cat "$own/podman.log"; podman logs server || true; exit 1; }
trap 'podman rm --force --all > "$own/removed" || true; rm --recursive --force --one-file-system "$own" "$running"' EXIT
echo '{"default": [{"type": "insecureAcceptAnything"}]}' > "$own/policy.json"

case "$1" in
*.tar)
# Both readers of such files: that of OCI's layout, which knows no health check, and that of docker's.
buildah pull --quiet "oci-archive:$1" > /dev/null
podman pull --quiet "docker-archive:$1" > /dev/null
podman tag "$(podman images --quiet --no-trunc | head -1)" localhost/syclscope
echo "loaded $(basename "$1"): $(stat --format %s "$1") bytes"
;;
*)
image=$(sed -n 's/^FROM //p' "$recipe")
container=$(buildah from scratch)
buildah add --quiet "$container" "$base" / > /dev/null
buildah commit --quiet --rm "$container" "$image" > /dev/null
mkdir --parents "$own/context/target/release"
cp "$1" "$own/context/target/release/syclscope"
buildah build --quiet --isolation chroot --pull-never --format docker --file "$recipe" --tag syclscope "$own/context" > /dev/null
echo "built of docs/deploy/Containerfile"
;;
esac

run=(--read-only --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --health-interval disable)
podman run --rm "${run[@]}" localhost/syclscope --version || failed "the program does not run"
podman run --detach --name server "${run[@]}" --volume data:/data localhost/syclscope > /dev/null || failed "the server does not start"
for _ in $(seq 6000); do podman healthcheck run server > /dev/null && break; sleep 0.1; done
podman healthcheck run server || failed "the server is not healthy"
# The image of a release has no shell and no other program: the kernel tells of the server itself.
process=$(podman inspect --format '{{.State.Pid}}' server)
[ "$(sed -n 's/^Uid:\t\([0-9]*\).*/\1/p' "/proc/$process/status")" = 10001 ] || failed "the server has another user"
[ "$(sed -n 's/^CapEff:\t//p' "/proc/$process/status")" = 0000000000000000 ] || failed "the server has rights"
if touch "/proc/$process/root/nothing" 2> /dev/null; then failed "the file system can be written"; fi
podman exec server /usr/local/bin/syclscope token create ada --role admin --data /data | grep --quiet '^syt_' || failed "no token"
podman stop --time 20 server > /dev/null
[ "$(podman inspect --format '{{.State.ExitCode}}' server)" = 0 ] || failed "the server did not end by itself"
if podman healthcheck run server > /dev/null; then failed "healthy without a server"; fi
echo "healthy, read only, without rights, stopped"
