"""What can be asked of models."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import GROWTH, sampled

import ppl_lang as ppl


def test_names_and_types(growth, groups):
    assert growth.data == {"weight": "real[N]", "age": "real[N]"}
    assert list(growth.parameters) == ["a", "b", "sigma"]
    assert groups.parameters["a"] == "real[J]"
    assert "<pre>data weight" in growth._repr_html_()


def test_files(tmp_path, growth_data, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "growth.ppl").write_text(GROWTH)
    for path in ("growth.ppl", tmp_path / "growth.ppl"):
        assert ppl.Model(path).check(growth_data).ok
    with pytest.raises(ppl.ModelError, match="there is no model file other.ppl"):
        ppl.Model("other.ppl")


def test_a_text_names_files_of_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("y\n1\n2\n")
    for path in ("d.csv", "*.csv"):
        model = ppl.Model(f'data y[N] from "{path}"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n')
        assert sampled(model, None)["m"].shape == (2, 40)


def test_mistakes_are_exceptions(growth):
    with pytest.raises(ppl.ModelError) as caught:
        ppl.Model("x ~ Normal(0, sgima)\ny ~ Foo(1)\n").sample()
    error = caught.value
    assert (error.code, error.line, error.exit_code) == ("E10", 1, 1)
    assert "sgima" in error.help and len(error.diagnostics) == 2 and error.diagnostics[1].line == 2
    with pytest.raises(ppl.DataError) as caught:
        growth.sample()
    assert caught.value.code == "E83"
    with pytest.raises(ppl.PplError, match="there is no sampler|sampler"):
        growth.sample({"weight": [1.0], "age": [1.0]}, sampler="nothing")


def test_warnings_are_warnings():
    model = ppl.Model("data y[N], unused\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n")
    with pytest.warns(ppl.ModelWarning, match="unused") as caught:
        sampled(model, {"y": [1.0, 2], "unused": 1})
    assert caught[0].filename.endswith("conftest.py")  # the place of the call, outside of the package


def test_warnings_of_draws():
    funnel = ppl.Model("v ~ Normal(0, 3)\nx[i in 1..9] ~ Normal(0, exp(v / 2))\n")
    with pytest.warns(ppl.SamplingWarning):
        run = funnel.sample(seed=1, draws=50, warmup=100, sampler="hmc")
    assert run.status == "finished"


def test_logprob_agrees_with_the_normal_density(growth, growth_data):
    a, b, sigma = 0.5, 1.5, 0.7
    at = growth.logprob({"a": a, "b": b, "sigma": sigma}, growth_data, gradient=True)
    residual = growth_data["weight"] - a - b * growth_data["age"]
    rows = -0.5 * np.log(2 * np.pi) - np.log(sigma) - residual**2 / (2 * sigma**2)
    assert np.allclose(at.rows["weight"], rows, rtol=1e-12)
    assert at.log_likelihood == pytest.approx(rows.sum(), rel=1e-12)
    assert at.gradient["a"][0] == pytest.approx(residual.sum() / sigma**2 - a / 100, rel=1e-10)
    with pytest.raises(ppl.PplError, match="no parameter `c`"):
        growth.logprob({"a": 1, "b": 1, "sigma": 1, "c": 1}, growth_data)


def test_mode_and_evidence(growth, growth_data):
    mode = growth.optimize(growth_data, seed=1)
    assert mode.converged and mode.values()["b"] == pytest.approx(2, abs=0.2)
    assert growth.logprob(mode.values(), growth_data, gradient=True).gradient["b"][0] == pytest.approx(0, abs=1e-2)
    assert growth.evidence(growth_data, seed=1).se < 0.1


def test_prior(growth, growth_data):
    prior = growth.prior(growth_data, draws=30, seed=1)
    assert prior["a"].sizes["draw"] == 30
    assert growth.predict(growth_data, draws=30, seed=1)["weight"].shape == (1, 30, 40)


def test_init_and_settings(growth, growth_data, run):
    assert sampled(growth, growth_data, init=run)["a"].shape == (2, 40)
    assert sampled(growth, growth_data, init={"a": 1, "b": 2, "sigma": 0.5}, accept=0.9, sampler="nuts").status
    with pytest.raises(ppl.PplError, match="acept"):
        growth.sample(growth_data, acept=0.9)


@pytest.mark.parametrize("name, here", [("tune", "warmup"), ("random_seed", "seed"), ("target_accept", "accept")])
def test_names_of_other_systems(growth, growth_data, name, here):
    with pytest.raises(TypeError, match=f"no argument '{name}': it is '{here}'"):
        growth.sample(growth_data, **{name: 1})


def test_what_check_prints_names_no_temporary_files(growth, growth_data):
    check = growth.check({**growth_data, "age": [None, *growth_data["age"][1:]]})
    assert str(check).startswith("growth.ppl:1:") and "ppl-" not in str(check)


def test_runs_are_not_overwritten(growth, growth_data, tmp_path):
    out = tmp_path / "g.run"
    sampled(growth, growth_data, out=out)
    with pytest.raises(ppl.RunError, match="holds a run already"):
        growth.sample(growth_data, out=out)
    assert sampled(growth, growth_data, out=out, overwrite=True).path == str(out)


def test_progress_is_reported(growth, growth_data):
    seen = []
    sampled(growth, growth_data, progress=seen.append)
    assert {m["phase"] for m in seen} >= {"warm-up", "sampling"} and all(m["done"] <= m["total"] for m in seen)


def test_progress_that_fails_does_not_lose_draws(growth, growth_data):
    def fails(_message):
        raise RuntimeError("no")

    assert sampled(growth, growth_data, progress=fails)["a"].shape == (2, 40)


SLOW = """
import ppl_lang as ppl
model = ppl.Model("x[i in 1..200] ~ Normal(0, 1)\\n")
try:
    run = model.sample(seed=1, draws=100_000_000, warmup=10, until="ess=1e9", out="slow.run",
                       progress=lambda m: print(m["phase"], m["done"], flush=True))
    print("kept", run.interrupted, run["x"].sizes["draw"] > 0, run.status, flush=True)
