#!/usr/bin/env bash
# Makes DIR/go.mod, for `go build -modfile`, by which the program has only some FACEs of the fonts of Liberation:
#
#   cmd/release/fewfonts.sh dist/wheel liberationsansregular liberationsansbold
#
# gonum/plot links all twelve, 2.3 MB packed, and pictures use two. In a copy of the module the others become the first
# FACE. DIR is a path from the root of the repository, so that the bytes of a build do not depend on where that is.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$1 one=$2
shift
go=${GO:-go} fonts=codeberg.org/go-fonts/liberation
rm -rf "$dir/liberation"
mkdir -p "$dir"
cp -r "$("$go" list -m -f '{{.Dir}}' $fonts)" "$dir/liberation"
chmod -R u+w "$dir/liberation"
for face in "$dir"/liberation/liberation*/; do
    name=$(basename "$face")
    [[ " $* " != *" $name "* ]] || continue
    rm -r "${face:?}"/*
    printf 'package %s\n\nimport "%s/%s"\n\nvar TTF = %s.TTF\n' "$name" $fonts "$one" "$one" > "$face/data.go"
done
cp go.mod go.sum "$dir"
"$go" mod edit -replace "$fonts=./$dir/liberation" "$dir/go.mod"
