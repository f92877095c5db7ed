"""The log density in this process: against SciPy, against the binary, and in other samplers."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from conftest import GROWTH

import ppl_lang as ppl
from ppl_lang import adapters

stats = pytest.importorskip("scipy.stats")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def density(growth, growth_data) -> ppl.LogDensity:
    f = growth.log_density(growth_data)
    if not f.compiled:
        pytest.skip("no C compiler")
    return f


@pytest.fixture(scope="module")
def served(growth, growth_data) -> ppl.LogDensity:
    old = os.environ.get("CC")
    os.environ["CC"] = "no-compiler-of-this-name"
    try:
        with pytest.warns(ppl.PplWarning, match="slower than compiled code"):
            return growth.log_density(growth_data)
    finally:
        os.environ.pop("CC")
        if old is not None:
            os.environ["CC"] = old


def by_scipy(data: dict[str, np.ndarray], theta: np.ndarray) -> float:
    """Return the log density of the growth model on the scale of its parameters."""
    a, b, sigma = theta[0], theta[1], np.exp(theta[2])
    prior = stats.norm.logpdf([a, b], 0, 10).sum() + stats.halfnorm.logpdf(sigma, 0, 5)
    return float(prior + stats.norm.logpdf(data["weight"], a + b * data["age"], sigma).sum())


def points(n: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(n, 3))


@pytest.mark.parametrize("which", ["density", "served"])
def test_against_scipy(which, growth_data, request):
    f = request.getfixturevalue(which)
    x = points(11)
    own = np.array([by_scipy(growth_data, t) for t in x])
    assert np.allclose(f(x, jacobian=False), own, rtol=1e-12)
    assert np.allclose(f(x), own + x[:, 2], rtol=1e-12)  # sigma is the exponential of its coordinate
    constrained = f.constrain(x)
    assert np.allclose(constrained["sigma"], np.exp(x[:, 2]), rtol=1e-14) and np.array_equal(constrained["a"], x[:, 0])
    for jacobian in (True, False):
        gradient, h = f.gradient(x, jacobian=jacobian), 1e-6
        for k in range(3):
            step = h * np.eye(3)[k]
            slope = (f(x + step, jacobian=jacobian) - f(x - step, jacobian=jacobian)) / (2 * h)
            assert np.allclose(gradient[:, k], slope, rtol=1e-5, atol=1e-5)


def test_a_batch_is_its_points(density, served):
    x = points(37)
    for f in (density, served):
        value, gradient = f.value_and_gradient(x)
        one = [f.value_and_gradient(t) for t in x]
        assert np.array_equal(value, [v for v, _ in one]) and np.array_equal(gradient, [g for _, g in one])
        assert f(x.reshape(1, 37, 3)).shape == (1, 37) and isinstance(f(x[0]), float) and f(x[:0]).shape == (0,)
    assert np.allclose(density(x), served(x), rtol=1e-12)
    with pytest.raises(ValueError, match="a point has 3 coordinates"):
        density([1.0, 2.0])


def test_results_in_arrays_of_the_caller(density, served):
    x = points(37)
    for f in (density, served):
        want = f.value_and_gradient(x)
        out = np.full(37, np.nan), np.full((37, 3), np.nan)
        found = f.value_and_gradient(x, out=out)
        assert found[0] is out[0] and found[1] is out[1]
        assert np.array_equal(out[0], want[0]) and np.array_equal(out[1], want[1])
        out = np.empty(()), np.empty(3)
        f.value_and_gradient(x[5], out=out)
        assert out[0] == want[0][5] and np.array_equal(out[1], want[1][5])
    for values, gradients in [
        (np.empty(36), np.empty((37, 3))),
        (np.empty(37), np.empty((3, 37)).T),
        (np.empty(37, "f4"), np.empty((37, 3))),
        ([0.0] * 37, np.empty((37, 3))),
        (np.broadcast_to(0.0, 37), np.empty((37, 3))),
    ]:
        with pytest.raises(ValueError, match="the array for (values|gradients) must be"):
            density.value_and_gradient(x, out=(values, gradients))


def test_points_of_every_kind(density):
    """Points that are read-only, strided, of other types, or lists are those of a plain array."""
    x = np.round(points(9) * 8) / 8  # exact in single precision
    want = density.value_and_gradient(x)
    frozen = x.copy()
    frozen.flags.writeable = False
    wide = np.zeros((9, 6))
    wide[:, ::2] = x
    for form in (
        frozen,
        wide[:, ::2],
        np.asfortranarray(x),
        x.astype("f4"),
        x.tolist(),
        x.astype(">f8"),
        x[::-1][::-1],
    ):
        found = density.value_and_gradient(form)
        assert np.array_equal(found[0], want[0]) and np.array_equal(found[1], want[1])
        assert density.value_and_gradient(form[0])[0] == want[0][0]
    for wrong in (0.0, [], [[]], np.zeros((3, 4)), None):
        with pytest.raises((ValueError, TypeError)):
            density(wrong)


def test_unconstrain_is_the_inverse(density):
    x = points(1)[0]
    values = density.constrain(x)
    assert np.allclose(density.unconstrain(values), x, rtol=1e-12)
    with pytest.raises(ppl.PplError, match="sigma"):
        density.unconstrain({**values, "sigma": -1.0})


def test_threads(growth, growth_data, density):
    shared = growth.log_density(growth_data, threads=3)
    x = points(100)
    assert np.array_equal(shared(x), density(x))
    found = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: density.gradient(x)})) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(found[k], density.gradient(x)) for k in range(6))


def test_labels(groups):
    f = groups.log_density({"g": ["x", "y", "x"], "y": [1.0, 2, 3]})
    draws = adapters.to_xarray(f, np.zeros((2, 5, f.dimension)))
    assert list(draws["a"].coords["J"].values) == ["x", "y"] and draws["a"].shape == (2, 5, 2)


def test_mistakes(growth_data):
    with pytest.raises(ppl.ModelError):
        ppl.Model("x ~ Normal(0, s)\n").log_density()
    with pytest.raises(ppl.PplError, match="no parameters"):
        ppl.Model("data y\ny ~ Normal(0, 1)\n").log_density({"y": 1})


MODELS = [
    "eight_schools",
    "radon",
    "rats",
    "challenger",
    "stackloss",
    "pumps",
    "seeds",
    "nile",
    "lynx",
    "galaxies",
    "crash",
    "coal",
    "garch",
    "influenza",
    "curve",
    "exam",
]
SLOW = {
    "rats",
    "crash",
    "coal",
    "garch",
    "influenza",
    "curve",
    "exam",
    "galaxies",
    "lynx",
    "nile",
    "seeds",
    "stackloss",
}


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="without the examples")
@pytest.mark.parametrize("name", MODELS)
def test_examples_against_the_interpreter(name, monkeypatch):
    """The library and the graph's interpreter, two evaluators, agree: with rows, recurrences, factors, processes."""
    if name in SLOW and not os.environ.get("PPL_SLOW"):
        pytest.skip("PPL_SLOW=1 runs it")
    if not (EXAMPLES / f"{name}.ppl").exists():
        pytest.skip("no such example")
    monkeypatch.chdir(EXAMPLES.parent)
    model = ppl.Model(EXAMPLES / f"{name}.ppl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = model.log_density()
        x = f.initial(seed=1, points=3) / 4
        at = [model.logprob(f.constrain(t)) for t in x]
    for t, want in zip(x, at, strict=True):
        assert f(t, jacobian=False) == pytest.approx(want.log_prior + want.log_likelihood, rel=1e-9)
        assert np.allclose(f.unconstrain(f.constrain(t)), t, rtol=1e-8, atol=1e-8)
    h = 1e-6
    for k in range(min(f.dimension, 5)):
        step = h * np.eye(f.dimension)[k]
        slope = (f(x + step) - f(x - step)) / (2 * h)
        assert np.allclose(f.gradient(x)[:, k], slope, rtol=1e-4, atol=1e-4 * np.abs(f.gradient(x)).max())


C = """
#include "density.h"
#include <stdio.h>
int main(void) {
  double theta[3] = {0.5, 1.5, 0}, value, gradient[3], values[3];
  ppl_density *d = ppl_open();
  if (!d || ppl_abi() != PPL_ABI || ppl_dimension() != 3 || ppl_values() != 3) return 1;
  ppl_log_density(d, 1, theta, &value, gradient, 1);
  ppl_constrain(d, 1, theta, values);
  printf("%.17g %.17g %.17g\\n", value, gradient[1], values[2]);
  ppl_close(d);
  return 0;
}
"""


def test_from_c(density, tmp_path):
    """A program in C calls the library by its header."""
    library = density._scratch.path / "density.so"
    (tmp_path / "main.c").write_text(C)
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-pedantic", f"-I{library.parent}", "main.c", str(library), "-o", "main"],
        cwd=tmp_path,
        check=True,
    )
    out = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split()
    value, gradient = density.value_and_gradient([0.5, 1.5, 0])
    assert [float(x) for x in out] == [value, gradient[1], 1.0]


