"""A declarative language for Bayesian models, with the inference engine inside.

>>> import ppl_lang as ppl
>>> model = ppl.Model('''
... data weight[N], age[N]
... a, b ~ Normal(0, 10)
... sigma ~ HalfNormal(5)
... weight[i in N] ~ Normal(a + b * age[i], sigma)
... ''')
>>> run = model.sample({"age": [1, 2, 3, 4], "weight": [2.1, 3.9, 6.2, 7.8]}, seed=1)
>>> list(run.summary.index)
['a', 'b', 'sigma']

`Model` is a model, `Run` contains its draws, and `compare` compares several runs. The package calls the ``ppl`` binary
that it contains as a separate process. The binary writes a directory that ArviZ and the command line can read, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ppl_lang._binary import binary, binary_version
from ppl_lang._call import command
from ppl_lang._version import __version__
from ppl_lang.errors import (
    BinaryError,
    DataError,
    DataWarning,
    Diagnostic,
    Interrupted,
    ModelError,
    ModelWarning,
    PplError,
    PplWarning,
    RunError,
    SamplingWarning,
)
from ppl_lang.model import Model
from ppl_lang.run import Picture, Run, compare, load, runs

if TYPE_CHECKING:
    from ppl_lang.density import LogDensity, Parameter
    from ppl_lang.results import LOO, Check, Evidence, LogProb, Mode

# Maps names that are imported on first use to their modules.
_LATER = {
    **dict.fromkeys(("LogDensity", "Parameter"), "density"),
    **dict.fromkeys(("LOO", "Check", "Evidence", "LogProb", "Mode"), "results"),
}

__all__ = [
    "LOO",
    "BinaryError",
    "Check",
    "DataError",
    "DataWarning",
    "Diagnostic",
    "Evidence",
    "Interrupted",
    "LogDensity",
    "LogProb",
    "Mode",
    "Model",
    "ModelError",
    "ModelWarning",
    "Parameter",
    "Picture",
    "PplError",
    "PplWarning",
    "Run",
    "RunError",
    "SamplingWarning",
    "__version__",
    "binary",
    "binary_version",
    "command",
    "compare",
    "explain",
    "load",
    "load_ipython_extension",
    "runs",
]


def explain(name: str) -> str:
    """Explain a distribution, a function, a setting or the code of a diagnostic, as ``ppl help NAME`` does.

    Parameters
    ----------
    name : str
        A name such as ``Normal``, ``noncentered`` or ``E10``.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import ppl_lang
    >>> ppl_lang.explain("Normal").splitlines()[0]
    'Normal(mu, sd)'
    """
    from ppl_lang._call import call

    return call("help", name).text


def load_ipython_extension(ipython: object) -> None:
    """Register the cell magic ``%%ppl``; ``%load_ext ppl_lang`` calls it."""
    from ppl_lang.magic import register

    register(ipython)


def __getattr__(name: str) -> Any:
    """Import rarely used names on first use."""
    if name in _LATER:
        import importlib

        return getattr(importlib.import_module(f"ppl_lang.{_LATER[name]}"), name)
    raise AttributeError(f"module 'ppl_lang' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names of the module, including those not imported yet."""
    return sorted({*globals(), *__all__})
