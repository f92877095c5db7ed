"""Runs: draws of a model, with summaries, diagnostics, predictions and plots."""

from __future__ import annotations

import itertools
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppl_lang import _call, _data
from ppl_lang._data import Data
from ppl_lang._files import Scratch
from ppl_lang._progress import Show
from ppl_lang._tables import DataFrame, number, parts, read_csv, require, table
from ppl_lang.errors import DataError, Interrupted, RunError, SamplingWarning

if TYPE_CHECKING:
    from ppl_lang.results import LOO, Evidence

__all__ = ["Picture", "Run", "compare", "load", "runs"]


# Kinds of pictures that compare the data with replicated data.
_OF_REPLICATES = frozenset({"ppc", "ppc-stat", "ppc-group", "loo-pit", "calibration"})


class Picture:
    """A picture, which notebooks display.

    Attributes
    ----------
    svg : str
        The picture as SVG.
    png : bytes
        The picture as PNG.
    """

    def __init__(self, svg: str, png: bytes) -> None:
        self.svg, self.png = svg, png

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg):,} characters of SVG; save('picture.png') writes it to a file>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file that ends in ``.svg`` or ``.png``."""
        path = Path(path)
        if path.suffix == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        elif path.suffix == ".png":
            path.write_bytes(self.png)
        else:
            raise ValueError(f"pictures are saved as .svg or .png, not as {path.suffix or path.name!r}")
        return path


class Run:
    """A run directory: the draws of a model, with the model and the options next to them.

    Parameters
    ----------
    path : path
        The directory of the run.

    Raises
    ------
    RunError
        If there is no run in the directory.

    Notes
    -----
    Other programs can read a run, too: it is a Zarr store in the layout of InferenceData.
    """

    def __init__(self, path: str | os.PathLike[str], *, _scratch: Scratch | None = None) -> None:
        self.path = str(Path(path).absolute())
        self.interrupted = False
        self._scratch = _scratch
        self._cache: dict[str, Any] = {}
        self._about()

    @classmethod
    def _sampled(cls, path: str, answer: _call.Answer, scratch: Scratch | None) -> Run:
        """Return a new run, and raise warnings about its draws."""
        interrupted = answer.exit_code == _call.INTERRUPTED
        draws = cls._kept(path) if interrupted else 0
        if interrupted and not draws:
            raise Interrupted("interrupted before every chain had a draw: there are no draws yet")
        run = cls(path, _scratch=scratch)
        run.interrupted = interrupted
        # An interrupted process omits the summary if it takes more than a moment.
        summary = answer.json() if answer.text.strip() else {}
        if run.interrupted:
            warnings.warn(
                f"interrupted: the first {draws} draws of each chain are kept; Run.resume adds the others",
                SamplingWarning,
                stacklevel=3,
            )
        for w in summary.get("warnings") or []:
            warnings.warn(_warning_text(w), SamplingWarning, stacklevel=3)
        return run

    @staticmethod
    def _kept(path: str) -> int:
        """Return the number of draws per chain in a run directory."""
        try:
            about = json.loads(Path(path, "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return 0
        return int(min(about.get("draws_written") or [0]))

    def _about(self) -> dict[str, Any]:
        """Read the metadata of the run."""
        try:
            text = Path(self.path, "run.json").read_text(encoding="utf-8")
            about: dict[str, Any] = json.loads(text)
        except FileNotFoundError:
            raise RunError(f"there is no run in {self.path}") from None
        except (OSError, ValueError) as error:
            raise RunError(f"the run in {self.path} cannot be read: {error}") from error
        return about

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the path. A temporary run exists only as long as the process that created it needs it."""
        return Run, (self.path,)

    def __repr__(self) -> str:
        about = self._about()
        chains = len(about.get("draws_written") or [])
        return f"<Run {Path(self.path).name}: {chains} chains of {about.get('draws', 0)} draws, {about['status']}>"

    def _repr_html_(self) -> str:
        import html

        try:
            shown = self.summary._repr_html_()
        except ImportError:
            shown = ""
        return f"<p>{html.escape(repr(self))}</p>{shown}"

    # Location.

    def save(self, path: str | os.PathLike[str]) -> Run:
        """Copy the run to a new directory, and return the copy.

        Parameters
        ----------
        path : path
            The new directory, such as ``growth.run``.
        """
        import shutil

        target = Path(path).absolute()
        if target.exists():
            raise RunError(f"{target} exists already: choose another name")
        try:
            shutil.copytree(self.path, target)
        except (OSError, shutil.Error) as error:
            shutil.rmtree(target, ignore_errors=True)
            raise RunError(f"the run cannot be copied to {target}: {error}") from error
        return Run(target)

    @property
    def status(self) -> str:
        """``finished``, ``interrupted``, ``running`` or ``failed``."""
        return str(self._about()["status"])

    @property
    def model(self) -> str:
        """The text of the model."""
        return Path(self.path, "model.ppl").read_text(encoding="utf-8")

    # Tables.

    def _summary(self, *names: str, **options: Any) -> dict[str, Any]:
        flags = [f"--{k}={v}" for k, v in options.items() if v is not None]
        found: dict[str, Any] = _call.call("summary", self.path, *names, "--all", "--json", *flags).json()
        return found

    @property
    def summary(self) -> DataFrame:
        """A DataFrame with a row for each element: mean, sd, mcse_mean, q5, q50, q95, ess_bulk, ess_tail, rhat."""
        return table(self._summary()["parameters"], "name")

    def summarize(
        self, *names: str, quantiles: Sequence[float] | None = None, ci: str | None = None, sort: str | None = None
    ) -> DataFrame:
        """Summarise some variables or elements, with chosen quantiles or intervals.

        Parameters
        ----------
        *names : str
            Variables or elements, such as ``"a"`` or ``"a[HENNEPIN]"``; all if there are none.
        quantiles : list of float, optional
            Quantiles instead of .05, .5 and .95.
        ci : str, optional
            ``"hdi95"`` for the shortest interval with 95 % of the draws, ``"eti90"`` for one with equal tails.
        sort : str, optional
            The column to sort by.
        """
        marks = ",".join(map(str, quantiles)) if quantiles is not None else None
        rows = []
        for row in self._summary(*names, quantiles=marks, ci=ci, sort=sort)["parameters"]:
            asked = row.pop("asked", None) or {}
            rows.append({k: v for k, v in row.items() if not (asked and k in {"q5", "q50", "q95"})} | asked)
        return table(rows, "name")

    @property
    def usable(self) -> bool:
        """Whether diagnostics found no problem that makes the draws unusable."""
        return bool(self._summary()["usable"])

    @property
    def divergences(self) -> int:
        """The number of divergent trajectories after warmup."""
        return int(self._summary()["divergences"])

    def diagnose(self) -> dict[str, Any]:
        """Diagnose the run, with advice.

        Returns
        -------
        dict
            ``usable``, and ``topics``, each with ``name``, ``facts`` and ``warnings``. Advice names arguments of
            this package.
        """
        found: dict[str, Any] = _call.call("diagnose", self.path, "--json", accept=(0, 3)).json()
        return dict(_call.map_texts(_call.all_readable(found), _call.for_python))

    # Draws.

    def _changed(self) -> tuple[int, int]:
        """Return a mark that changes with the files of the run."""
        try:
            stat = os.stat(os.path.join(self.path, ".zmetadata"))
        except OSError:
            raise RunError(f"there is no run in {self.path}") from None
        return stat.st_mtime_ns, stat.st_size

    @property
    def groups(self) -> list[str]:
        """The names of the groups that the run has, such as ``posterior`` and ``log_likelihood``."""
        try:
            text = Path(self.path, ".zmetadata").read_text(encoding="utf-8")
            keys = json.loads(text)["metadata"]
        except (OSError, ValueError, KeyError) as error:
            raise RunError(f"the run in {self.path} cannot be read: {error}") from error
        return [key.removesuffix("/.zgroup") for key in keys if key.endswith("/.zgroup")]

    def _read(self, group: str, name: str | None = None) -> Any:
        """Read a group, or one of its variables, into memory.

        Missing chunks would be read as NaN, so a run that changed or was deleted during the read is an error.
        """
        xr = require("xarray", "the draws of a run", "arviz")
        require("zarr", "the draws of a run", "arviz")
        stamp = self._changed()
        if self._cache.get("stamp") != stamp:
            self._cache = {"stamp": stamp}
        if group in self._cache:
            found = self._cache[group]
            return found if name is None else found[name]
        try:
            with xr.open_dataset(self.path, engine="zarr", group=group, chunks=None) as opened:
                found = opened.load() if name is None else opened[name].load()
                if "model_name" in found.attrs:
                    found.attrs["model_name"] = _call.readable(found.attrs["model_name"])
        except KeyError:
            raise
        except Exception as error:
            raise RunError(f"the run in {self.path} cannot be read: {error}") from error
        if self._changed() != stamp:
            raise RunError(f"the run in {self.path} was written or deleted while it was read")
        if name is None:
            self._cache[group] = found
        return found

    @property
    def tree(self) -> Any:
        """The run as an ``xarray.DataTree`` in memory, which ArviZ 1 reads; labels are coordinates."""
        xr = require("xarray", "the draws of a run", "arviz")
        return xr.DataTree.from_dict({name: self._read(name) for name in self.groups})

    @property
    def inference_data(self) -> Any:
        """The run as ``arviz.InferenceData`` for ArviZ 0.2x; with ArviZ 1 the same as `tree`."""
        az = require("arviz", "InferenceData", "arviz")
        tree = self.tree
        return tree if _arviz_of_trees() else az.InferenceData.from_datatree(tree)

    def group(self, name: str) -> Any:
        """Return a group of the run as an ``xarray.Dataset``.

        Parameters
        ----------
        name : str
            A name such as ``posterior``, ``sample_stats``, ``log_likelihood`` or ``posterior_predictive``.
        """
        if name not in self.groups:
            hint = {"posterior_predictive": "; Run.predict() draws it", "predictions": "; Run.predict(data) draws it"}
            raise KeyError(f"the run has no group {name!r}; it has {', '.join(self.groups)}{hint.get(name, '')}")
        return self._read(name)

    @property
    def posterior(self) -> Any:
        """The draws as an ``xarray.Dataset``. For a run from the prior, these are draws from the prior."""
        return self.group(self._own)

    @property
    def _own(self) -> str:
        return "posterior" if "posterior" in self.groups else "prior"

    @property
    def variables(self) -> list[str]:
        """The names of the variables of the posterior, or of the prior for a run from the prior."""
        layout = json.loads(Path(self.path, "layout.json").read_text(encoding="utf-8"))
        return [v["name"] for v in layout.get(self._own) or []]

    def __getitem__(self, name: str) -> Any:
        """Return the draws of a variable or an element such as ``a[Gentoo]`` as an ``xarray.DataArray``.

        Labels are coordinates.
        """
        try:
            return self._read(self._own, f"{name}_" if name in {"chain", "draw"} else name)
        except KeyError:
            array, places = parts(name)
            if places and array in self.variables:
                return _element(self[array], places)
            raise KeyError(f"the run has no variable {name!r}; it has {', '.join(self.variables)}") from None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the variables."""
        return iter(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self.variables

    def draws(self, *names: str) -> DataFrame:
        """Return draws as a DataFrame, with a row for each draw and a column for each element.

        Parameters
        ----------
        *names : str
            Variables or elements; all if there are none.
        """
        with Scratch() as folder:
            _call.call("export", self.path, *names, "--format", "csv", "--out", folder / "draws.csv")
            with open(folder / "draws.csv", encoding="utf-8", newline="") as file:
                frame = read_csv(file)
        return frame.astype({"chain": int, "draw": int}).set_index(["chain", "draw"])

    # Queries.

    def query(self, *questions: str) -> DataFrame:
        """Evaluate expressions of the language at every draw.

        Parameters
        ----------
        *questions : str
            Expressions such as ``"exp(b)"``, ``"P(tau > 3)"`` or ``'a["X"] - a["Y"]'``.

        Returns
        -------
        pandas.DataFrame
            A row for each element of each expression.
        """
        if not questions:
            raise ValueError("a question is missing, such as 'P(tau > 3)'")
        rows = []
        for query in _call.call("query", self.path, "--json", *questions).json()["queries"]:
            for element in query["elements"]:
                name = element.pop("name") or ""
                rows.append({"query": query["query"], "element": name, **element})
        frame = table(rows)
        return frame.dropna(axis="columns", how="all").set_index(["query", "element"])

    def effects(
        self,
        term: str,
        *,
        at: Mapping[str, object] | None = None,
        new_levels: str = "zero",
        of: str | None = None,
        contrasts: bool = False,
    ) -> DataFrame:
        """Compute how the expected outcome depends on one or two predictors.

        Other predictors are at their mean or their first level. Group effects are those of a new group, at their
        mean 0.

        Parameters
        ----------
        term : str
            A predictor, or two as in ``"x:f"``, which varies x for each level of f.
        at : dict, optional
            Values of other predictors by name.
        new_levels : str
            ``"zero"``, or ``"sample"`` for draws of the effects of a new group.
        of : str, optional
            The outcome, if there are several.
        contrasts : bool
            Whether to return differences from the first value of the term.

        Returns
        -------
        pandas.DataFrame
            A row for each value: mean, sd and quantiles over the draws.
        """
        flags = ["--new-levels", new_levels] + ([] if of is None else ["--of", of])
        for name, value in (at or {}).items():
            flags += ["--at", f"{name}={value}"]
        answer = _call.call("effects", self.path, term, "--json", *flags).json()
        rows = []
        for place in answer.get("contrasts", []) if contrasts else answer["effects"]:
            less = place.pop("less", None)
            reference = {} if less is None else {"reference": next(iter(less.values()))}
            rows.append({**place.pop("at"), **reference, **place})
        return table(rows)

    def predict(
        self,
        data: Data = None,
        *,
        thin: int = 1,
        seed: int | None = None,
        held_out: bool = False,
        expected: bool = False,
        new_levels: str = "sample",
    ) -> DataFrame:
        """Draw new data at each draw.

        Parameters
        ----------
        data : Data, optional
            New rows, see `Model.sample`: the data that the model reads, without the outcomes. By default, outcomes
            are drawn for the data of the run.
        thin : int
            Predict at every `thin`-th draw.
        seed : int, optional
            The seed; that of the run by default.
        held_out : bool
            Predict the rows that the model's data statements hold out.
        expected : bool
            Return the expected value of each outcome given the parameters of each draw, not a random outcome.
        new_levels : str
            How to treat new groups: draw their parameters (``"sample"``), use their mean (``"zero"``), or raise an
            error (``"refuse"``).

        Returns
        -------
        pandas.DataFrame
            A row for each element: mean, sd and quantiles. `predictions` has all draws; for the data of the run,
            ``group("posterior_predictive")`` has.
        """
        flags = ["--quiet"] + ([] if seed is None else ["--seed", str(seed)])
        if expected:
            flags.append("--expected")
        elif data is None and not held_out:
            _call.call("predict", self.path, *flags)
            return _summary_of(self.group("posterior_predictive"))
        flags += ["--new-levels", new_levels] + (["--held-out"] if held_out else [])
        with Scratch() as folder:
            given = _data.arguments(data, folder, self._reads)
            answer = _call.call("predict", self.path, "--csv", "--thin", thin, *flags, *given)
        return _prediction(answer.text)

    def score(self, data: Data = None, *, thin: int = 1, held_out: bool = False) -> dict[str, float]:
        """Score predictions of new rows with known outcomes.

        Parameters
        ----------
        data : Data, optional
            New rows with outcomes.
        thin : int
            Predict at every `thin`-th draw.
        held_out : bool
            Score the rows that the model's data statements hold out.

        Returns
        -------
        dict
            Scores by name, such as RMSE and CRPS for numbers, and accuracy and log likelihood for classes.
        """
        flags = ["--held-out"] if held_out else []
        with Scratch() as folder:
            given = _data.arguments(data, folder, self._reads)
            if not given and not held_out:
                raise DataError("new rows with their outcomes are missing: give data, or held_out=True")
            found: dict[str, float] = _call.call(
                "predict", self.path, "--json", "--quiet", "--thin", thin, *flags, *given
            ).json()
        return found

    @property
    def predictions(self) -> Any:
        """The draws of the last predictions for new data, as an ``xarray.Dataset``."""
        return self.group("predictions")

    def _reads(self) -> frozenset[str] | None:
        layout = json.loads(Path(self.path, "layout.json").read_text(encoding="utf-8"))
        names = {
            v["name"]
            for key in ("observed_data", "constant_data", "observed", "constant")
            for v in layout.get(key) or []
        }
        return frozenset(names) or None

    def loo(self, of: str | None = None, *, refit: bool = False) -> LOO:
        """Estimate out-of-sample predictive performance by leave-one-out cross-validation.

        Parameters
        ----------
        of : str, optional
            The observed array, if there are several.
        refit : bool
            Whether to sample again without each row whose estimate is unreliable.
        """
        from ppl_lang.results import LOO

        flags = ([of] if of else []) + (["--refit"] if refit else [])
        a = _call.call("loo", self.path, *flags, "--json").json()
        rows = [{k: v if k == "row" else number(v) for k, v in r.items()} for r in a["each"]]
        return LOO(
            number(a["elpd_loo"]),
            number(a["se"]),
            number(a["p_loo"]),
            number(a["elpd_waic"]),
            number(a["p_waic"]),
            a["bad_rows"],
            number(a["good_k"]),
            rows,
            a["draws"],
            self,
            a["of"],
        )

    def evidence(self) -> Evidence:
        """Estimate the log marginal likelihood of the model."""
        from ppl_lang.results import Evidence

        a = _call.call("evidence", self.path, "--json").json()[0]
        return Evidence(number(a["log_evidence"]), number(a["se"]), a["estimates"], a["warnings"])

    def sensitivity(self, *names: str) -> Any:
        """Measure the sensitivity of the posterior to the priors; return the output of ``ppl sensitivity --json``."""
        return _call.call("sensitivity", self.path, *names, "--json").json()

    # Pictures and reports.

    def plot(self, kind: str = "trace", *names: str, out: str | os.PathLike[str] | None = None) -> Picture:
        """Draw a picture.

        Parameters
        ----------
        kind : str
            A kind such as ``trace``, ``pairs``, ``forest``, ``density`` or ``ppc``; ``ppl plot --help`` lists them.
            Kinds that compare the data with replicated data draw replicates first, if the run has none.
        *names : str
            Variables, elements or expressions.
        out : path, optional
            An additional file for the picture, which ends in ``.svg`` or ``.png``.

        Returns
        -------
        Picture
            The picture, which notebooks display.
        """
        if kind in _OF_REPLICATES and {"posterior", "posterior_predictive"} & set(self.groups) == {"posterior"}:
            _call.call("predict", self.path, "--quiet")
        with Scratch() as folder:
            for name in ("plot.svg", "plot.png"):
                _call.call("plot", self.path, kind, *names, "--out", folder / name)
            picture = Picture((folder / "plot.svg").read_text(encoding="utf-8"), (folder / "plot.png").read_bytes())
        if out is not None:
            picture.save(out)
        return picture

    def report(self, out: str | os.PathLike[str] | None = None) -> Path:
        """Write a report of the run as one HTML page, and return its path.

        Parameters
        ----------
        out : path, optional
            The file of the page; by default next to the run.
        """
        page = Path(out) if out is not None else Path(self.path).with_suffix(".html")
        _call.call("report", self.path, "--out", page.absolute())
        return page

    def export(
        self,
        out: str | os.PathLike[str],
        *names: str,
        format: str | None = None,
        group: str | None = None,
        log_lik: bool = False,
    ) -> None:
        """Write the draws in another format.

        Parameters
        ----------
        out : path
            The file.
        *names : str
            Variables or elements; all if there are none.
        format : str, optional
            ``csv``, ``json``, ``parquet``, ``netcdf`` or ``cmdstan-csv``; by default, that of the file extension.
            NetCDF files contain all groups of the run, other files one. ``cmdstan-csv`` writes a file for each chain,
            with names that end in ``_1.csv``, ``_2.csv`` and so on.
        group : str, optional
            A group such as ``log_likelihood`` or ``predictions``; the posterior by default.
        log_lik : bool
            Whether ``cmdstan-csv`` files contain the log likelihood of each row as ``log_lik``, for ``loo`` in R.
        """
        flags = _call.flags(format=format, group=group) + (["--log-lik"] if log_lik else [])
        _call.call("export", self.path, *names, "--out", os.path.abspath(os.fspath(out)), *flags)

    def resume(self, draws: int | None = None, *, progress: bool | Show | None = None) -> Run:
        """Continue the run after an interrupt, or to a larger number of draws.

        Parameters
        ----------
        draws : int, optional
            The total number of draws per chain.
        progress : bool or callable, optional
            See `Model.sample`.

        Returns
        -------
        Run
            This run.
        """
        flags = [] if draws is None else ["--draws", str(draws)]
        answer = _call.call(
            "sample",
            self.path,
            "--resume",
            "--json",
            *flags,
            progress=progress,
            accept=(_call.DONE, _call.INTERRUPTED),
        )
        again = Run._sampled(self.path, answer, None)
        self.interrupted = again.interrupted
        return self


def _warning_text(warning: Any) -> str:
    """Format a warning of a run: the problem, and the advice."""
    if not isinstance(warning, Mapping):
        return str(warning)
    advice = [str(a.get("text", "")) for a in warning.get("advice") or []][:1]
    return _call.for_python(" ".join([str(warning.get("fact", "")), *advice]).strip())


def _element(array: Any, places: str) -> Any:
    """Return the element of an array at indices such as ``Gentoo,2``."""
    dims = [d for d in array.dims if d not in {"chain", "draw"}]
    labels = [[str(x) for x in array[d].values] for d in dims]
    for at in itertools.product(*(range(len(x)) for x in labels)):
        if ",".join(x[k] for x, k in zip(labels, at, strict=True)) == places:
            return array.isel(dict(zip(dims, at, strict=True)))
    raise KeyError(f"{array.name} has no element [{places}]; the elements of {', '.join(dims)} are in its coordinates")


def _prediction(text: str) -> DataFrame:
    """Read the table of predictions from the CSV of the binary."""
    frame = read_csv(text.splitlines(keepends=True)).drop(columns=["query"], errors="ignore")
    return frame.set_index("element") if "element" in frame.columns else frame


def _summary_of(group: Any) -> DataFrame:
    """Return mean, sd and quantiles of each element of a group."""
    pd = require("pandas", "a table", "pandas")
    tables = []
    for name, values in group.data_vars.items():
        over = ["chain", "draw"]
        parts = {
            "mean": values.mean(over),
            "sd": values.std(over, ddof=1),
            "q2.5": values.quantile(0.025, over),
            "q50": values.quantile(0.5, over),
            "q97.5": values.quantile(0.975, over),
        }
        columns = {k: x.drop_vars("quantile", errors="ignore").values.ravel() for k, x in parts.items()}
        dims = [d for d in values.dims if d not in over]
        places: list[str] = [str(name)]
        if dims:
            index = values.isel(chain=0, draw=0, drop=True).to_series().index
            places = [f"{name}[{','.join(map(str, p if isinstance(p, tuple) else (p,)))}]" for p in index]
        tables.append(pd.DataFrame(columns, index=pd.Index(places, name="element")))
    return pd.concat(tables)


def _arviz_of_trees() -> bool:
    """Report whether the installed ArviZ uses ``xarray.DataTree``."""
    return int(sys.modules["arviz"].__version__.split(".")[0]) >= 1


def load(path: str | os.PathLike[str]) -> Run:
    """Open a run directory.

    Parameters
    ----------
    path : path
        A directory such as ``growth.run``.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    RunError
        If there is no run in the directory.
    """
    return Run(path)


def runs(folder: str | os.PathLike[str] = ".") -> list[Run]:
    """Return the runs in a directory, the oldest first."""
    base = Path(folder)
    return [Run(base / Path(r["path"]).name) for r in _call.call("list", base.absolute(), "--json").json()]


def compare(*models: Run, of: str | None = None, evidence: bool = False, **named: Run) -> DataFrame:
    """Compare models of the same data by their out-of-sample predictive performance.

    Parameters
    ----------
    *models : Run
        The runs of the models.
    of : str, optional
        The observed array, if there are several.
    evidence : bool
        Whether to add Bayes factors.
    **named : Run
        More runs, with their names in the table.

    Returns
    -------
    pandas.DataFrame
        A row for each model, the best first: elpd_loo, se, p_loo, elpd_diff, se_diff, weight and more.
    """
    everything: dict[str, Run] = {**{f"{Path(r.path).stem}": r for r in models}}
    if len(everything) < len(models):
        everything = {f"model {k}": r for k, r in enumerate(models, 1)}
    everything |= named
    if len(everything) < 2:
        raise ValueError("at least two runs are compared")
    flags = (["--of", of] if of else []) + (["--evidence"] if evidence else [])
    answer = _call.call("compare", *(r.path for r in everything.values()), "--json", *flags).json()
    names = {r.path: name for name, r in everything.items()}
    rows = [
        {"model": names.get(str(Path(m["run"]).absolute()), m["run"]), **{k: v for k, v in m.items() if k != "run"}}
        for m in answer["models"]
    ]
    return table(rows, "model")
