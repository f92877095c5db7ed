#!/usr/bin/env bash
# Builds the wheel of this platform, installs it into empty environments and runs the tests: with ArviZ 0.23 on Python
# 3.11, and with ArviZ 1.3 on Python 3.12 or later. What cannot be had is skipped with a line. PPL_BINARY is a binary
# that is there already; PPL_PYTEST are more arguments for pytest; PPL_SLOW=1 runs the slow tests as well.
set -euo pipefail
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ppl-python-tests
mkdir -p "$cache"

# python VERSION… prints the first of these Pythons that works.
python() {
    local version found
    for version; do
        for found in "python$version" "$HOME/.pyenv/versions/$version".*/bin/python; do
            if "$found" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < (${version/./, }))" 2>/dev/null
            then
                echo "$found"
                return
            fi
        done
    done
    return 1
}

case $(go env GOOS)/$(go env GOARCH) in
linux/amd64 | linux/arm64 | darwin/amd64 | darwin/arm64) target=$(go env GOOS)/$(go env GOARCH) ;;
*) echo 'without tests of the Python package: there is no wheel for this platform' && exit 0 ;;
esac
if ! builder=$(python 3.13 3.12 3.11 3.10); then
    echo 'without tests of the Python package: no Python from 3.10 on with venv is installed'
    exit 0
fi
rm -f ../dist/ppl_lang-*.whl
if ! PYTHON=$builder ./wheel.sh "$target"; then
    "$cache/../ppl-wheel-builder/bin/python" -c 'import hatchling.build' 2>/dev/null && exit 1
    echo 'without tests of the Python package: hatchling cannot be installed'
    exit 0
fi
wheel=$(ls ../dist/ppl_lang-*.whl)

# An environment without any other package: the wheel needs none.
rm -rf "$cache/empty"
"$builder" -m venv "$cache/empty"
"$cache/empty/bin/pip" install -q --no-index --no-deps "$wheel"
env -u PPL_BINARY -u PYTHONPATH PATH=/usr/bin:/bin "$cache/empty/bin/python" tests/alone.py

# tests NAME PACKAGES PYTHON… runs the tests in an environment with packages.
tests() {
    local name=$1 packages=$2 found
    shift 2
    if ! found=$(python "$@"); then
        echo "without the tests of $name: no Python $1 is installed"
        return
    fi
    [[ -d $cache/$name ]] || "$found" -m venv "$cache/$name"
    # shellcheck disable=SC2086 # the packages are words
    if ! "$cache/$name/bin/pip" install -q $packages; then
        echo "without the tests of $name: its packages cannot be installed"
        return
    fi
    "$cache/$name/bin/pip" install -q --no-deps --no-index --force-reinstall "$wheel"
    # shellcheck disable=SC2086
    env -u PPL_BINARY -u PYTHONPATH "$cache/$name/bin/python" -m pytest -q -p no:cacheprovider tests ${PPL_PYTEST:-}
}

common="pytest numpy pandas polars pyarrow zarr netCDF4 h5netcdf scipy"
tests arviz-0.23 "arviz==0.23.* cmdstanpy==1.3.* mypy ruff $common" 3.11
tests arviz-1.3 "arviz[zarr]==1.3.* tqdm ipykernel nbclient nbformat jupyter-kernel-test $common" 3.13 3.12
