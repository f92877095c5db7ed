#!/usr/bin/env bash
# Generates the parser into a temporary folder, and parses every example with it: no text is an error, and the query of
# colours is right. TREE_SITTER is the program of that name, from `cargo install tree-sitter-cli`.
set -euo pipefail
cd "$(dirname "$0")"
tool=${TREE_SITTER:-tree-sitter}
command -v "$tool" >/dev/null || { echo "without the grammar for tree-sitter: $tool is missing"; exit 0; }
examples=$(realpath ../../examples)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CACHE_HOME=$work/cache # neither settings nor parsers of the user
cp -r . "$work/grammar"
cd "$work/grammar"
"$tool" init-config >/dev/null
"$tool" generate
find "$examples" -name '*.ppl' >"$work/models"
"$tool" parse --quiet --paths "$work/models" || { echo "these examples are not parsed"; exit 1; }
"$tool" query queries/highlights.scm --paths "$work/models" >"$work/colours"
"$tool" test
echo "$(wc -l <"$work/models") examples are parsed, with $(grep -c 'capture:' "$work/colours") coloured words"