except ppl.Interrupted as error:
    print("nothing", error, flush=True)
"""


def started(code: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupt_keeps_the_draws(tmp_path, whole_group):
    python = started(SLOW, cwd=tmp_path, start_new_session=True)
    for line in python.stdout:
        if (
            line.startswith("sampling")
            and min(ppl.load(tmp_path / "slow.run")._about().get("draws_written") or [0]) > 0
        ):
            break
    (os.killpg if whole_group else os.kill)(python.pid, signal.SIGINT)
    out, err = python.communicate(timeout=60)
    assert "kept True True interrupted" in out, err


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_killed_python_ends_the_binary(tmp_path):
    python = started(SLOW, cwd=tmp_path)
    python.stdout.readline()
    python.kill()
    python.wait()
    for _ in range(100):
        time.sleep(0.1)
        if ppl.load(tmp_path / "slow.run").status != "running":
            break
    python.stdout.close()
    python.stderr.close()
    assert ppl.load(tmp_path / "slow.run").status == "interrupted"


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_killed_binary_is_an_error(growth, growth_data, monkeypatch):
    from ppl_lang import _call

    start = _call._start

    def and_kill(arguments):
        process = start(arguments)
        if arguments[0] == "sample":
            threading.Timer(0.2, process.kill).start()
        return process

    monkeypatch.setattr(_call, "_start", and_kill)
    with pytest.raises(ppl.RunError, match="killed by the signal SIGKILL") as caught:
        ppl.Model("x[i in 1..200] ~ Normal(0, 1)\n").sample(draws=10_000_000, until="ess=1e9")
    assert caught.value.exit_code == -signal.SIGKILL


def test_threads(growth, growth_data):
    runs: dict[int, ppl.Run] = {}

    def work(k: int) -> None:
        runs[k] = growth.sample(growth_data, seed=1, draws=200, warmup=60, chains=2)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(np.array_equal(runs[0]["a"].values, runs[k]["a"].values) for k in runs) and len(runs) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_leaves_the_files(growth, growth_data):
    run = sampled(growth, growth_data)
    code = f"""
    import os, sys, ppl_lang as ppl
    model = ppl.Model({GROWTH!r})
    run = model.sample({{"age": [1.0, 2, 3], "weight": [1.0, 2, 3]}}, seed=1, draws=200, warmup=60)
    pid = os.fork()
    if pid == 0:
        assert run.loo() and model.check()
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    print(run.status, model.path.exists(), run.path)
    """
    python = started(code)
    out, err = python.communicate(timeout=60)
    assert out.startswith("finished True"), err
    assert not os.path.exists(out.split()[2])
    assert run.status == "finished"


def test_temporary_files_go_with_the_object(growth_data):
    model = ppl.Model(GROWTH)
    run = sampled(model, growth_data)
    folder, path = model.path.parent, run.path
    draws = run["a"]
    del model, run
    assert not folder.exists() and not os.path.exists(path) and np.isfinite(draws.values).all()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions of Unix")
def test_a_folder_that_cannot_be_written(growth, growth_data, tmp_path):
    tmp_path.chmod(stat.S_IREAD | stat.S_IEXEC)
    with pytest.raises(ppl.RunError, match="permission denied"):
        growth.sample(growth_data, out=tmp_path / "x.run")


def test_no_folder_for_temporary_files(growth_data, tmp_path):
    code = f"""
    import tempfile, ppl_lang as ppl
    tempfile.tempdir = {str(tmp_path / "nothing")!r}
    try:
        ppl.Model({GROWTH!r})
    except ppl.RunError as error:
        print(error)
    """
    out, err = started(code).communicate(timeout=60)
    assert "there is no directory for temporary files" in out and "TMPDIR" in out, err


def test_a_read_only_home(growth_data, tmp_path):
    code = f"""
    import ppl_lang as ppl
    run = ppl.Model({GROWTH!r}).sample({{"age": [1.0, 2, 3], "weight": [1.0, 2, 3]}}, seed=1, draws=200, warmup=60)
    print(run.status)
    """
    environment = dict(os.environ, HOME="/proc/nothing", XDG_CACHE_HOME="/proc/nothing")
    out, err = started(code, env=environment).communicate(timeout=60)
    assert out == "finished\n", err


def fake(tmp_path, version: str) -> str:
    path = tmp_path / "ppl"
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="scripts of Unix")
def test_binaries(tmp_path, monkeypatch, growth):
    monkeypatch.setenv("PPL_BINARY", fake(tmp_path, '{"version": "99.0.0"}'))
    with pytest.raises(ppl.BinaryError, match="is ppl 99.0.0, and ppl-lang .* needs ppl"):
        growth.check()
    monkeypatch.setenv("PPL_BINARY", fake(tmp_path, "ppl (Parma Polyhedra Library)"))
    os.utime(tmp_path / "ppl", ns=(1, 1))
    with pytest.raises(ppl.BinaryError, match="is not the ppl binary"):
        growth.check()
    monkeypatch.setenv("PPL_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(ppl.BinaryError, match="cannot be run"):
        growth.check()


def test_models_and_runs_can_be_pickled(growth, growth_data, tmp_path):
    model = pickle.loads(pickle.dumps(growth))
    assert model.text == growth.text and model.path.name == "growth.ppl" and model.path != growth.path
    (tmp_path / "g.ppl").write_text(GROWTH)
    assert pickle.loads(pickle.dumps(ppl.Model(tmp_path / "g.ppl"))).path == tmp_path / "g.ppl"
    run = sampled(growth, growth_data)
    again = pickle.loads(pickle.dumps(run))
    del again
    assert run.status == "finished"
    with pytest.raises(TypeError, match="send the model and the data"):
        pickle.dumps(growth.log_density(growth_data))


def test_errors_can_be_pickled():
    d = ppl.Diagnostic("E10", "error", "m", "h", "f", 1, 2, "t")
    error = pickle.loads(pickle.dumps(ppl.ModelError("text", exit_code=1, diagnostics=[d])))
    assert error.code == "E10" and error.exit_code == 1


def test_versions():
    assert ppl.command("version")["version"].startswith(ppl.__version__) or "." not in ppl.binary_version()
    assert "Normal(mu, sd)" in ppl.explain("Normal")
