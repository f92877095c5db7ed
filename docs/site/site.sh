#!/usr/bin/env bash
# Builds the site into dist/site/html: pages from what the repository has (package site), the playground, HTML by MkDocs;
# then it looks for dead links. The first time it installs MkDocs and the playground's tools, and runs all examples;
# after that nothing is asked from the network.
set -euo pipefail
cd "$(dirname "$0")/../.."
go=${GO:-go} build=dist/site

venv=${PPL_SITE_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/ppl-site}
if ! cmp -s docs/site/requirements.txt "$venv/requirements.txt"; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q -r docs/site/requirements.txt
    cp docs/site/requirements.txt "$venv/requirements.txt"
fi
modules=docs/playground/node_modules
if ! cmp -s docs/playground/package-lock.json $modules/.installed; then
    npm ci --prefix docs/playground --no-audit --no-fund --silent
    cp docs/playground/package-lock.json $modules/.installed
fi

mkdir -p $build
CGO_ENABLED=0 "$go" build -trimpath -o $build/ppl ./cmd/ppl
"$go" run ./docs/site -ppl $build/ppl -build $build
mkdir -p $build/source/assets/katex
cp $modules/katex/dist/katex.min.js $build/source/assets/katex
GO=$go docs/playground/build.sh $build/source/playground
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --quiet -f $build/mkdocs.yml
"$go" run ./docs/deadlinks $build/html
du -sh $build/html
