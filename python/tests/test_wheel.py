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


def wheels() -> list[pathlib.Path]:
    return sorted(DIST.glob("ppl_lang-*.whl"))


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    return pytest.importorskip("check_wheels")


@pytest.mark.skipif(not wheels(), reason="no wheel was built")
def test_wheels(check):
    for wheel in wheels():
        assert not check.problems(wheel), wheel.name


@pytest.mark.skipif(not wheels(), reason="no wheel was built")
def test_damaged_wheels(check, tmp_path):
    """Whatever is wrong with a wheel is found."""
    wheel = wheels()[0]

    def changed(name: str, **change: object) -> list[str]:
        path = tmp_path / name
        with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(path, "w") as new:
            for info in old.infolist():
                text = old.read(info)
                if info.filename.startswith("ppl_lang/bin/"):
                    if "mode" in change:
                        info.external_attr = change["mode"] << 16
                    text = change.get("binary", text[:4096])
                elif info.filename.endswith("/METADATA"):
                    text = text.replace(b"\n\n", change.get("metadata", b"") + b"\n\n", 1)
                new.writestr(info, text)
        return check.problems(path)

    assert not changed(wheel.name)
    assert "mode" in changed(wheel.name, mode=0o100644)[0]
    assert "binary" in changed(wheel.name, binary=b"#!/bin/sh\n")[0]
    assert "packages" in changed(wheel.name, metadata=b"\nRequires-Dist: numpy")[0]
    other = (
        wheel.name.replace("x86_64", "aarch64") if "x86_64" in wheel.name else wheel.name.replace("aarch64", "x86_64")
    )
    assert "binary" in " ".join(changed(other))
    assert "none of ours" in changed("ppl_lang-0.1.0-py3-none-any.whl")[0]


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
    for name in ("", "._binary", "._call", "._data", "._tables", ".adapters", ".density", ".model", ".results", ".run"):
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
