"""Models: checking, sampling, optimisation and log densities."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppl_lang import _call, _data
from ppl_lang._data import Data
from ppl_lang._files import Scratch
from ppl_lang._progress import Show
from ppl_lang._tables import number
from ppl_lang.errors import Diagnostic, ModelError

if TYPE_CHECKING:
    from ppl_lang.density import LogDensity
    from ppl_lang.results import Check, LogProb, Mode
    from ppl_lang.run import Run

__all__ = ["Model"]

# Maps names of arguments in PyMC, NumPyro, Stan and nutpie to those of `Model.sample`.
_OTHER_NAMES = {
    **dict.fromkeys(("tune", "num_warmup", "n_warmup", "iter_warmup", "burnin", "burn_in"), "warmup"),
    **dict.fromkeys(("num_samples", "n_samples", "iter_sampling"), "draws"),
    **dict.fromkeys(("cores", "parallel_chains"), "threads"),
    **dict.fromkeys(("num_chains", "n_chains"), "chains"),
    **dict.fromkeys(("random_seed", "rng_seed"), "seed"),
    **dict.fromkeys(("target_accept", "adapt_delta", "target_accept_prob"), "accept"),
    **dict.fromkeys(("max_treedepth", "max_tree_depth"), "max_depth"),
    **dict.fromkeys(("inits", "initvals", "init_params"), "init"),
    **dict.fromkeys(("progressbar", "progress_bar", "show_progress"), "progress"),
    "output_dir": "out",
}

_STAN = re.compile(r"^\s*(functions|data|transformed\s+data|parameters|transformed\s+parameters|model)\s*\{", re.M)


class Model:
    """A model, given as text or as a file.

    Parameters
    ----------
    model : str or path
        The text of a model, or the path of a file that ends in ``.ppl`` (or ``.stan``, for a Stan program).
    name : str, optional
        The name of a model that is given as text; diagnostics and runs show it.

    Raises
    ------
    ModelError
        If the file does not exist. Errors in the model are raised by the methods.

    Examples
    --------
    >>> import ppl_lang
    >>> model = ppl_lang.Model('''
    ... data y[N]
    ... mu ~ Normal(0, 10)
    ... sigma ~ HalfNormal(5)
    ... y[i in N] ~ Normal(mu, sigma)
    ... ''')
    >>> run = model.sample({"y": [1.2, 0.8, 1.9, 1.4]}, seed=1)
    >>> run.summary.loc["mu", "mean"].round(1)
    np.float64(1.3)
    """

    def __init__(self, model: str | os.PathLike[str], *, name: str = "model") -> None:
        text = os.fspath(model)
        self._scratch: Scratch | None = None
        if isinstance(model, str) and not _is_path(text):
            self._scratch = Scratch("or give the model as a file")
            ending = ".stan" if _STAN.search(text) else ".ppl"
            self.path = self._scratch.path / (re.sub(r"[^\w.-]", "_", name) + ending)
            self.path.write_text(_located(text), encoding="utf-8")
        else:
            self.path = Path(text).absolute()
            if not self.path.exists():
                raise ModelError(f"there is no model file {text}")

    def __repr__(self) -> str:
        if self._scratch is None:
            return f"Model({str(self.path)!r})"
        return f"Model(<{len(self.text.splitlines())} lines>)"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the text or the path; other processes create their own temporary files."""
        if self._scratch is None:
            return Model, (str(self.path),)
        return functools.partial(Model, self.text, name=self.path.stem), ()

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text)}</pre>"

    @property
    def text(self) -> str:
        """The text of the model."""
        return self.path.read_text(encoding="utf-8")

    # Descriptions of the model.

    def check(self, data: Data = None) -> Check:
        r"""Check the model, and the data if given.

        Parameters
        ----------
        data : Data, optional
            See `sample`.

        Returns
        -------
        Check
            Its truth value is True if there are no errors.

        Examples
        --------
        >>> import ppl_lang
        >>> check = ppl_lang.Model("mu ~ Normal(0, sgima)\n").check()
        >>> bool(check), check.diagnostics[0].code, check.diagnostics[0].line
        (False, 'E10', 1)
        """
        from ppl_lang.results import Check

        with Scratch() as folder:
            given = _data.arguments(data, folder, self._reads)
            answer = _call.call("check", self.path, "--json", *given, accept=(0, 1), warn=False).json()
        answer = _call.all_readable(answer)
        found = [Diagnostic.from_json(d) for d in answer["diagnostics"]]
        found.sort(key=lambda d: d.severity != "error")
        return Check(answer["ok"], found, answer.get("understood") or {})

    @functools.cached_property
    def _arrays(self) -> dict[str, dict[str, Any]]:
        """The arrays of the model by their names."""
        answer = _call.call("check", self.path, "--json", accept=(0, 1), warn=False).json()
        return {a["name"]: a for a in answer["arrays"]}

    def _reads(self) -> frozenset[str] | None:
        """Return the names of the model's data; None if the model is wrong or cannot be analysed without data."""
        names = self._of_role("data")
        return frozenset(names) if names else None

    def _of_role(self, role: str) -> dict[str, str]:
        return {n: a["type"] for n, a in self._arrays.items() if a["role"] == role}

    @property
    def data(self) -> dict[str, str]:
        """The data of the model: names and types, such as ``real[N]``."""
        return self._of_role("data")

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the model: names and types, such as ``real[J]``."""
        return self._of_role("parameter")

    # Computations.

    def sample(
        self,
        data: Data = None,
        *,
        draws: int | None = None,
        chains: int | None = None,
        warmup: int | None = None,
        seed: int | None = None,
        sampler: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        init: Mapping[str, Any] | Run | str | os.PathLike[str] | None = None,
        keep: Sequence[str] | None = None,
        until: Sequence[str] | str = (),
        max_time: str | float | None = None,
        max_gradients: float | None = None,
        progress: bool | Show | None = None,
        **settings: Any,
    ) -> Run:
        """Draw from the posterior.

        Parameters
        ----------
        data : Data, optional
            A pandas or polars DataFrame or a pyarrow Table, whose columns are the arrays of the model; a dict of
            arrays, numbers and texts by their names; the path of a data file; or a list of these. NaN, NaT, None and
            ``pd.NA`` are missing. A categorical column keeps its levels and their order, also levels without rows.
        draws, chains, warmup : int, optional
            The number of draws per chain, of chains, and of warmup iterations. Without `draws`, a run continues until
            the draws are good enough.
        seed : int, optional
            The seed of all randomness; the same seed gives the same draws.
        sampler, device : str, optional
            Names such as ``"nuts"`` and ``"host"``; ``ppl help samplers`` and ``ppl help devices`` list them.
        threads : int, optional
            The number of threads; all cores by default.
        out : path, optional
            The directory of the run. By default it is temporary: it is removed when Python ends, or when the object is
            no longer used. `Run.save` saves it.
        overwrite : bool
            Whether to replace an existing run in `out`.
        init : dict, Run or path, optional
            Initial values of parameters, or a run whose last draws are the initial values.
        keep : list of str, optional
            Keep only the draws of these names.
        until : str or list of str
            Conditions at which to stop, such as ``"ess=400"`` or ``["rhat=1.01", "time=2h"]``.
        max_time : str or float, optional
            A time limit such as ``"10m"``, or a number of seconds.
        max_gradients : float, optional
            Stop adding draws after this number of gradients.
        progress : bool or callable, optional
            Whether to show progress; by default in terminals and notebooks. A callable gets each message, a dict
            with ``phase``, ``done``, ``total`` and ``divergences``.
        **settings
            Settings of the sampler, such as ``accept=0.95``; ``ppl help settings`` lists them.

        Returns
        -------
        Run
            The run. After an interrupt it has the draws so far, and `Run.interrupted` is true.

        Raises
        ------
        ModelError, DataError
            If the model is wrong, or the data cannot be read or do not fit it. The error lists all diagnostics.
        RunError
            If a device, a disk or the program fails.
        Interrupted
            If it is interrupted before there are draws.
        """
        from ppl_lang.run import Run

        for name in settings:
            if name in _OTHER_NAMES:
                raise TypeError(f"sample has no argument {name!r}: it is {_OTHER_NAMES[name]!r} here")
        scratch = Scratch("or give out=...") if out is None else None
        folder = str(scratch.path / f"{self.path.stem}.run") if scratch else os.path.abspath(os.fspath(out or ""))
        flags = _call.flags(
            draws=draws,
            chains=chains,
            warmup=warmup,
            seed=seed,
            sampler=sampler,
            device=device,
            threads=threads,
            max_gradients=max_gradients,
            max_time=_duration(max_time),
        )
        flags += ["--overwrite"] if overwrite else []
        flags += [a for name in keep or () for a in ("--keep", name)]
        flags += [a for goal in ([until] if isinstance(until, str) else until) for a in ("--until", goal)]
        flags += [a for name, value in settings.items() for a in ("--set", f"{name}={_setting(value)}")]
        with Scratch("or give a path as data") as temporary:
            flags += _initial(init, temporary)
            given = _data.arguments(data, temporary, self._reads)
            answer = _call.call(
                "sample",
                self.path,
                "--out",
                folder,
                "--copy-inputs",
                "--json",
                *flags,
                *given,
                progress=progress,
                accept=(_call.DONE, _call.INTERRUPTED),
            )
        return Run._sampled(folder, answer, scratch)

    def prior(
        self,
        data: Data = None,
        *,
        draws: int | None = None,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
    ) -> Run:
        """Draw parameters from the prior, and data given these parameters.

        Parameters
        ----------
        data : Data, optional
            The data that the model reads, see `sample`. Only the sizes of observed data are used.
        draws, seed : int, optional
            The number of draws, and the seed of all randomness.
        out : path, optional
            The directory of the draws; by default they are temporary.
        overwrite : bool
            Whether to replace an existing run in `out`.

        Returns
        -------
        Run
            Its groups are ``prior`` and ``prior_predictive``.
        """
        from ppl_lang.run import Run

        scratch = Scratch("or give out=...") if out is None else None
        folder = str(scratch.path / f"{self.path.stem}.prior") if scratch else os.path.abspath(os.fspath(out or ""))
        flags = _call.flags(draws=draws, seed=seed) + (["--overwrite"] if overwrite else [])
        with Scratch() as temporary:
            given = _data.arguments(data, temporary, self._reads)
            _call.call("predict", self.path, "--out", folder, "--quiet", *flags, *given)
        return Run(folder, _scratch=scratch)

    def predict(self, data: Data = None, *, draws: int | None = None, seed: int | None = None) -> Any:
        """Draw observed quantities from the prior predictive distribution.

        Parameters
        ----------
        data : Data, optional
            See `prior`.
        draws, seed : int, optional
            The number of draws, and the seed of all randomness.

        Returns
        -------
        xarray.Dataset
            An array for each observed quantity. The first axis is the draw.

        See Also
        --------
        Run.predict : The same from the posterior, also at new data.
        """
        return self.prior(data, draws=draws, seed=seed).group("prior_predictive")

    def optimize(
        self,
        data: Data = None,
        *,
        seed: int | None = None,
        starts: int | None = None,
        method: str | None = None,
        iterations: int | None = None,
        jacobian: bool = False,
        init: Mapping[str, Any] | Run | str | os.PathLike[str] | None = None,
        progress: bool | Show | None = None,
    ) -> Mode:
        """Find the mode of the posterior density, and standard deviations from the curvature.

        Parameters
        ----------
        data : Data, optional
            See `sample`.
        seed, starts, iterations : int, optional
            The seed and the number of starting points, and the largest number of iterations from each.
        method : str, optional
            ``lbfgs``, ``adam``, ``adamw`` or ``sgd``.
        jacobian : bool
            Whether to find the mode of the unconstrained coordinates instead.
        init : dict, Run or path, optional
            Initial values of parameters.
        progress : bool or callable, optional
            See `sample`.

        Returns
        -------
        Mode
            The mode; `Mode.converged` says whether it is a maximum.
        """
        from ppl_lang.results import Mode

        flags = _call.flags(seed=seed, starts=starts, method=method, iterations=iterations)
        flags += ["--jacobian"] if jacobian else []
        with Scratch() as temporary:
            flags += _initial(init, temporary)
            given = _data.arguments(data, temporary, self._reads)
            answer = _call.call("optimize", self.path, "--json", *flags, *given, progress=progress).json()
        rows = [{k: v if k == "name" else number(v) for k, v in row.items()} for row in answer["parameters"]]
        return Mode(answer["converged"], answer.get("message") or "", number(answer["log_density"]), rows)

    def logprob(
        self, at: Mapping[str, Any], data: Data = None, *, gradient: bool = False, device: str | None = None
    ) -> LogProb:
        r"""Evaluate the log density at values of the parameters, on their original scale.

        Parameters
        ----------
        at : dict
            The values by the names of the parameters.
        data : Data, optional
            See `sample`.
        gradient : bool
            Whether the gradient is computed as well.
        device : str, optional
            A device such as ``native``; by default the graph is interpreted.

        Returns
        -------
        LogProb
            The parts of the log density.

        Examples
        --------
        >>> import ppl_lang
        >>> at_zero = ppl_lang.Model("x ~ Normal(0, 1)\n").logprob({"x": 0})
        >>> round(at_zero.log_prior, 4)
        -0.9189
        """
        from ppl_lang.results import LogProb

        with Scratch() as temporary:
            values = _values(at, temporary)
            given = _data.arguments(data, temporary, self._reads)
            flags = _call.flags(device=device) + (["--gradient"] if gradient else [])
            answer = _call.call("logprob", self.path, "--at", values, "--json", *flags, *given).json()
        return LogProb(
            number(answer["log_prior"]),
            number(answer["log_likelihood"]),
            number(answer["log_jacobian"]),
            {k: [number(x) for x in v] for k, v in answer["rows"].items()},
            {k: [number(x) for x in v] for k, v in answer.get("gradient", {}).items()},
        )

    def evidence(self, data: Data = None, **sampling: Any) -> Any:
        """Estimate the marginal likelihood of the model by sampling.

        Parameters
        ----------
        data : Data, optional
            See `sample`.
        **sampling
            Other arguments of `sample`.

        Returns
        -------
        Evidence
            The log marginal likelihood with its standard error.
        """
        return self.sample(data, **sampling).evidence()

    def log_density(self, data: Data = None, *, threads: int = 1) -> LogDensity:
        """Compile the log density to a Python function.

        Parameters
        ----------
        data : Data, optional
            See `sample`.
        threads : int
            The number of threads that share a batch of points.

        Returns
        -------
        LogDensity
            A callable with value and gradient. Without a C compiler the binary computes them, more slowly.
        """
        from ppl_lang.density import LogDensity

        return LogDensity._of(self, data, threads)


def _is_path(text: str) -> bool:
    """Report whether a text is the path of a model rather than a model."""
    if "\n" in text or "~" in text or "=" in text:
        return "\n" not in text and text.endswith((".ppl", ".stan")) and os.path.exists(text)
    return True


def _setting(value: Any) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _duration(value: str | float | None) -> str | None:
    return f"{value}s" if isinstance(value, (int, float)) else value


def _values(at: Mapping[str, Any], folder: Path) -> str:
    """Write values of parameters as a JSON file."""
    plain = {name: x.tolist() if hasattr(x, "tolist") else x for name, x in at.items()}
    path = folder / "values.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    return str(path)


def _initial(init: Any, folder: Path) -> list[str]:
    """Return the flag for initial values."""
    if init is None:
        return []
    if isinstance(init, Mapping):
        return ["--init", _values(init, folder)]
    return ["--init", os.path.abspath(getattr(init, "path", init))]


_FILES = re.compile(r'\b(from|import)(\s+)"([^"#\n]+)')


def _located(text: str) -> str:
    """Return the text of a model with absolute paths of files in the working directory."""

    def whole(match: re.Match[str]) -> str:
        file = match[3]
        if os.path.isabs(file) or _data.is_url(file) or not _data.names_files(file):
            return match[0]
        return f'{match[1]}{match[2]}"{Path(file).absolute().as_posix()}'

    return _FILES.sub(whole, text)
