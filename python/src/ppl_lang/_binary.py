"""Finds the `ppl` binary: the one that `PPL_BINARY` names, the one in the wheel, or the one on PATH."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from ppl_lang._version import __version__
from ppl_lang.errors import BinaryError

_NAME = "ppl.exe" if os.name == "nt" else "ppl"


def binary() -> str:
    """Return the path of the `ppl` binary that this package calls.

    The environment variable ``PPL_BINARY`` has precedence, then the binary of the wheel, then ``ppl`` on PATH.

    Returns
    -------
    str
        The path of the binary.

    Raises
    ------
    BinaryError
        If there is no binary, or if it has another version than this package.

    Examples
    --------
    >>> import os, ppl_lang
    >>> os.path.exists(ppl_lang.binary())
    True
    """
    inside = Path(__file__).with_name("bin") / _NAME
    given = os.environ.get("PPL_BINARY", "")
    if given:
        return _checked(given)
    if inside.exists():
        return str(inside)
    found = shutil.which("ppl")
    if found is None:
        raise BinaryError(
            "the ppl binary is missing: this installation of ppl-lang has none, and there is none on PATH; "
            "install a wheel for this platform, or set PPL_BINARY to the path of the binary"
        )
    return _checked(found)


@functools.lru_cache(maxsize=8)
def _version_of(path: str, changed: int) -> str:
    """Return the version of a binary. `changed`, its modification time, is part of the cache key."""
    try:
        done = subprocess.run([path, "version", "--json"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BinaryError(f"the ppl binary {path} cannot be run: {error}") from error
    try:
        return str(json.loads(done.stdout)["version"])
    except (ValueError, KeyError, TypeError):
        raise BinaryError(
            f"{path} is not the ppl binary that ppl-lang {__version__} needs, or an old version of it: "
            f"`{Path(path).name} version --json` prints no version"
        ) from None


def _release(version: str) -> str:
    """Return the release in a version, such as 1.2.0 in 1.2.0-3-g0123abc; empty if there is none."""
    match = re.match(r"v?(\d+(?:\.\d+)+)", version)
    return match[1] if match else ""


def _checked(path: str) -> str:
    """Return the path of a binary outside of the wheel, after checking that its version is that of the package."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise BinaryError(f"the ppl binary {path} cannot be run: {error}") from error
    found = _version_of(path, changed)
    release, needed = _release(found), _release(__version__)
    if release and release != needed:
        raise BinaryError(
            f"{path} is ppl {found}, and ppl-lang {__version__} needs ppl {needed}: install ppl-lang {release}, "
            f"or a binary of version {needed}"
        )
    return path


def binary_version() -> str:
    """Return the version of the binary.

    Examples
    --------
    >>> import ppl_lang
    >>> ppl_lang.binary_version()
    '0.1.0'
    """
    path = binary()
    return _version_of(path, os.stat(path).st_mtime_ns)
