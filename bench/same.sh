#!/usr/bin/env bash
# Says whether two versions of ppl compute the same: the IR of every example and, with `draws`, short runs at a fixed
# seed, array by array (minutes).
#
#     bench/same.sh REVISION [draws]     a revision against the working tree
#     bench/same.sh OLD NEW [draws]      two binaries
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
temp=$(mktemp -d)
trap 'git worktree remove --force "$temp/tree" 2>/dev/null || true; rm -rf "$temp"' EXIT

if [ -x "${1:?REVISION, or two binaries}" ] && [ ! -d "$1" ]; then
    old=$(realpath "$1") new=$(realpath "${2:?the new binary}")
    shift 2
else
    git worktree add --quiet --detach "$temp/tree" "$1"
    old=$temp/old new=$temp/new
    (cd "$temp/tree" && "$go" build -o "$old" ./cmd/ppl)
    "$go" build -o "$new" ./cmd/ppl
    shift
fi
what=${1:-ir}

# Sums of what a run stored for its draws.
sums() {
    (cd "$1" 2>/dev/null && find . -type f \( -path '*posterior*' -o -path '*sample_stats*' \) ! -name '.z*' -print0 |
        sort -z | xargs -0 -r cksum) || true
}

status=0
cd examples
for model in *.ppl; do
    if ! cmp -s <("$old" build --emit=ir "$model" 2>&1) <("$new" build --emit=ir "$model" 2>&1); then
        echo "IR differs: $model"
        status=1
    fi
    [ "$what" = draws ] || continue
    for side in old new; do
        "${!side}" sample "$model" --quiet --seed 7 --chains 2 --warmup 100 --draws 40 --threads 1 --out "$temp/$side.run" \
            >/dev/null 2>&1 || echo "exit $?" >"$temp/$side.exit"
        { sums "$temp/$side.run"; cat "$temp/$side.exit" 2>/dev/null || true; } >"$temp/$side.sums"
    done
    if [ -s "$temp/old.exit" ] && [ -s "$temp/new.exit" ]; then
        echo "neither runs: $model"
        status=1
    fi
    if ! cmp -s "$temp/old.sums" "$temp/new.sums"; then
        echo "draws differ: $model"
        status=1
    fi
    rm -rf "$temp"/*.run "$temp"/*.exit
done
[ $status = 0 ] && echo same
exit $status
