#!/usr/bin/env bash
# Builds the wheel of this platform, installs it into an empty environment of each version of Python, and runs the tests:
# on Python 3.10 with the oldest packages that pyproject.toml admits, on 3.11 with ArviZ 0.23, on 3.13 with ArviZ 1.3.
# What cannot be had is skipped with a line. PYTHONS are the versions to test with, all by default; PPL_BINARY is a
# binary that is there already; PPL_PYTEST are more arguments for pytest; PPL_SLOW=1 runs the slow tests as well.
set -euo pipefail
cd "$(dirname "$0")"
read -ra versions <<< "${PYTHONS:-3.10 3.11 3.12 3.13}"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ppl-python-tests
mkdir -p "$cache"
export UV_PYTHON_INSTALL_DIR=$cache/pythons
unset PYTHONDONTWRITEBYTECODE # processes that tests start would compile pandas and ArviZ again and again

# python VERSION prints the Python of that version that is installed.
python() {
    local found
    for found in "python$1" python3 "$HOME/.pyenv/versions/$1".*/bin/python; do
        "$found" -c "import sys; sys.version_info[:2] == (${1/./, }) or sys.exit(1); print(sys.executable)" \
            2>/dev/null && return
    done
    return 1
}

leave_out() {
    echo "without the tests of the Python package: $1"
    exit 0
}

case $(go env GOOS)/$(go env GOARCH) in
linux/amd64 | linux/arm64 | darwin/amd64 | darwin/arm64) target=$(go env GOOS)/$(go env GOARCH) ;;
*) leave_out 'there is no wheel for this platform' ;;
esac
builder=
for version in 3.13 3.12 3.11 3.10; do
    found=$(python $version) && "$found" -c 'import venv, ensurepip' 2>/dev/null && builder=$found && break
done
[[ -n $builder ]] || leave_out 'no Python from 3.10 on with venv is installed'
[[ -x $cache/tools/bin/python ]] || "$builder" -m venv "$cache/tools"
"$cache/tools/bin/pip" install -q uv || leave_out 'uv cannot be installed'
uv=$cache/tools/bin/uv

rm -f ../dist/ppl_lang-*.whl
if ! PYTHON=$builder ./wheel.sh "$target"; then
    "$cache/../ppl-wheel-builder/bin/python" -c 'import hatchling.build' 2>/dev/null && exit 1
    leave_out 'hatchling cannot be installed'
fi
wheel=$(ls ../dist/ppl_lang-*.whl)

# environment NAME VERSION makes an environment, which is empty the first time, with a Python that is here or, where
# uv can fetch it, from its publisher.
environment() {
    [[ -x $cache/$1/bin/python ]] ||
        "$uv" venv -q --no-project --python "$(python "$2" || echo "$2")" "$cache/$1" 2>/dev/null || {
        rm -rf "${cache:?}/$1"
        echo "without the tests of $1: Python $2 is not installed, and cannot be fetched"
        return 1
    }
}

# install NAME ARGUMENT… installs packages into an environment.
install() {
    local name=$1
    shift
    "$uv" pip install -q --python "$cache/$name/bin/python" "$@"
}

# An environment without any other package: the wheel needs none.
for version in "${versions[@]}"; do
    rm -rf "$cache/empty-$version"
    environment "empty-$version" $version || continue
    install "empty-$version" --offline --no-index --no-deps "$wheel"
    env -u PPL_BINARY -u PYTHONPATH PATH=/usr/bin:/bin "$cache/empty-$version/bin/python" -W error tests/alone.py
done

# tests NAME VERSION ARGUMENTS runs the tests in an environment with packages.
tests() {
    local name=$1 version=$2
    shift 2
    environment "$name" "$version" || return 0
    if ! install "$name" "$@" || ! install "$name" "${common[@]}"; then
        echo "without the tests of $name: its packages cannot be installed"
        return
    fi
    install "$name" --offline --no-index --no-deps --reinstall "$wheel"
    echo "tests of $name on Python $version"
    # shellcheck disable=SC2086
    env -u PPL_BINARY -u PYTHONPATH "$cache/$name/bin/python" -m pytest -q -p no:cacheprovider tests ${PPL_PYTEST:-}
}

common=(pytest numpy pandas polars pyarrow zarr netCDF4 h5netcdf h5py scipy)
for version in "${versions[@]}"; do
    case $version in
    3.10) tests oldest 3.10 --resolution lowest-direct -r pyproject.toml --extra arviz --extra polars 'numpy>=1.26,<2' \
        'scipy>=1.10' ;;
    3.11) tests arviz-0.23 3.11 'arviz==0.23.*' 'cmdstanpy==1.3.*' mypy ruff ;;
    3.13) tests arviz-1.3 3.13 'arviz[zarr]==1.3.*' matplotlib tqdm ipykernel nbclient nbformat jupyter-kernel-test ;;
    esac
done
