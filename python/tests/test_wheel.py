"""The wheel: its platforms, the format of its binary, and that the same sources give the same bytes."""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import zipfile

import pytest

HERE = pathlib.Path(__file__).parents[1]
DIST = HERE.parent / "dist"

# The first bytes of binaries, and where their machine is named.
FORMATS = {
    "linux_x86_64": (b"\x7fELF", 18, b"\x3e\x00"),
    "linux_aarch64": (b"\x7fELF", 18, b"\xb7\x00"),
    "macosx_x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\x00\x00\x01"),
    "macosx_arm64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
    "win_amd64": (b"MZ", 0, b"MZ"),
    "win_arm64": (b"MZ", 0, b"MZ"),
}


def platform(tag: str) -> str:
    for system in ("manylinux", "musllinux", "macosx"):
        if tag.startswith(system):
            arch = tag.rsplit(".", 1)[-1].split("_", 3)[-1] if system != "manylinux" else tag.split("_", 3)[3]
            arch = arch.split(".")[0]
            return ("linux_" if system.endswith("linux") else "macosx_") + arch
    return tag


def wheels() -> list[pathlib.Path]:
    return sorted(DIST.glob("ppl_lang-*.whl"))


@pytest.mark.skipif(not wheels(), reason="no wheel was built")
def test_wheels():
    for wheel in wheels():
        tag = wheel.stem.split("-", 4)[-1]
        with zipfile.ZipFile(wheel) as z:
            (name,) = [n for n in z.namelist() if n.startswith("ppl_lang/bin/")]
            info = z.getinfo(name)
            assert info.external_attr >> 16 == 0o100755, oct(info.external_attr >> 16)  # pip drops other modes
            magic, at, machine = FORMATS[platform(tag)]
            head = z.open(name).read(64)
            assert head.startswith(magic) and head[at:].startswith(machine), tag
            assert name.endswith(".exe") == tag.startswith("win")
            assert "ppl_lang/py.typed" in z.namelist()
            (wheel_file,) = [n for n in z.namelist() if n.endswith("/WHEEL")]
            text = z.read(wheel_file).decode()
            assert "Root-Is-Purelib: false" in text and "Tag: py3-none-" in text


@pytest.mark.slow
def test_the_same_sources_give_the_same_bytes(tmp_path):
    binary = tmp_path / "ppl"
    binary.write_bytes(os.urandom(1000))
    environment = dict(os.environ, PPL_BINARY=str(binary), SOURCE_DATE_EPOCH="1700000000")
    before, sums = set(wheels()), []
    for _ in range(2):
        subprocess.run([HERE / "wheel.sh", "windows/arm64"], env=environment, check=True, capture_output=True)
        (wheel,) = DIST.glob("*win_arm64.whl")
        sums.append(hashlib.sha256(wheel.read_bytes()).hexdigest())
        if wheel not in before:
            wheel.unlink()
    assert sums[0] == sums[1]


@pytest.mark.skipif(not (HERE / "pyproject.toml").exists(), reason="without the sources")
@pytest.mark.parametrize("tool", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]])
def test_sources(tool):
    pytest.importorskip(tool[0])
    import sys

    done = subprocess.run([sys.executable, "-m", *tool], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_of_docstrings():
    pytest.importorskip("pandas")
    import doctest
    import importlib
    import warnings

    import numpy as np

    if int(np.__version__.split(".")[0]) < 2:
        pytest.skip("NumPy before 2 prints numbers in another way")
    tried = 0
    for name in ("", "._binary", "._data", "._tables", ".adapters", ".density", ".model", ".run"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = doctest.testmod(importlib.import_module("ppl_lang" + name))
        assert not found.failed, name
        tried += found.attempted
    assert tried > 20


def test_the_version_is_that_of_the_binary():
    import ppl_lang

    text = (HERE.parent / "app" / "version" / "version.go").read_text() if HERE.parent.joinpath("app").exists() else ""
    assert not text or f'"{ppl_lang.__version__}"' in text