def test_scipy(density, growth, growth_data):
    found = adapters.minimize(density)
    assert found.success and np.abs(density.gradient(found.x)).max() < 1e-2
    mode = growth.optimize(growth_data, seed=1, jacobian=True).values()
    assert density.constrain(found.x)["b"] == pytest.approx(mode["b"], rel=1e-3)


def means(run: ppl.Run) -> dict[str, tuple[float, float]]:
    return {name: (row["mean"], row["sd"]) for name, row in run.summary.iterrows()}


@pytest.mark.slow
def test_nutpie(density, run):
    nutpie = pytest.importorskip("nutpie")
    trace = nutpie.sample(adapters.nutpie_model(density), draws=500, tune=400, chains=2, seed=1, progress_bar=False)
    for name, (mean, sd) in means(run).items():
        assert abs(float(trace.posterior[name].mean()) - mean) < 0.25 * sd


@pytest.mark.slow
def test_blackjax_and_numpyro(run):
    pytest.importorskip("blackjax")
    pytest.importorskip("numpyro")
    # JAX is asked for double precision before anything else uses it
    code = f"""
    import sys
    sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
    import jax, numpy as np
    jax.config.update("jax_enable_x64", True)
    import blackjax, numpyro, ppl_lang as ppl
    from ppl_lang import adapters
    rng = np.random.default_rng(1)
    age = rng.uniform(0, 4, 40)
    data = {{"age": age, "weight": 1 + 2 * age + rng.normal(0, 0.5, 40)}}
    f = ppl.Model({GROWTH!r}).log_density(data)
    g = adapters.jax_log_density(f)
    x = rng.normal(size=(4, 3))
    assert np.array_equal(jax.vmap(g)(x), f(x)) and np.array_equal(jax.jit(jax.vmap(jax.grad(g)))(x), f.gradient(x))
    key, start = jax.random.key(1), f.initial(1)
    (state, settings), _ = blackjax.window_adaptation(blackjax.nuts, g).run(key, start, 300)
    step = jax.jit(blackjax.nuts(g, **settings).step)
    draws = []
    for k in jax.random.split(key, 400):
        state, _ = step(k, state)
        draws.append(np.asarray(state.position))
    print(*np.mean(draws, axis=0))
    from numpyro.infer import MCMC, NUTS
    mcmc = MCMC(NUTS(potential_fn=lambda t: -g(t)), num_warmup=300, num_samples=400, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(1), init_params=jax.numpy.asarray(start))
    print(*np.mean(np.asarray(mcmc.get_samples()), axis=0))
    """
    import textwrap

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    want = means(run)
    for line in done.stdout.strip().splitlines():
        a, b, _ = map(float, line.split())
        assert abs(a - want["a"][0]) < 0.4 * want["a"][1] and abs(b - want["b"][0]) < 0.4 * want["b"][1]
