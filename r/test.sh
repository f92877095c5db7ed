#!/usr/bin/env bash
# Builds the R package, and runs R CMD check with its tests, its vignette and the packages that are there. PPL_BINARY is
# the program, by default one that is built here. Without R it prints a line and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
for package in jsonlite processx posterior testthat; do
    if ! Rscript -e "if (!requireNamespace('$package', quietly = TRUE)) quit(status = 1)" >/dev/null 2>&1; then
        echo "without the tests of the R package: R or its package $package is missing"
        exit 0
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z ${PPL_BINARY:-} ]]; then
    PPL_BINARY=$work/ppl
    "${GO:-go}" build -o "$PPL_BINARY" ./cmd/ppl
fi
mkdir "$work/bin" # on PATH, since R CMD check reads no profile
ln -s "$(realpath "$PPL_BINARY")" "$work/bin/ppl"
export PATH=$work/bin:$PATH LC_ALL=C.UTF-8 _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false
vignettes=()
command -v pandoc >/dev/null || vignettes=(--no-build-vignettes)
package=$PWD/r
cd "$work"
R CMD build "${vignettes[@]}" "$package"
checks=(--no-manual)
! command -v qpdf >/dev/null || checks+=(--as-cran) # which asks for qpdf
((${#vignettes[@]} == 0)) || checks+=(--ignore-vignettes)
R CMD check "${checks[@]}" pplr_*.tar.gz || { cat pplr.Rcheck/tests/*.Rout.fail 2>/dev/null; exit 1; }
if grep -q 'the program ppl is missing' pplr.Rcheck/tests/*.Rout; then
    echo 'the tests did not find the program'
    exit 1
fi
if grep -Eq '^Status: .*(ERROR|WARNING)' pplr.Rcheck/00check.log; then
    exit 1
fi
