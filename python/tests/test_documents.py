"""The Python code of the documents runs as it is written."""

from __future__ import annotations

import pathlib
import re
import warnings

import numpy as np
import pytest

import ppl_lang as ppl

pd = pytest.importorskip("pandas")
pytest.importorskip("zarr")

ROOT = pathlib.Path(__file__).parents[2]


def blocks(path: pathlib.Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("name", ["docs/guides/python.md", "python/README.md"])
def test_code_of_documents(name, tmp_path, monkeypatch):
    path = ROOT / name
    if not path.exists():
        pytest.skip("without the sources")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    age, sex = rng.uniform(0, 5, 60), rng.choice(["female", "male"], 60)
    weight = 3 + 2 * age + (sex == "male") + rng.normal(0, 0.5, 60)
    pd.DataFrame({"weight": weight, "age": age, "sex": sex}).to_csv("growth.csv", index=False)
    for k, text in enumerate(blocks(path, "ppl")):
        assert k == 0
        (tmp_path / "growth.ppl").write_text(text)
    code = blocks(path, "python")
    assert code
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ppl.SamplingWarning)
        for text in code:
            exec(compile(text, str(path), "exec"), names)
