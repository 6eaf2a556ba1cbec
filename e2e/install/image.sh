#!/bin/bash
# Builds an image by the container's recipe and uses it: as a user without rights, with a file system that is read only.
#
#   e2e/install/image.sh PROGRAM FOLDER
#
# PROGRAM is what the image holds, FOLDER has the empty Debian of empty_root.sh, which stands for the recipe's base image. It wants
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

image=$(sed -n 's/^FROM //p' "$recipe")
container=$(buildah from scratch)
buildah add --quiet "$container" "$base" / > /dev/null
buildah commit --quiet --rm "$container" "$image" > /dev/null
mkdir --parents "$own/context/target/release"
cp "$1" "$own/context/target/release/syclscope"
buildah build --quiet --isolation chroot --pull-never --format docker --file "$recipe" --tag syclscope "$own/context" > /dev/null
echo "built of docs/deploy/Containerfile"

run=(--read-only --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --health-interval disable)
podman run --rm "${run[@]}" localhost/syclscope --version || failed "the program does not run"
podman run --detach --name server "${run[@]}" --volume data:/data localhost/syclscope > /dev/null || failed "the server does not start"
for _ in $(seq 600); do podman healthcheck run server > /dev/null && break; sleep 0.1; done
podman healthcheck run server || failed "the server is not healthy"
[ "$(podman exec server id -u)" = 10001 ] || failed "the server has another user"
if podman exec server touch /nothing; then failed "the file system can be written"; fi
podman exec server /usr/local/bin/syclscope token create ada --role admin --data /data | grep --quiet '^syt_' || failed "no token"
podman stop --time 20 server > /dev/null
[ "$(podman inspect --format '{{.State.ExitCode}}' server)" = 0 ] || failed "the server did not end by itself"
if podman healthcheck run server > /dev/null; then failed "healthy without a server"; fi
echo "healthy, read only, without rights, stopped"
