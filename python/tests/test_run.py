"""What can be asked of runs, and what other programs read of them."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import sampled

import ppl_lang as ppl

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")
az = pytest.importorskip("arviz")
pytest.importorskip("zarr")

OLD = az.__version__.startswith("0.")


def test_interrupted_without_a_summary(run):
    answer = ppl._call.Answer(130, "", [], [])
    with pytest.warns(ppl.SamplingWarning, match="interrupted: the first"):
        again = ppl.Run._sampled(run.path, answer, None)
    assert again.interrupted and again.summary.equals(run.summary)


def test_summary_agrees_with_arviz(run):
    table = run.summary
    assert list(table.index) == ["a", "b", "sigma"]
    ess = az.ess(run.inference_data if OLD else run.tree)
    for name in table.index:
        draws = run[name].values
        assert table.loc[name, "mean"] == pytest.approx(draws.mean(), rel=1e-12)
        assert table.loc[name, "sd"] == pytest.approx(draws.std(ddof=1), rel=1e-12)
        found = ess[name] if OLD else ess["posterior"][name] if "posterior" in ess else ess[name]
        assert table.loc[name, "ess_bulk"] == pytest.approx(float(found), rel=1e-6)
    hdi = run.summarize("b", ci="hdi95")
    assert {"hdi95_lo", "hdi95_hi"} <= set(hdi.columns) and "q5" not in hdi.columns
    assert list(run.summarize(quantiles=[0.1, 0.9]).columns).count("q10") == 1


def test_queries(run):
    table = run.query("P(b > 0)", "a + b", "b - a")
    assert table.loc[("P(b > 0)", ""), "mean"] == 1
    assert table.loc[("a + b", ""), "mean"] == pytest.approx(float((run["a"] + run["b"]).mean()), rel=1e-12)
    with pytest.raises(ppl.PplError) as caught:
        run.query("sgima + 1")
    assert caught.value.code == "E10"


def test_draws(run):
    frame = run.draws()
    assert frame.shape == (2000, 3) and frame.index.names == ["chain", "draw"]
    assert np.array_equal(frame["a"].to_numpy().reshape(4, 500), run["a"].values)
    assert list(run) == ["a", "b", "sigma"] and "a" in run and "c" not in run
    with pytest.raises(KeyError, match="no variable 'c'; it has a, b, sigma"):
        run["c"]


def test_labels_are_coordinates(groups):
    run = sampled(groups, {"g": ["x y", "é", "x y"], "y": [1.0, 2, 3]})
    assert run["a"].sel(J="é").shape == (2, 40)
    assert "a[x y]" in run.summary.index
    assert run.query('a["é"] - a["x y"]')["mean"].iloc[0] == pytest.approx(
        float((run["a"].sel(J="é") - run["a"].sel(J="x y")).mean()), rel=1e-12
    )


def test_predictions(growth, growth_data):
    run = growth.sample(growth_data, seed=1, draws=500, warmup=500)
    table = run.predict(pd.DataFrame({"age": [1.0, 2.0, 3.0]}))
    assert len(table) == 3 and table["mean"].tolist() == pytest.approx([3, 5, 7], abs=0.6)
    assert run.predictions["weight"].shape == (4, 500, 3)
    assert table["mean"].tolist() == pytest.approx(run.predictions["weight"].mean(["chain", "draw"]).values, rel=1e-9)
    expected = run.predict(pd.DataFrame({"age": [1.0, 2.0, 3.0]}), expected=True)
    assert expected["mean"].tolist() == pytest.approx(table["mean"].tolist(), abs=0.1)
    assert (expected["sd"] < table["sd"] / 2).all()
    again = run.predict()
    assert len(again) == 40 and run.group("posterior_predictive")["weight"].shape == (4, 500, 40)
    assert again["mean"].to_numpy() == pytest.approx(growth_data["weight"], abs=2)
    scores = run.score(growth_data)
    assert scores["RMSE"] == pytest.approx(0.5, abs=0.15)
    with pytest.raises(ppl.PplError):
        run.predict(pd.DataFrame({"height": [1.0]}))
    with pytest.raises(ppl.PplError, match="no outcomes"):
        run.score(pd.DataFrame({"age": [1.0]}))
    with pytest.raises(KeyError, match="no group 'prior'"):
        run.group("prior")


def test_new_groups_are_predicted(groups):
    run = sampled(groups, {"g": ["x", "y"], "y": [1.0, 2]}, draws=200)
    table = run.predict({"g": ["x", "new"]})
    assert table["sd"].iloc[1] > table["sd"].iloc[0]
    shown = run.effects("g")
    assert shown["g"].tolist() == ["x", "y"]
    assert shown["mean"].iloc[1] == pytest.approx(run.predict({"g": ["y"]}, expected=True)["mean"].iloc[0], rel=1e-9)
    less = run.effects("g", contrasts=True)
    assert less["reference"].tolist() == ["x"]
    assert less["mean"].iloc[0] == pytest.approx(shown["mean"].iloc[1] - shown["mean"].iloc[0], rel=1e-9)
    zero = run.predict({"g": ["x", "new"]}, new_levels="zero")
    assert zero["sd"].iloc[1] < table["sd"].iloc[1]
    with pytest.raises(ppl.PplError, match="groups that the run did not have"):
        run.predict({"g": ["x", "new"]}, new_levels="refuse")


def test_loo_and_comparison(growth, growth_data, run):
    loo = run.loo()
    found = loo.arviz
    elpd = float(found.elpd_loo if OLD else found.elpd)
    assert loo.elpd_loo == pytest.approx(elpd, abs=1e-3) and len(loo.pointwise) == 40
    flat = ppl.Model(
        "data weight[N], age[N]\na ~ Normal(0, 10)\nsigma ~ HalfNormal(5)\nweight[i in N] ~ Normal(a, sigma)\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = flat.sample(growth_data, seed=1, draws=300)
    table = ppl.compare(line=run, flat=other)
    assert list(table.index) == ["line", "flat"] and table.loc["flat", "elpd_diff"] != 0
    assert table["weight"].sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="at least two"):
        ppl.compare(run)


def test_evidence_of_a_known_integral():
    """The mean of a normal with a normal prior: the marginal likelihood is a multivariate normal."""
    stats = pytest.importorskip("scipy.stats")
    y = np.array([0.5, 1.5, -0.2])
    model = ppl.Model("data y[N]\nm ~ Normal(0, 2)\ny[i in N] ~ Normal(m, 1)\n")
    found = model.evidence({"y": y}, seed=1)
    exact = stats.multivariate_normal.logpdf(y, np.zeros(3), np.eye(3) + 4)
    assert abs(found.log_evidence - exact) < max(5 * found.se, 0.01)


def test_pictures_and_pages(run, tmp_path):
    picture = run.plot("pairs", "a", "b")
    assert picture._repr_svg_().lstrip().startswith("<") and picture.png.startswith(b"\x89PNG")
    run.plot("trace", "a", out=tmp_path / "t.png")
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="as .svg or .png"):
        picture.save(tmp_path / "t.gif")
    with pytest.raises(ppl.PplError, match="trace"):
        run.plot("nothing")
    assert "<html" in run.report(tmp_path / "page.html").read_text()
    assert "Run" in run._repr_html_() and "<table" in run._repr_html_()


def test_saved_and_loaded(growth, growth_data, tmp_path):
    run = growth.sample(growth_data, seed=1, draws=200, warmup=200)
    kept = run.save(tmp_path / "kept.run")
    with pytest.raises(ppl.RunError, match="exists already"):
        run.save(tmp_path / "kept.run")
    del run
    found = ppl.load(tmp_path / "kept.run")
    assert found.model == growth.text and found["a"].shape == (4, 200)
    assert len(found.predict({"age": [1.0]})) == 1 and found.loo().bad_rows == 0
    found.resume(draws=300)
    assert found["a"].shape == (4, 300) and found.status == "finished"
    assert [r.path for r in ppl.runs(tmp_path)] == [kept.path]


def test_runs_that_are_gone(growth, growth_data, tmp_path):
    with pytest.raises(ppl.RunError, match="there is no run in"):
        ppl.load(tmp_path / "nothing.run")
    run = sampled(growth, growth_data, out=tmp_path / "g.run")
    shutil.rmtree(run.path)
    for ask in (lambda: run["a"], lambda: run.summary, lambda: run.tree, run.predict, lambda: repr(run)):
        with pytest.raises((ppl.RunError, ppl.ModelError), match="no run|run"):
            ask()


def test_a_run_that_is_deleted_while_it_is_read(growth, growth_data, tmp_path, monkeypatch):
    run = sampled(growth, growth_data, out=tmp_path / "g.run")
    read = xr.open_dataset

    def and_delete(*a, **k):
        found = read(*a, **k)
        shutil.rmtree(run.path, ignore_errors=True)
        return found

    monkeypatch.setattr(xr, "open_dataset", and_delete)
    with pytest.raises(ppl.RunError):
        run["a"]


@pytest.fixture(scope="module")
def divergent() -> ppl.Run:
    model = ppl.Model(
        "data y[N] = [1, 2, 0], s[N] = [3, 2, 4]\ntau ~ HalfCauchy(5)\nmu ~ Normal(0, 5)\n"
        "theta[i in N] ~ Normal(mu, tau)\ny[i in N] ~ Normal(theta[i], s[i])\n"
    )
    return sampled(model, None, draws=200, warmup=100, sampler="hmc", step_size=0.9, chains=4)


PLOTS_OLD = [
    "plot_trace",
    "plot_posterior",
    "plot_forest",
    "plot_rank",
    "plot_autocorr",
    "plot_ess",
    "plot_energy",
    "plot_pair",
    "plot_parallel",
    "plot_density",
    "plot_violin",
    "plot_mcse",
]
PLOTS_NEW = [
    "plot_trace_dist",
    "plot_dist",
    "plot_forest",
    "plot_rank",
    "plot_autocorr",
    "plot_ess",
    "plot_energy",
    "plot_pair",
    "plot_parallel",
    "plot_trace",
    "plot_mcse",
    "plot_ess_evolution",
]


@pytest.mark.parametrize("name", PLOTS_OLD if OLD else PLOTS_NEW)
@pytest.mark.parametrize("which", ["run", "divergent"])
def test_plots_of_arviz(name, which, request):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    run = request.getfixturevalue(which)
    if not hasattr(az, name):
        pytest.skip(f"ArviZ has no {name}")
    data = run.inference_data if OLD else run.tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "plot_pair" and OLD:
            az.plot_pair(data, divergences=True)
        elif name == "plot_parallel" and not OLD and which == "run":
            pytest.skip("parallel coordinates of a run without divergences have nothing to compare")
        else:
            getattr(az, name)(data)
    plt.close("all")


def test_cmdstanpy_reads_the_export(run, tmp_path):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    run.export(tmp_path / "g", format="cmdstan-csv")
    fit = cmdstanpy.from_csv([str(tmp_path / f"g_{k}.csv") for k in range(1, 5)])
    assert fit.draws().shape == (500, 4, 10)
    assert np.array_equal(fit.stan_variable("a"), run["a"].values.reshape(-1))
    assert float(az.ess(fit.draws(concat_chains=False)[:, :, 7].T)) == pytest.approx(
        run.summary.loc["a", "ess_bulk"], rel=1e-6
    )


def test_r_reads_the_export(groups, tmp_path):
    """Rstan and posterior find the draws, the divergences, and the effective sizes that ppl and ArviZ find."""
    script = Path(__file__).with_name("export.R")
    has = ["Rscript", "-e", "library(rstan); library(posterior)"]
    if shutil.which("Rscript") is None or subprocess.run(has, capture_output=True, check=False).returncode != 0:
        pytest.skip("R is not installed with rstan and posterior")
    run = sampled(groups, {"g": ["x y", "é", "x y", "é"], "y": [1.0, 2, 3, 2.5]}, draws=300, warmup=200, chains=3)
    run.export(tmp_path / "g", format="cmdstan-csv", log_lik=True)
    files = sorted(map(str, tmp_path.glob("g_*.csv")))
    done = subprocess.run(["Rscript", script, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = pd.read_csv(io.StringIO(done.stdout), index_col="variable")
    assert set(found.draws) == {900} and set(found.chains) == {3} and set(found.divergent) == {run.divergences}
    for ours, theirs in {"mu": "mu", "a[x y]": "a[1]", "a[é]": "a[2]"}.items():
        row, summary = found.loc[theirs], run.summary.loc[ours]
        for column, name in {"mean": "mean", "ess_bulk": "ess_bulk", "ess_tail": "ess_tail", "rhat": "rhat"}.items():
            assert row[column] == pytest.approx(summary[name], rel=1e-6), (ours, column)
        assert row.n_eff == pytest.approx(summary.ess_bulk, rel=0.3)
    assert [name for name in found.index if name.startswith("log_lik")] == [f"log_lik[{k}]" for k in range(1, 5)]


@pytest.mark.parametrize("group", ["posterior", "log_likelihood", "posterior_predictive", "predictions"])
def test_groups_are_read_by_others(group, growth, growth_data, tmp_path):
    """Every group is the same in netCDF, Zarr, Parquet, CSV and JSON, as the libraries for these read it."""
    netCDF4, zarr = pytest.importorskip("netCDF4"), pytest.importorskip("zarr")
    run = sampled(growth, growth_data)
    run.predict()
    run.predict({"age": [1.0, 2.0, 3.0]})
    name = "a" if group == "posterior" else "weight"
    want = run.group(group)[name].values
    assert want.shape == (2, 40, *{"posterior": [], "predictions": [3]}.get(group, [40]))
    run.export(tmp_path / "all.nc")
    for engine in ("netcdf4", "h5netcdf"):
        with xr.open_dataset(tmp_path / "all.nc", group=group, engine=engine) as found:
            assert np.array_equal(found[name].values, want) and found[name].dims[:2] == ("chain", "draw")
    with netCDF4.Dataset(tmp_path / "all.nc") as found:
        assert np.array_equal(found[f"{group}/{name}"][:], want)
    with xr.open_datatree(tmp_path / "all.nc", engine="netcdf4") as tree:
        assert np.array_equal(tree[group][name].values, want)
    assert np.array_equal(zarr.open(run.path, mode="r")[f"{group}/{name}"][:], want)
    with xr.open_datatree(run.path, engine="zarr") as tree:
        assert np.array_equal(tree[group][name].values, want)
    run.export(tmp_path / "g.parquet", group=group)
    run.export(tmp_path / "g.csv", group=group)
    run.export(tmp_path / "g.json", group=group)
    flat = want.reshape(80, -1)
    for frame in (pd.read_parquet(tmp_path / "g.parquet"), pd.read_csv(tmp_path / "g.csv")):
        columns = [c for c in frame.columns if c == name or c.startswith(f"{name}[")]
        assert np.allclose(frame[columns].to_numpy(), flat, rtol=1e-15)
    assert np.array_equal(json.loads((tmp_path / "g.json").read_text())[name], want)


def test_parameters_named_as_coordinates(tmp_path):
    model = ppl.Model(
        "data y = 0.5\nchain ~ Normal(0, 1)\ndraw[k in 1..2] ~ Normal(0, 1)\ny ~ Normal(chain + draw[1], 1)\n"
    )
    run = sampled(model, None)
    assert run["chain"].shape == (2, 40) and run["draw"].shape == (2, 40, 2)
    assert np.array_equal(run.draws()["chain_"].to_numpy().reshape(2, 40), run["chain"].values)
    run.export(tmp_path / "d.parquet")
    table = pd.read_parquet(tmp_path / "d.parquet")
    assert list(table.columns) == ["chain", "draw", "chain_", "draw[1]", "draw[2]"]
    assert np.array_equal(table["draw[2]"].to_numpy().reshape(2, 40), run["draw"].values[:, :, 1])
    assert list(run.summary.index) == ["chain", "draw[1]", "draw[2]"] and run.query("chain")["mean"].notna().all()


def test_exports_that_fail_leave_nothing(run, tmp_path):
    with pytest.raises((ppl.PplError, ppl.RunError), match="predictions"):
        run.export(tmp_path / "p.nc", group="predictions", format="csv")
    with pytest.raises(ppl.PplError, match="unknown format"):
        run.export(tmp_path / "p.xlsx", format="xlsx")
    assert not list(tmp_path.iterdir())


def test_elements(groups):
    run = sampled(groups, {"g": ["x,y", "é", "x,y"], "y": [1.0, 2, 3]})
    for name in run.summary.index:
        assert float(run[name].mean()) == pytest.approx(run.summary.loc[name, "mean"], rel=1e-12)
    with pytest.raises(KeyError, match=r"a has no element \[z\]"):
        run["a[z]"]


def test_pictures_of_replicates_draw_these(growth, growth_data):
    run = sampled(growth, growth_data)
    assert "posterior_predictive" not in run.groups
    assert "<svg" in run.plot("ppc").svg and "posterior_predictive" in run.groups


def test_texts_are_for_python(growth, growth_data):
    """No message names a temporary file, or a flag of the command line."""
    with pytest.warns(ppl.SamplingWarning) as caught:
        run = growth.sample(growth_data, seed=1, draws=20, warmup=20)
    for text in [str(w.message) for w in caught] + [str(run.diagnose()["model"]), str(run.posterior.attrs)]:
        assert "ppl-" not in text.replace("ppl-lang", "") and not re.search(r"\(?--[a-z]", text), text
    assert "draws=" in " ".join(str(w.message) for w in caught) or "warmup" in str(caught[-1].message)
    texts = [text for topic in run.diagnose()["topics"] for w in topic["warnings"] for text in texts_of(w)]
    assert texts and not any("--" in text for text in texts), texts
    with pytest.raises(ppl.RunError, match="there is no picture"):
        run.plot("nothing")


def texts_of(value: object) -> list[str]:
    """Return the texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for x in inner for text in texts_of(x)]
