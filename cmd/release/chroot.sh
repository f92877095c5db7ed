#!/usr/bin/env bash
# chroot.sh ARCHIVE.tar.gz [PACKAGE.deb] installs both in a Debian that has nothing but its base system, made by
# debootstrap, and runs there what a reader copies from the tutorial. PPL_DEBIAN is such a system that is there already.
set -euo pipefail
archive=$(realpath "$1") package=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=${PPL_DEBIAN:-$work/base}
[[ -d $base/usr ]] || debootstrap --variant=minbase bookworm "$base" >"$work/log" || { cat "$work/log"; exit 1; }
"${GO:-go}" run ./docs/pagerun/unpack docs/pages/tutorial.md "$work/page"

# figures HOW COMMAND installs by a command in a fresh copy of the system, and copies the page's commands.
figures() {
    local root=$work/root
    rm -rf "$root"
    cp -a "$base" "$root"
    cp -r "$work/page" "$root/root/page"
    cp "$archive" ${package:+"$package"} "$root/root"
    chroot "$root" sh -ec "cd /root; $2; cd page; sh -e commands.sh" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    (cd "$root/root/page" && ls -s ./*.svg ./*.html)
    echo "Debian, $1: the tutorial from its table to its figures"
}

figures archive 'tar -xzf ppl-*.tar.gz; ln -s /root/ppl-*/ppl /usr/local/bin/ppl'
[[ -z $package ]] || figures package 'dpkg -i ppl-*.deb'
