#!/usr/bin/env bash
# Builds wheels with the binary inside, for the platforms that are named (all by default), into dist/. The same commit
# gives the same bytes. PPL_BINARY is a binary for the first platform that is there already.
set -euo pipefail
cd "$(dirname "$0")/.."
all=(linux/amd64 linux/arm64 musllinux/amd64 musllinux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
(($# > 0)) || set -- "${all[@]}"
go=${GO:-go} python=${PYTHON:-python3}
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/src/ppl_lang/_version.py)

commit=$(git rev-parse HEAD 2>/dev/null || true)

builder=${PPL_WHEEL_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/ppl-wheel-builder}
if ! "$builder/bin/python" -c 'import deflate, hatchling.build' 2>/dev/null; then
    "$python" -m venv "$builder"
    "$builder/bin/pip" install -q 'hatchling==1.33.0' 'deflate==0.9.0'
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1580601600)}
cmd/release/fewfonts.sh dist/wheel liberationsansregular liberationsansbold
for target; do
    os=${target%/*} arch=${target#*/} tags=nogorgonia,wheel # gorgonia checks other devices, and takes two megabytes
    # Alpine's loader is not that of glibc: its binary is static, and has no native device.
    [[ $os != musllinux ]] || { os=linux tags+=,nonative; }
    binary=$work/${target//\//-}
    if [[ -n ${PPL_BINARY:-} ]]; then
        cp "$PPL_BINARY" "$binary"
        unset PPL_BINARY
    else
        CGO_ENABLED=0 GOOS=$os GOARCH=$arch "$go" build -trimpath -buildvcs=false -modfile dist/wheel/go.mod -tags "$tags" \
            -ldflags "-s -w -buildid= -X ppl/app/version.number=$version -X ppl/app/version.commit=$commit" \
            -o "$binary" ./cmd/ppl
    fi
    chmod 755 "$binary"
    (cd python && PPL_WHEEL_BINARY=$binary PPL_WHEEL_TARGET=$target "$builder/bin/python" -m hatchling build \
        --target wheel --directory ../dist)
done
"$builder/bin/python" python/pack.py dist/ppl_lang-"$version"-py3-none-*.whl
