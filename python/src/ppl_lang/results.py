"""Results of methods of models and runs. The module is imported on first use, because importing dataclasses is slow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ppl_lang._tables import DataFrame, parts, require, table
from ppl_lang.errors import Diagnostic, RunError

if TYPE_CHECKING:
    from ppl_lang.run import Run

__all__ = ["LOO", "Check", "Evidence", "LogProb", "Mode"]


@dataclass(frozen=True)
class Check:
    """The result of `Model.check`.

    Attributes
    ----------
    ok : bool
        Whether there are no errors.
    diagnostics : list of Diagnostic
        Errors, warnings and notes.
    understood : dict
        How the model was understood: its data, parameters and observations. Empty if there are errors.
    """

    ok: bool
    diagnostics: list[Diagnostic]
    understood: dict[str, Any]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics) or "the model is valid"


@dataclass(frozen=True)
class LogProb:
    """The log density at given values of the parameters.

    Attributes
    ----------
    log_prior, log_likelihood : float
        The two parts of the log density of the parameters on their original scale.
    log_jacobian : float
        The logarithm of the Jacobian of the transform from the unconstrained coordinates.
    rows : dict of str to list of float
        The log likelihood of each row, by the name of the observed array.
    gradient : dict of str to list of float
        The gradient of log prior + log likelihood with respect to each parameter, in row-major order.
    """

    log_prior: float
    log_likelihood: float
    log_jacobian: float
    rows: dict[str, list[float]]
    gradient: dict[str, list[float]]


@dataclass(frozen=True)
class Mode:
    """The mode of the posterior density.

    Attributes
    ----------
    converged : bool
        Whether the search converged to a maximum.
    message : str
        Why the search did not converge; empty if it did.
    log_density : float
        The log density at the mode.
    rows : list of dict
        ``name``, ``mode`` and ``sd`` of each element; `sd` is NaN where the peak has no curvature.
    """

    converged: bool
    message: str
    log_density: float
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def table(self) -> DataFrame:
        """A DataFrame with a row for each element: ``mode`` and ``sd``."""
        return table(self.rows, "name")

    def values(self) -> dict[str, Any]:
        r"""Return the mode as a dict for `Model.logprob` and the argument `init`; elements are in row-major order.

        Examples
        --------
        >>> import ppl_lang
        >>> m = ppl_lang.Model("data y[N] = [1, 2, 3]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)")
        >>> round(m.optimize(seed=1).values()["mu"], 3)
        1.5
        """
        out: dict[str, Any] = {}
        for row in self.rows:
            name, places = parts(row["name"])
            if places:
                out.setdefault(name, []).append(row["mode"])
            else:
                out[name] = row["mode"]
        return out


@dataclass(frozen=True)
class LOO:
    """An estimate of out-of-sample predictive performance by leave-one-out cross-validation.

    Attributes
    ----------
    elpd_loo, se, p_loo : float
        The expected log pointwise predictive density by PSIS-LOO, its standard error, and the effective number of
        parameters.
    elpd_waic, p_waic : float
        The same by WAIC.
    bad_rows : int
        The number of rows with an unreliable estimate: their Pareto k is above `good_k`.
    good_k : float
        The largest Pareto k that is reliable with this number of draws.
    rows : list of dict
        ``row``, ``elpd_loo``, ``pareto_k`` and ``elpd_waic`` of each row.
    draws : int
        The number of draws of all chains.
    """

    elpd_loo: float
    se: float
    p_loo: float
    elpd_waic: float
    p_waic: float
    bad_rows: int
    good_k: float
    rows: list[dict[str, Any]] = field(repr=False)
    draws: int = 0
    _run: Run | None = field(default=None, repr=False, compare=False)
    _of: str = field(default="", repr=False)

    @property
    def pointwise(self) -> DataFrame:
        """A DataFrame with a row for each row of the data."""
        return table(self.rows, "row")

    @property
    def arviz(self) -> Any:
        """The ``ELPDData`` of ArviZ for the same run, for its plots and comparisons."""
        az = require("arviz", "ELPDData", "arviz")
        if self._run is None:
            raise RunError("this estimate belongs to no run")
        from ppl_lang.run import _arviz_of_trees

        data = self._run.tree if _arviz_of_trees() else self._run.inference_data
        return az.loo(data, var_name=self._of or None, pointwise=True)


@dataclass(frozen=True)
class Evidence:
    """The marginal likelihood of a model.

    Attributes
    ----------
    log_evidence, se : float
        The log marginal likelihood and its standard error.
    estimates : list of dict
        The estimates by several methods: ``method``, ``log_evidence`` and ``se``.
    warnings : list of str
        Why the estimate may be wrong.
    """

    log_evidence: float
    se: float
    estimates: list[dict[str, Any]]
    warnings: list[str]
