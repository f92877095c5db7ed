#!/usr/bin/env bash
# Builds the release twice and compares the bytes; then runs what was built: the archive from an empty folder, the
# Debian package from where it puts its files, both in a Debian that has nothing else, the program for musl in an empty
# folder, and those of other systems by qemu and wine, if these are there. What cannot be tried is named. All of it needs
# root and
#
#   apt install wine wine64 mingw-w64 unzip qemu-user-static libc6-arm64-cross debootstrap buildah
#   go install github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.41.3
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${GO:-go}" run ./cmd/release -out "$work/first" "$@"
TMPDIR=$(mktemp -d -p "$work") "${GO:-go}" run ./cmd/release -out dist "$@"
diff -r "$work/first" dist
echo "two builds have the same bytes"
(cd dist && sha256sum -c --quiet SHA256SUMS)

mkdir "$work/renamed"
git archive HEAD | tar -x -C "$work/renamed"
"${GO:-go}" run ./cmd/release/rename -module example.org/owner/ppl "$work/renamed"
(cd "$work/renamed" && "${GO:-go}" build -o "$work/renamed-ppl" ./cmd/ppl && "${GO:-go}" vet ./cmd/... ./app/... &&
    "$work/renamed-ppl" version)
echo "renamed, it builds"

cat >"$work/own.csv" <<'CSV'
dose,response
1,2.1
2,3.9
3,6.2
4,7.8
CSV
cat >"$work/own.ppl" <<'PPL'
data dose[N], response[N] from "own.csv"
a, b ~ Normal(0, 10)
sigma ~ HalfNormal(5)
response[i in N] ~ Normal(a + b * dose[i], sigma)
PPL

# try NAME COMMAND... samples a model with a table, and draws a picture.
try() {
    local name=$1 folder
    shift
    folder=$(mktemp -d -p "$work")
    cp "$work"/own.* "$folder"
    (cd "$folder" && "$@" sample own.ppl --seed 1 --quiet --draws 200 --warmup 300 --device host >/dev/null 2>log &&
        "$@" plot own.run trace --out own.svg 2>>log && [[ -s own.svg ]]) ||
        { echo "$name: failed"; cat "$folder/log"; exit 1; }
    echo "$name: sampled and drawn"
}

unpacked() { # NAME.tar.gz
    mkdir -p "$work/unpacked"
    tar -C "$work/unpacked" -xzf "$1"
    echo "$work/unpacked/$(basename "$1" .tar.gz)/ppl"
}

here=$("${GO:-go}" env GOARCH)
[[ $here == amd64 ]] && other=arm64 machine=aarch64 || other=amd64 machine=x86_64
emulator=qemu-$machine-static libraries=/usr/$machine-linux-gnu # Debian's libc6-arm64-cross or libc6-amd64-cross
for archive in dist/ppl-*-linux-"$here".tar.gz; do
    [[ -e $archive ]] && try "$(basename "$archive")" "$(unpacked "$archive")"
done
for package in dist/ppl-*-linux-"$here".deb; do
    [[ -e $package ]] || continue
    dpkg-deb -x "$package" "$work/deb"
    try "$(basename "$package")" "$work/deb/usr/bin/ppl"
done
for archive in dist/ppl-*-musl-"$here".tar.gz; do
    [[ -e $archive ]] || continue
    program=$(unpacked "$archive")
    if ((EUID == 0)); then
        mkdir -p "$work/empty/tmp" && cp "$program" "$work"/own.* "$work/empty"
        chroot "$work/empty" /ppl sample /own.ppl --out /tmp/own.run --seed 1 --quiet --draws 200 --warmup 300 >/dev/null
        echo "$(basename "$archive"): sampled where nothing else is"
    else
        try "$(basename "$archive")" "$program"
    fi
done
for archive in dist/ppl-*-{linux,musl}-"$other".tar.gz; do
    [[ -e $archive ]] || continue
    if ! command -v "$emulator" >/dev/null; then
        echo "$(basename "$archive"): not tried, $emulator is missing"
    elif [[ $archive == *linux* && ! -d $libraries ]]; then
        echo "$(basename "$archive"): not tried, $libraries is missing"
    else
        try "$(basename "$archive")" "$emulator" -L "$libraries" "$(unpacked "$archive")"
    fi
done
for archive in dist/ppl-*-windows-amd64.zip; do
    [[ -e $archive ]] || continue
    if command -v wine >/dev/null; then
        PPL_HERE=$(echo "$work/unpacked"/ppl-*-linux-"$here"/ppl) cmd/release/wine/try.sh "$archive"
    else
        echo "$(basename "$archive"): not tried, wine is missing"
    fi
done
for archive in dist/ppl-*-linux-"$here".tar.gz; do
    [[ -e $archive ]] || continue
    package=${archive%.tar.gz}.deb
    if ((EUID == 0)) && command -v debootstrap >/dev/null; then
        cmd/release/chroot.sh "$archive" $([[ ! -e $package ]] || echo "$package")
    else
        echo "$(basename "$archive"): not tried in a bare Debian, which needs root and debootstrap"
    fi
done
if ! compgen -G "dist/ppl-*-linux-$here.tar.gz" >/dev/null; then
    echo "container: not tried, there is no archive for it"
elif ((EUID == 0)) && command -v buildah debootstrap >/dev/null; then
    cmd/release/container.sh dist
else
    echo "container: not tried, which needs root, buildah and debootstrap"
fi
for archive in dist/ppl-*-{darwin,windows-arm64}*.{tar.gz,zip}; do
    [[ ! -e $archive ]] || echo "$(basename "$archive"): compiled, not tried"
done
