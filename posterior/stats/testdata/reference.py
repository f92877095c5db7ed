"""Writes reference.json: draws and what ArviZ makes of them. Run with arviz 0.23 (numpy, scipy): python reference.py > reference.json

ArviZ gives no R-hat of one chain. mcse_quantile is not ArviZ's, whose order statistics are one place off those of the paper's R code (posterior 1.6,
mcse_quantile); it is computed here with SciPy's Beta quantile from ArviZ's ess.

Where correlations last over whole half chains, ArviZ and posterior stop at different lags when halves are odd in length; this
package does as posterior does, and such cases have even halves here. Quantiles do not fall on a draw, where ArviZ rounds.
"""
import json
import sys

import arviz as az
import numpy as np
from scipy import signal, stats

rng = np.random.default_rng(20260101)


def ar(phi, chains, draws):
    e = rng.normal(size=(chains, draws + 200))
    return signal.lfilter([1], [1, -phi], e, axis=1)[:, 200:]


cases = {
    "independent": rng.normal(size=(4, 100)),
    "ar 0.9": ar(0.9, 4, 160),
    "antithetic": ar(-0.6, 4, 100),
    "one chain, odd": ar(0.5, 1, 103),
    "cauchy": rng.standard_cauchy(size=(3, 80)),
    "counts with ties": rng.poisson(2, size=(4, 100)).astype(float),
    "shifted chain": rng.normal(size=(4, 60)) + np.array([0, 0, 0, 2])[:, None],
    "wider chain": rng.normal(size=(4, 60)) * np.array([1, 1, 1, 4])[:, None],
    "trend": ar(0.3, 2, 92) + np.linspace(0, 3, 92),
    "few": rng.normal(size=(2, 8)),
}


def mcse_quantile(x, p):
    n = az.ess(x, method="quantile", prob=p)
    a = stats.beta.ppf(stats.norm.cdf([-1, 1]), n * p + 1, n * (1 - p) + 1)
    s = np.sort(x.ravel())
    lo, hi = max(int(np.floor(a[0] * s.size)), 1), min(int(np.ceil(a[1] * s.size)), s.size)
    return (s[hi - 1] - s[lo - 1]) / 2


out = []
for name, x in cases.items():
    x = np.round(x, 4)
    want = {
        "mean": x.mean(), "sd": x.std(ddof=1),
        "q5": np.quantile(x, 0.05), "q50": np.quantile(x, 0.5), "q95": np.quantile(x, 0.95),
        "rhat": az.rhat(x, method="rank"),
        "ess_bulk": az.ess(x, method="bulk"), "ess_tail": az.ess(x, method="tail", prob=(0.05, 0.95)), "ess_mean": az.ess(x, method="mean"),
        "mcse_mean": az.mcse(x, method="mean"), "mcse_sd": az.mcse(x, method="sd"),
        "mcse_q5": mcse_quantile(x, 0.05), "mcse_q50": mcse_quantile(x, 0.5),
    }
    out.append({"name": name, "draws": x.tolist(), "want": {k: float(v) for k, v in want.items() if np.isfinite(v)}})
json.dump({"arviz": az.__version__, "cases": out}, sys.stdout)
print()
