"""Notebooks: the cell magic, pictures, interrupts, and the kernel for the language."""

from __future__ import annotations

import os
import sys
import time
import warnings

import pytest

import ppl_lang as ppl

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    "%load_ext ppl_lang\nimport ppl_lang as ppl, pandas as pd, numpy as np, warnings",
    "rng = np.random.default_rng(1)\nage = rng.uniform(0, 4, 40)\n"
    "df = pd.DataFrame({'age': age, 'weight': 1 + 2 * age + rng.normal(0, .5, 40)})",
    "%%ppl growth df\ndata weight[N], age[N]\na, b ~ Normal(0, 10)\nsigma ~ HalfNormal(5)\n"
    "weight[i in N] ~ Normal(a + b * age[i], sigma)",
    "run = growth.sample(df, seed=1, draws=300, warmup=300)\nrun",
    "run.plot('pairs', 'a', 'b')",
    "run.query('P(b > 0)')",
    "%%ppl flat\ndata weight[N], age[N]\na ~ Normal(0, 10)\nsigma ~ HalfNormal(5)\nweight[i in N] ~ Normal(a, sigma)",
    "other = flat.sample(df, seed=1, draws=300, warmup=300)\nppl.compare(line=run, flat=other)",
    "run.predict(pd.DataFrame({'age': [5.0, 6.0]}))",
    "growth",
]


def executed(cells: list[str], kernel: str = "python3") -> list[dict]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, kernel_name=kernel, timeout=120).execute()
    return notebook.cells


def kinds(cell: dict) -> set[str]:
    return {k for out in cell.outputs for k in out.get("data", {})}


def test_ten_cells():
    cells = executed(CELLS)
    assert "text/html" in kinds(cells[3]) and "image/svg+xml" in kinds(cells[4])
    assert "text/html" in kinds(cells[7]) and "text/html" in kinds(cells[8])
    assert "<pre>data weight" in cells[9].outputs[0]["data"]["text/html"]
    assert not [out for cell in cells for out in cell.outputs if out.get("name") == "stderr" and "rror" in out["text"]]


def test_mistakes_in_a_cell():
    cells = executed(["%load_ext ppl_lang", "%%ppl m\nx ~ Normal(0, sgima)", "type(m).__name__"])
    assert "E10" in cells[1].outputs[0]["text"] and "Model" in cells[2].outputs[0]["data"]["text/plain"]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory) -> str:
    from ppl_lang.kernel import install

    prefix = tmp_path_factory.mktemp("jupyter")
    install(user=False, prefix=str(prefix))
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    return "ppl"


@pytest.fixture
def client(kernel, tmp_path, monkeypatch):
    from jupyter_client.manager import start_new_kernel

    monkeypatch.chdir(tmp_path)
    manager, client = start_new_kernel(kernel_name=kernel, startup_timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run_cell(client, code: str) -> tuple[dict, list[dict]]:
    outputs = []
    reply = client.execute_interactive(code, timeout=120, output_hook=outputs.append)
    return reply["content"], [o["content"] for o in outputs if o["msg_type"] in {"stream", "display_data", "error"}]


MODEL = "data y[N] = [1.5, 2, 3]\nmu ~ Normal(0, 5)\ny[i in N] ~ Normal(mu, 1)"


def test_the_kernel(client):
    _, kernel = client
    reply, _ = run_cell(kernel, MODEL)
    assert reply["status"] == "ok"
    reply, out = run_cell(kernel, ".sample --seed 1 --draws 200\nP(mu > 0)")
    assert reply["status"] == "ok" and "1" in "".join(o.get("text", "") for o in out)
    reply, out = run_cell(kernel, ".plot trace mu")
    assert any("image/svg+xml" in o.get("data", {}) for o in out)
    reply, out = run_cell(kernel, "sgima + 1")
    assert reply["status"] == "error" and "E10" in reply["evalue"]
    reply, _ = run_cell(kernel, "mu + 1")
    assert reply["status"] == "ok"
    done = kernel.complete("2 * m", 5, reply=True, timeout=30)["content"]
    assert "mu" in done["matches"] and done["cursor_start"] == 4
    found = kernel.inspect("mu", 1, reply=True, timeout=30)["content"]
    assert found["found"] and "mu" in found["data"]["text/plain"]
    kernel.is_complete("sum(")
    assert kernel.get_shell_msg(timeout=30)["content"]["status"] == "incomplete"


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_of_the_kernel_keeps_the_draws(client, tmp_path):
    manager, kernel = client
    run_cell(kernel, "x[i in 1..100] ~ Normal(0, 1)")
    kernel.execute(".sample --seed 1 --draws 100000000 --until ess=1e9")
    for _ in range(300):
        time.sleep(0.1)
        if (tmp_path / "model.run" / "run.json").exists() and ppl.load(tmp_path / "model.run")._about().get("draws"):
            break
    manager.interrupt_kernel()
    while kernel.get_shell_msg(timeout=60)["msg_type"] != "execute_reply":
        pass
    reply, out = run_cell(kernel, "x[1]")
    assert reply["status"] == "ok" and "mean" in out[0]["text"]


def test_protocol_of_kernels(kernel):
    """The tests of jupyter-kernel-test."""
    test = pytest.importorskip("jupyter_kernel_test")
    import unittest

    class Tests(test.KernelTests):
        kernel_name = kernel
        language_name = "ppl"
        file_extension = ".ppl"
        code_hello_world = ""
        code_execute_result = ()
        completion_samples = ({"text": "Norm", "matches": {"Normal("}},)
        complete_code_samples = ("mu ~ Normal(0, 1)",)
        incomplete_code_samples = ("mu ~ Normal(0,",)
        code_inspect_sample = "Normal"
        code_generate_error = "sgima + 1"
        code_display_data = ()

    result = unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert not result.errors and not result.failures, result.errors + result.failures


def test_the_extension_needs_names():
    from IPython.testing.globalipapp import start_ipython

    shell = start_ipython()
    if shell is None:
        pytest.skip("IPython runs already")
    ppl.load_ipython_extension(shell)
    with pytest.raises(ppl.PplError, match="write %%ppl"):
        shell.find_cell_magic("ppl")("1x", "")
    assert sys.modules["ppl_lang.magic"]
