#!/usr/bin/env bash
# Builds the wheels of all platforms twice and compares them byte by byte, then checks the tag, the size, and mode and
# format of the binary of each. The second build is later, and has another folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -f ../dist/ppl_lang-*.whl
./wheel.sh
mkdir "$work/first"
mv ../dist/ppl_lang-*.whl "$work/first"
mkdir "$work/tmp"
TMPDIR=$work/tmp ./wheel.sh
for wheel in "$work"/first/*.whl; do
    cmp "$wheel" "../dist/$(basename "$wheel")"
done
"$python" check_wheels.py ../dist/ppl_lang-*.whl
(cd ../dist && sha256sum ppl_lang-*.whl)
