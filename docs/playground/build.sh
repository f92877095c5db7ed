#!/usr/bin/env bash
# Builds the playground into a directory. It needs the packages of package-lock.json (npm ci) and, next to the directory's
# parent, the program for this machine: site.sh calls it.
set -euo pipefail
to=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")"
go=${GO:-go} build=../../dist/site

# Pictures measure texts by a font, of which a page needs one face.
../../cmd/release/fewfonts.sh dist/site liberationsansregular

export CGO_ENABLED=0 GOOS=js GOARCH=wasm
how=(-modfile "$build/go.mod" -tags nogorgonia,wheel,nonative)
"$go" build -trimpath -buildvcs=false "${how[@]}" -ldflags '-s -w -buildid=' -o $build/ppl.wasm ../../cmd/ppl

# The licences of what is linked; build.mjs adds those of the scripts.
{
    printf 'ppl has the licence in its file LICENSE. These are the licences of what is linked into the playground.\n'
    modules=$("$go" list -deps "${how[@]}" -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ../../cmd/ppl)
    sort -u <<< "Go $("$go" env GOROOT)
$modules" | while read -r module dir; do
        [[ -n $module ]] || continue
        found=$(find "$dir" -maxdepth 1 -type f -iregex '.*/\(licen[cs]e\|copying\|notice\|unlicense\|patents\)[^/]*' | sort)
        [[ -n $found ]] || { echo "build.sh: $module has no licence in $dir" >&2; exit 1; }
        printf '\n\n==== %s\n\n' "$module"
        cat $found
    done
} > "$to/LICENSES.txt"
unset GOOS GOARCH
node build.mjs "$to" $build/ppl $build/ppl.wasm "$("$go" env GOROOT)/lib/wasm/wasm_exec.js"
