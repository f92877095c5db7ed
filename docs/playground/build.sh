#!/usr/bin/env bash
# Builds the playground into a directory. It needs the packages of package-lock.json (npm ci) and, next to the directory's
# parent, the program for this machine: site.sh calls it.
set -euo pipefail
to=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")"
go=${GO:-go} build=../../dist/site

# Pictures measure texts by the fonts of Liberation, of which a page needs one: the other eleven faces, two megabytes,
# become that one, in a copy of the module.
fonts=codeberg.org/go-fonts/liberation one=liberationsansregular
rm -rf $build/liberation
cp -r "$("$go" list -m -f '{{.Dir}}' $fonts)" $build/liberation
chmod -R u+w $build/liberation
for face in $build/liberation/liberation*/; do
    name=$(basename "$face")
    [[ $name != $one ]] || continue
    rm -r "${face:?}"/*
    printf 'package %s\n\nimport "%s/%s"\n\nvar TTF = %s.TTF\n' $name $fonts $one $one > "$face/data.go"
done
cp ../../go.mod ../../go.sum $build
"$go" mod edit -replace "$fonts=$(cd $build/liberation && pwd)" $build/go.mod

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
