#!/usr/bin/env bash
# container.sh FOLDER builds the image of the Containerfile in a folder of a release, and runs in it what a reader copies
# from the tutorial. Its base image is made by debootstrap, since a registry may be out of reach. PPL_DEBIAN is such a
# system that is there already. Images are kept in a temporary folder.
set -euo pipefail
release=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'buildah rm --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
cat >"$work/storage.conf" <<CONF
[storage]
driver = "vfs"
graphroot = "$work/images"
runroot = "$work/state"
CONF
export BUILDAH_ISOLATION=chroot CONTAINERS_STORAGE_CONF=$work/storage.conf
base=${PPL_DEBIAN:-$work/base}
[[ -d $base/usr ]] || debootstrap --variant=minbase bookworm "$base" >"$work/log" || { cat "$work/log"; exit 1; }
{
    empty=$(buildah from scratch)
    buildah add "$empty" "$base" /
    buildah commit "$empty" docker.io/library/debian:bookworm-slim
    buildah bud --pull-never -f "$release/Containerfile" -t ppl "$release"
    "${GO:-go}" run ./docs/pagerun/unpack docs/pages/tutorial.md "$work/page"
    buildah run -v "$work/page:/work" "$(buildah from --pull-never localhost/ppl)" -- sh -e /work/commands.sh
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
(cd "$work/page" && ls -s ./*.svg ./*.html)
echo "container: the tutorial from its table to its figures"
