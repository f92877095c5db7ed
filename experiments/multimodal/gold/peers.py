"""Runs ppl, dynesty, UltraNest, nautilus, emcee, PyMC's SMC and that of TFP on targets of this experiment, each at its
defaults, and judges all of them by the rule of main.go. Runs are appended to a file with a JSON object per line; those
that are already in the file are not repeated.

    pip install dynesty ultranest nautilus-sampler emcee pymc arviz
    pip install jax==0.5.3 tensorflow-probability tf-keras
    python experiments/multimodal/gold/peers.py --ppl PPL --runs peers.jsonl [--seeds 3] [--out PEERS.md]
    python experiments/multimodal/gold/peers.py --ppl PPL --check

TARGETS defines every target again, independently of the models: names of the parameters, priors, the log likelihood at
many points, and those quantities of the truth that are not parameters. A density without a proper prior has a wide box
as its prior. --check compares TARGETS with the models: differences of the log density between random points with those
of ppl logprob, and, if enough points from the prior have weight, means by importance sampling with the truth.

Seconds are processor time: for the Python systems that of sampling alone, for ppl that of the entire command.
"""

import argparse
import contextlib
import importlib
import io
import json
import logging
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np
from scipy.special import logsumexp, ndtri

HERE = os.path.dirname(os.path.abspath(__file__))
TAU = 2 * math.pi


def normal(x, mean, sd):
    return -0.5 * ((x - mean) / sd) ** 2 - np.log(sd) - 0.5 * math.log(TAU)


def cauchy(x, at, scale):
    return -np.log1p(((x - at) / scale) ** 2) - math.log(math.pi * scale)


def N(mean, sd):
    return "normal", mean, sd


def U(low, high):
    return "uniform", low, high


def E(rate):
    return "exponential", rate, 0


# A kind of prior: the inverse of its distribution function, its log density, and its name and arguments in PyMC.
KINDS = {
    "normal": (lambda u, a, b: a + b * ndtri(u), normal, lambda a, b: ("Normal", {"mu": a, "sigma": b})),
    "uniform": (lambda u, a, b: a + (b - a) * u,
                lambda x, a, b: np.where((a <= x) & (x <= b), -np.log(b - a), -np.inf),
                lambda a, b: ("Uniform", {"lower": a, "upper": b})),
    "exponential": (lambda u, a, b: -np.log1p(-u) / a, lambda x, a, b: np.where(x >= 0, np.log(a) - a * x, -np.inf),
                    lambda a, b: ("Exponential", {"lam": a})),
}


class Target:
    """A target. The names "a m[2]" mean a, m[1] and m[2]. There is one prior for each name; more(x) returns further quantities."""

    def __init__(self, names, priors, loglik, more=lambda x: {}):
        self.names, each, self.bases = [], [], []
        for base, prior in zip(names.split(), priors):
            name, _, sizes = base.partition("[")
            shape = tuple(int(s) for s in sizes.rstrip("]").split(",")) if sizes else ()
            self.bases.append((name, shape))
            for at in np.ndindex(shape):
                self.names.append(name + (f"[{','.join(str(k + 1) for k in at)}]" if shape else ""))
                each.append(prior)
        self.dim, self.loglik, self.more, self.calls = len(each), loglik, more, 0
        self.columns = {}
        for kind in dict.fromkeys(p[0] for p in each):
            at = [i for i, p in enumerate(each) if p[0] == kind]
            first, second = (np.array([each[i][k] for i in at], float) for k in (1, 2))
            self.columns[kind] = at, first, second
        self.order = np.argsort([i for at, _, _ in self.columns.values() for i in at])  # of columns, kind by kind

    def transform(self, u):
        x = np.empty_like(u)
        for kind, (at, a, b) in self.columns.items():
            x[..., at] = KINDS[kind][0](u[..., at], a, b)
        return x

    def logprior(self, x):
        return sum(KINDS[kind][1](x[..., at], a, b).sum(-1) for kind, (at, a, b) in self.columns.items())

    def many(self, x):
        """Returns the log likelihood of each row of x."""
        x = np.atleast_2d(x)
        self.calls += len(x)
        return self.loglik(x)

    def one(self, x):
        return float(self.many(x)[0])

    def logpost(self, x):
        prior = self.logprior(x)
        inside = np.isfinite(prior)
        prior[inside] += self.many(x[inside]) if inside.any() else 0
        return prior

    def values(self, x):
        """Returns the quantities of the truth at each row of x."""
        return {n: x[:, i] for i, n in enumerate(self.names)} | {k: v * 1.0 for k, v in self.more(x).items()}


def terms(*each):
    """Returns a log density that is the log of a sum of terms, and a function for the share of term k."""
    both = lambda x: np.stack([f(x) for f in each])
    return lambda x: logsumexp(both(x), 0), lambda x, k: np.exp(both(x)[k] - logsumexp(both(x), 0))


def blob(at, sd, weight=1.0):
    """Returns the log density of a normal mode, without the constant that all modes share."""
    return lambda x: math.log(weight) - ((x - at) ** 2).sum(1) / (2 * sd**2) - x.shape[1] * math.log(sd)


def blobs(dim, box, share, *modes):
    """A sum of modes in a box; `share` maps the names of quantities to the numbers of the modes whose shares they are."""
    density, part = terms(*(blob(*m) for m in modes))
    return Target(f"x[{dim}]", [U(-box, box)], density, lambda x: {name: part(x, k) for name, k in share.items()})


def mixture(y, spread, noise, more):
    """A mixture of normal components with equal weights; the components of the observations are summed out."""
    k = {10: {5: 2, 6: 5}, 12: {5: 3}, 16: {10: 8}}[len(y)][spread]
    loglik = lambda x: logsumexp(normal(np.array(y)[:, None], x[:, None, :], noise), 2).sum(1) - len(y) * math.log(k)
    return Target(f"m[{k}]", [N(0, spread)], loglik, more)


def curve(t, y, noise, of):
    """Returns the log likelihood of observations with normal noise around a curve; of(x, t) has a row of means for each row of x."""
    t, y = np.array(t, float), np.array(y)
    return lambda x: normal(y, of(x, t), noise).sum(1)


def col(x, i):
    return x[:, i, None]


def hands(x):
    p, q = x.T
    return normal(1.2, np.cos(p) + 0.8 * np.cos(p + q), 0.05) + normal(0.7, np.sin(p) + 0.8 * np.sin(p + q), 0.05)


def wells(x, across, pull, field=0.0):
    """Returns the log density of double wells on a lattice of width `across`, each coupled with its neighbours."""
    grid = x.reshape(len(x), -1, across)
    bonds = sum((np.diff(grid, axis=axis) ** 2).sum((1, 2)) for axis in (1, 2))
    return -2 * ((x**2 - 1) ** 2).sum(1) - pull * bonds + field * x.sum(1)


def levels(x, changes, y):
    """Returns the log likelihood of levels between change points, which need not be sorted, with noise of sd 0.8."""
    t, at = np.arange(1, len(y) + 1), np.sort(x[:, :changes], 1)
    which = (t >= at[:, :, None]).sum(1)
    return normal(np.array(y), np.take_along_axis(x[:, changes:], which, 1), 0.8).sum(1)


def factor(x):
    y = np.array([[1.0, 0.9, -1.1], [-0.8, -1.2, 0.9], [0.6, 0.4, -0.5], [-1.5, -1.3, 1.6], [0.2, 0.3, -0.1]])
    return normal(y, x[:, 3:, None] * x[:, None, :3], 0.2).sum((1, 2))


def poisson_mix(x):
    y = [1, 2, 0, 3, 9, 11, 8, 12, 10, 2, 9, 7]
    each = [math.log(w) - col(x, k) + np.array(y) * np.log(col(x, k) + 1e-300) for k, w in enumerate((0.3, 0.7))]
    return np.logaddexp(*each).sum(1) - sum(math.lgamma(v + 1) for v in y)


def regressions(x):
    u = np.array([-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, -1.8, -0.7, 0.9, 1.7])
    y = np.array([-3.1, 1.6, -1.8, 0.3, 0.9, -0.8, 2.4, -2.3, 1.9, -1.0, 1.2, 2.4])
    each = [math.log(w) + normal(y, col(x, k) * u, 0.5) for k, w in enumerate((0.4, 0.6))]
    return np.logaddexp(*each).sum(1)


def ranges(*seen):
    """Returns the log likelihood of measured distances. Each has the columns of a point, the columns or coordinates of another point, the distance, and the sd of its noise."""
    place = lambda x, p: [x[:, c] if isinstance(c, int) else float(c) for c in p]

    def loglik(x):
        total = 0
        for a, b, d, noise in seen:
            (u, v), (s, t) = place(x, a), place(x, b)
            total = total + normal(d, np.hypot(u - s, v - t), noise)
        return total

    return loglik


def bananas():
    density, part = terms(
        lambda x: math.log(0.7) - x[:, 0] ** 2 / 4.5 - math.log(1.5) - (x[:, 1] - x[:, 0] ** 2) ** 2 / 0.08,
        lambda x: math.log(0.3) - x[:, 0] ** 2 / 2 - (x[:, 1] - 10 + x[:, 0] ** 2) ** 2 / 0.08)
    return Target("x[2]", [U(-100, 100)], density, lambda x: {"other": part(x, 1), "right": x[:, 0] > 0})


def rings():
    far = lambda x: np.hypot(x[:, 0], x[:, 1])
    density, part = terms(lambda x: -((far(x) - 3) ** 2) / 0.02 - math.log(3),
                          lambda x: -((far(x) - 7) ** 2) / 0.02 - math.log(7))
    return Target("x[2]", [U(-10, 10)], density, lambda x: {"outer": part(x, 1), "right": x[:, 0] > 0})


def ring_centre():
    q = lambda x: (x**2).sum(1)
    density, _ = terms(
        lambda x: -((np.sqrt(q(x)) - 5) ** 2) / 0.02 + 2 * (x[:, 0] ** 2 - x[:, 1] ** 2) / (q(x) + 1e-12),
        lambda x: math.log(300) - (x[:, 0] ** 2 + (x[:, 1] - 0.5) ** 2) / 0.08)
    return Target("x[2]", [U(-10, 10)], density, lambda x: {"centre": q(x) < 4, "right": x[:, 0] > 1})


def t_modes():
    density, part = terms(lambda x: math.log(0.4) - 3.5 * np.log1p(((x + 6) ** 2).sum(1) / 4),
                          lambda x: math.log(0.6 / 0.027) - 3.5 * np.log1p(((x - 6) ** 2).sum(1) / 0.36))
    return Target("x[3]", [U(-60, 60)], density, lambda x: {"narrow": part(x, 1)})


def three_modes():
    i = np.arange(1, 51)
    even, third = np.where(i % 2 == 0, 0, 1.2), np.where(i % 3 == 1, -1.2, 0.6)
    return blobs(50, 10, {"p[1]": 0, "p[2]": 1, "p[3]": 2}, (0, 1, 0.5), (even, 0.8, 0.3), (third, 1.3, 0.2))


def two_modes(dim):
    half = 6 / math.sqrt(dim)
    return blobs(dim, 10, {"right": 0}, (half, 1, 0.25), (-half, 1, 0.75))


def spike_slab(x):
    y = np.array([0.1, 0.35, 0.5, -0.6, 0.75, 1.5])
    prior = np.logaddexp(math.log(0.7) + normal(x, 0, 0.02), math.log(0.3) + normal(x, 0, 2))
    return (prior + normal(y, x, 0.25) - normal(x, 0, 2)).sum(1)  # the prior of the row is that of the slab


WAVE = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5], [0.1, 0.7, 0.9, 0.6, 0.2, -0.5, -1.1, -0.8]
TIDE = [0, 1.04, 1.95, 3.03, 4.06, 4.97, 6, 7.05], [0.2, 1.1, 0.3, -1.2, 0, 1.1, -0.4, -0.9]
DECAY = [0.2, 0.5, 1, 1.5, 2, 3, 4, 6], [2.62, 2.02, 1.55, 1.08, 0.92, 0.64, 0.38, 0.27]
UNITS = np.arange(-2, 2.5, 0.5), [-0.55, -0.9, -0.72, -0.74, -0.3, 0.89, 0.73, 0.74, 0.59]
JUMP = [0.3, -0.4, 0.2, 1.9, -0.1, 1.2, 0.3, 2.4, 1.8, 2.2]
CHANGES = [-0.35, 0.62, -1.1, 0.24, 0.71, -0.48, 0.05, -0.93, 0.37, 1.02, -0.66, 0.18, -0.27, 0.44, 1.31, 2.2, 0.97,
           1.68, 2.05, 1.12, 1.83, 0.76, 2.41, 1.55, 1.29, 1.94, 0.58, 0.1, -0.42, 0.93, 1.21, -0.15, 0.67, 0.49,
           -0.78, 1.05, 0.32, 0.88, -0.21, 0.54]
EIGHT = [-14.1, -13.8, -10.2, -9.9, -6.1, -5.7, -2.0, -1.9, 2.2, 1.8, 6.0, 6.1, 10.1, 9.7, 13.9, 14.2]

# The targets, in the order in which they are run.
TARGETS = {
    "hyperbola": Target("a b", [N(0, 1)] * 2, lambda x: normal(1, x[:, 0] * x[:, 1], 0.05),
                        lambda x: {"positive": x[:, 0] > 0, "far": abs(x[:, 0])}),
    "himmelblau": Target("x[2]", [U(-6, 6)], lambda x: -((x[:, 0] ** 2 + x[:, 1] - 11) ** 2)
                         - (x[:, 0] + x[:, 1] ** 2 - 7) ** 2, lambda x: {"right": x[:, 0] > 0, "up": x[:, 1] > 0}),
    "widths_3": blobs(3, 10, {"narrow": 1}, (-2, 1), (2, 0.05)),
    "mixture3": mixture([-4.1, -3.6, -4.6, -3.9, 0.2, -0.5, 0.4, 0.1, 3.7, 4.2, 4.9, 3.4], 5, 0.6,
                        lambda x: {f"lowest[{k + 1}]": x[:, k] <= x.min(1) for k in range(2)}),
    "spike_5": blobs(5, 10, {"narrow": 1}, (0, 1), (0.8, 0.05)),
    "frequency": Target("w", [U(0, 20)], curve(*WAVE, 0.4, lambda x, t: np.sin(x * t)),
                        lambda x: {"low": x[:, 0] < 6}),
    "sensors2": Target("x[2] z[2]", [N(0, 1)] * 2, ranges(
        ((0, 2), (0.0, 0.0), 0.9, 0.05), ((0, 2), (1.0, 0.0), 0.8, 0.05), ((1, 3), (0.0, 0.0), 1, 0.05),
        ((1, 3), (0.0, 1.0), 0.7, 0.05), ((0, 2), (1, 3), 1.2, 0.2)),
        lambda x: {"up": x[:, 2] > 0, "right": x[:, 1] > 0}),
    "tide": Target("w a b", [U(0, 8), N(0, 1), N(0, 1)], curve(
        *TIDE, 0.5, lambda x, t: col(x, 1) * np.cos(col(x, 0) * t) + col(x, 2) * np.sin(col(x, 0) * t)),
        lambda x: {"low": x[:, 0] < 3}),
    "two_modes_10": two_modes(10),
    "branches": Target("x z", [N(0, 1.5)] * 2, lambda x: normal(2, x[:, 0] ** 2 - x[:, 1] ** 2, 0.15),
                       lambda x: {"right": x[:, 0] > 0, "size": abs(x[:, 0]), "far": abs(x[:, 1]) > 2}),
    "eggbox": Target("x y", [U(0, 10 * math.pi)] * 2, lambda x: (2 + np.cos(x / 2).prod(1)) ** 5,
                     lambda x: {"low": x[:, 0] < 3 * math.pi}),
    "spike_slab": Target("b[6]", [N(0, 2)], spike_slab,
                         lambda x: {f"out[{k + 1}]": abs(x[:, k]) > 0.1 for k in range(6)}),
    "rings": rings(),
    "corners": Target("x[6]", [N(0, 3)], lambda x: normal(np.array([1, 2, 0.5, 1.5, 1, 3]), x**2, 0.2).sum(1),
                      lambda x: {f"positive[{k + 1}]": x[:, k] > 0 for k in range(6)}
                      | {"same": x[:, :3].prod(1) > 0}),
    "t_modes": t_modes(),
    "mixture5": mixture([-8.2, -7.9, -4.1, -3.8, 0.3, -0.2, 3.9, 4.2, 8.1, 7.8], 6, 0.5,
                        lambda x: {"larger": x[:, 0] > x[:, 1], "total": x.sum(1)}),
    "waves": Target("x[2]", [N(0, 5)], lambda x: normal(1, np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1]), 0.1),
                    lambda x: {"top": np.sin(3 * x[:, 0]) > 0}),
    "widths_10": blobs(10, 10, {"narrow": 1}, (-3, 1), (3, 0.1)),
    "phase": Target("phi", [U(-math.pi, math.pi)],
                    lambda x: normal(np.array([0.4, 0.6, 0.5]), np.sin(3 * x), 0.1).sum(1),
                    lambda x: {"low": x[:, 0] < -math.pi / 3, "high": x[:, 0] > math.pi / 3}),
    "lattice": Target("x[4,4]", [U(-3, 3)], lambda x: wells(x, 4, 1), lambda x: {"up": x.sum(1) > 0}),
    "spike_10": blobs(10, 10, {"narrow": 1}, (0, 1), (0, 0.1)),
    "shell": Target("x[10]", [U(-15, 15)], lambda x: -((np.sqrt((x**2).sum(1)) - 10) ** 2) / 0.02,
                    lambda x: {"right": x[:, 0] > 0}),
    "tails": Target("x[8]", [U(-100, 100)], lambda x: -5 * np.log1p((x**2).sum(1) / 2),
                    lambda x: {"inside": abs(x[:, 0]) < 1, "near": (x**2).sum(1) < 8}),
    "cauchy_location": Target("theta", [N(0, 10)], lambda x: cauchy(
        np.array([-5.2, -4.6, -4.9, 5.1, 6.3, 4.2, 0.4]), x, 0.5).sum(1), lambda x: {"right": x[:, 0] > 0}),
    "mixture2": mixture([-2.1, -1.6, -2.6, -1.2, -2.0, 1.7, 2.2, 2.9, 1.4, 2.3], 5, 0.7,
                        lambda x: {"larger": x[:, 0] > x[:, 1], "top": x.max(1)}),
    "two_modes_50": two_modes(50),
    "three_modes_50": three_modes(),
    "bananas": bananas(),
    "ring_centre": ring_centre(),
    "jump": Target("c a b", [U(0.5, 10.5), N(0, 3), N(0, 3)], lambda x: levels(x, 1, JUMP),
                   lambda x: {"early": x[:, 0] < 5}),
    "tanh2": Target("a[2] b[2]", [N(0, 1.5)] * 2, curve(*UNITS, 0.3, lambda x, t: col(x, 2) * np.tanh(col(x, 0) * t)
                                                        + col(x, 3) * np.tanh(col(x, 1) * t)),
                    lambda x: {"positive": x[:, 0] > 0, "first": abs(x[:, 0]) > abs(x[:, 1]),
                               "slope": x[:, 0] * x[:, 2] + x[:, 1] * x[:, 3]}),
    "product3": Target("a b c", [N(0, 0.7)] * 3, lambda x: normal(0.4, x.prod(1), 0.05),
                       lambda x: {"up": x[:, 0] > 0, "size": abs(x[:, 0])}),
    "factor": Target("l[3] f[5]", [N(0, 1)] * 2, factor, lambda x: {"positive": x[:, 0] > 0}),
    "two_changes": Target("c1 c2 a b d", [U(0.5, 40.5)] * 2 + [N(0, 3)] * 3, lambda x: levels(x, 2, CHANGES),
                          lambda x: {"begins": x[:, :2].min(1), "ends": x[:, :2].max(1)}),
    "decay": Target("a[2] k[2]", [N(0, 2), E(1)], curve(*DECAY, 0.1, lambda x, t: col(x, 0) * np.exp(-col(x, 2) * t)
                                                        + col(x, 1) * np.exp(-col(x, 3) * t)),
                    lambda x: {"faster": x[:, 2] > x[:, 3], "slow": x[:, 2:].min(1)}),
    "chain": Target("x[20]", [U(-3, 3)], lambda x: wells(x, 1, 4, 0.03), lambda x: {"up": x.sum(1) > 0}),
    "rare": blobs(5, 10, {"other": 1}, (-2, 1, 0.97), (2.5, 0.5, 0.03)),
    "widths": blobs(4, 10, {"narrow": 1}, (-3, 1), (3, 0.1)),
    "grid100": Target("x[2]", [U(-40, 40)], lambda x: sum(logsumexp(
        -((x[:, d, None] - 5 * (np.arange(10) - 4.5)) ** 2) / 0.5, 1) for d in range(2)),
        lambda x: {"right": x[:, 0] > 0, "upper": x[:, 1] > 10}),
    "angles": Target("p q", [U(-math.pi, math.pi)] * 2, hands, lambda x: {"up": x[:, 1] > 0}),
    "sensor": Target("x z", [N(0, 3)] * 2, ranges(((0, 1), (0.0, 0.0), 1.4, 0.05), ((0, 1), (1.0, 0.02), 1.05, 0.05),
                                                  ((0, 1), (2.0, 0.0), 1.45, 0.05)), lambda x: {"above": x[:, 1] > 0}),
    "conflict": Target("x", [N(0, 1)], lambda x: math.lgamma(2) - math.lgamma(1.5) - 0.5 * math.log(3 * math.pi)
                       - math.log(0.05) - 2 * np.log1p(((5 - x[:, 0]) / 0.05) ** 2 / 3),
                       lambda x: {"at_data": x[:, 0] > 3}),
    "poisson_mix": Target("r[2]", [E(0.1)], poisson_mix, lambda x: {"larger": x[:, 0] > x[:, 1]}),
    "regressions": Target("b[2]", [N(0, 3)], regressions, lambda x: {"larger": x[:, 0] > x[:, 1]}),
    "mixture8": mixture(EIGHT, 10, 0.5, lambda x: {"larger": x[:, 0] > x[:, 1], "total": x.sum(1)}),
}


def truth(name):
    return json.load(open(f"{HERE}/targets/{name}.json"))


class Clock:
    """A context that measures the processor time of the statements inside, in this process and its ended children."""

    def spent(self):
        each = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(u.ru_utime + u.ru_stime for u in each)

    def __enter__(self):
        self.seconds = -self.spent()
        return self

    def __exit__(self, *_):
        self.seconds += self.spent()


def moments(t, x, weights):
    """Returns weighted means of the quantities, one for each row of weights."""
    return {k: weights @ v / weights.sum(1) for k, v in t.values(x).items()}


def dynesty(t, seed):
    import dynesty
    from dynesty.utils import jitter_run, resample_run

    rng = np.random.default_rng(seed)
    s = dynesty.NestedSampler(t.one, t.transform, t.dim, rstate=rng)
    with Clock() as c:
        s.run_nested(print_progress=False)
    r, calls = s.results, t.calls
    again = []  # the error of a mean: between runs simulated from this one, as its documentation has it
    for _ in range(50):
        other = jitter_run(resample_run(r, rstate=rng), rstate=rng)
        again.append({k: float(other.importance_weights() @ v) for k, v in t.values(other.samples).items()})
    mean = moments(t, r.samples, r.importance_weights()[None])
    return {"means": {k: (v[0], np.std([a[k] for a in again])) for k, v in mean.items()}, "seconds": c.seconds,
            "log_z": (r.logz[-1], r.logzerr[-1]), "calls": calls}


def ultranest(t, seed):
    import ultranest

    np.random.seed(seed)
    s = ultranest.ReactiveNestedSampler(t.names, t.many, t.transform, vectorized=True)
    with Clock() as c:
        r = s.run(show_status=False, viz_callback=False)
    w = r["weighted_samples"]
    mean = moments(t, np.asarray(w["points"]), np.asarray(w["weights"])[None])
    again = moments(t, np.asarray(w["points"]), np.asarray(w["bootstrapped_weights"]).T)
    return {"means": {k: (v[0], again[k].std()) for k, v in mean.items()}, "seconds": c.seconds,
            "log_z": (r["logz"], r["logzerr"]), "calls": t.calls}


def nautilus(t, seed):
    import nautilus

    s = nautilus.Sampler(t.transform, lambda x: t.many(x) if x.ndim > 1 else t.one(x), n_dim=t.dim, vectorized=True,
                         pass_dict=False, seed=seed)
    with Clock() as c:
        s.run()
    x, log_w, _ = s.posterior()
    w = np.exp(log_w - log_w.max())[None]
    mean, second = moments(t, x, w), {k: (w[0] @ v**2) / w.sum() for k, v in t.values(x).items()}
    error = {k: math.sqrt(max(second[k] - m[0] ** 2, 0) / s.n_eff) for k, m in mean.items()}
    return {"means": {k: (m[0], error[k]) for k, m in mean.items()}, "seconds": c.seconds,
            "log_z": (s.log_z, s.n_eff**-0.5), "calls": t.calls}


def emcee(t, seed):
    import emcee

    rng, walkers = np.random.default_rng(seed), max(32, 4 * t.dim)
    s = emcee.EnsembleSampler(walkers, t.dim, t.logpost, vectorize=True)
    s.random_state = np.random.RandomState(seed).get_state()
    with Clock() as c:
        s.run_mcmc(t.transform(rng.uniform(size=(walkers, t.dim))), 5000)
        tau = s.get_autocorr_time(quiet=True)  # warns where the chain is shorter than 50 of these
    burn = int(min(2 * np.nanmax(tau), 2500)) if np.isfinite(tau).any() else 2500
    chain = s.get_chain(discard=burn)
    values = {k: v.reshape(chain.shape[:2]) for k, v in t.values(chain.reshape(-1, t.dim)).items()}
    means = {}
    with unheard():
        for k, v in values.items():
            own = float(emcee.autocorr.integrated_time(v[:, :, None], quiet=True)[0])
            # If an indicator never changes in a walker, its autocorrelation is undefined; then the variance between walkers is used.
            apart = v.mean(0).std(ddof=1) / math.sqrt(walkers)
            means[k] = v.mean(), v.std() * math.sqrt(own / v.size) if np.isfinite(own) else apart
    return {"means": means, "seconds": c.seconds, "calls": t.calls}


def smc(t, seed):
    import pymc
    import pytensor.tensor as pt
    from pytensor.graph.op import Op

    class Likelihood(Op):
        itypes, otypes = [pt.dvector], [pt.dscalar]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.array(t.one(inputs[0]))

    with pymc.Model():
        parts = []
        for kind, (columns, a, b) in t.columns.items():
            name, args = KINDS[kind][2](a, b)
            parts.append(getattr(pymc, name)(kind, shape=len(columns), **args))
        x = pt.concatenate(parts)[t.order]
        pymc.Potential("likelihood", Likelihood()(x))
        with Clock() as c:
            trace = pymc.sample_smc(chains=4, cores=1, random_seed=seed, progressbar=False)
    draws = np.concatenate([trace.posterior[k].values for k in t.columns], 2)[:, :, t.order]
    last = [[z for z in chain if np.isfinite(z)][-1] for chain in smc_evidence(trace)]
    return from_chains(t, draws, last, c.seconds, t.calls)


def tfp(t, seed):
    """Four runs of 2,000 particles, as many as in PyMC, in coordinates that are standard normal under the prior. Compilation is not timed."""
    import jax
    from jax.scipy import special
    from tensorflow_probability.substrates.jax.experimental.mcmc import sample_sequential_monte_carlo

    jax.config.update("jax_enable_x64", True)
    jnp, particles, counted = jax.numpy, 2000, []

    def place(z):
        u = jax.scipy.stats.norm.cdf(z)
        parts = [KINDS[kind][0](u[:, jnp.array(at)], a, b) for kind, (at, a, b) in t.columns.items()]
        return jnp.concatenate(parts, 1)[:, t.order]

    def loglik(z):
        jax.debug.callback(lambda: counted.append(len(z)))
        value = t.loglik(place(z))
        return jnp.where(jnp.isnan(value), -jnp.inf, value)

    def run(key):
        start = jax.random.normal(key, (particles, t.dim), dtype="float64")
        _, z, last = sample_sequential_monte_carlo(lambda z: -0.5 * (z**2).sum(1), loglik, start,
                                                   seed=jax.random.fold_in(key, 1))
        return place(z), last.log_marginal_likelihood, last.inverse_temperature

    # Targets and priors use the names np, logsumexp and ndtri of this module, which JAX's functions replace here.
    with swapped(np=jnp, logsumexp=special.logsumexp, ndtri=special.ndtri):
        compiled = jax.jit(run).lower(jax.random.PRNGKey(0)).compile()
    with Clock() as c:
        runs = [compiled(jax.random.PRNGKey(4 * seed + k)) for k in range(4)]
        draws = np.array([np.asarray(x) for x, _, _ in runs])
        jax.effects_barrier()
    if not all(float(beta) >= 1 for _, _, beta in runs):
        warnings.warn("a run ended above temperature 1")
    return from_chains(t, draws, [float(z) for _, z, _ in runs], c.seconds, sum(counted))


@contextlib.contextmanager
def swapped(**names):
    before = {name: globals()[name] for name in names}
    globals().update(names)
    try:
        yield
    finally:
        globals().update(before)


def from_chains(t, draws, log_z, seconds, calls):
    """Returns the result of four runs, from their draws and log evidences."""
    import arviz

    means, worst = {}, 1.0
    for k, v in t.values(draws.reshape(-1, t.dim)).items():
        v = v.reshape(draws.shape[:2])
        fixed = np.ptp(v) == 0
        means[k] = v.mean(), 0.0 if fixed else arviz.mcse(v).item()
        worst = max(worst, 1.0 if fixed else float(arviz.rhat(v)))
    return {"means": means, "seconds": seconds, "calls": calls, "rhat": worst,
            "log_z": (logsumexp(log_z) - math.log(4), np.std(log_z, ddof=1) / 2)}


def smc_evidence(trace):
    """Returns the log evidence at each stage for each chain; chains have different numbers of stages."""
    flat = lambda z: [w for v in z for w in flat(v)] if isinstance(z, (list, tuple, np.ndarray)) else [float(z)]
    return [flat(chain) for chain in trace.sample_stats["log_marginal_likelihood"].values.tolist()]


def ppl(name, seed, command):
    with tempfile.TemporaryDirectory() as d, Clock() as c:
        def say(*args):
            done = subprocess.run([command, *args, "--json"], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr[-300:])
            return json.loads(done.stdout)

        s = say("sample", f"{HERE}/targets/{name}.ppl", "--quiet", "--threads", "1", "--seed", str(seed), "--out",
                f"{d}/run")
        seconds = c.seconds + c.spent()
        found = {p["name"]: (p["mean"], p["mcse_mean"] or 0) for p in s["parameters"] if p["mean"] is not None}
        run = {"means": found, "seconds": seconds, "calls": s["gradients"],
               "said": [str(w) for w in s["warnings"] or []],
               "rhat": max((p["rhat"] or 1 for p in s["parameters"]), default=1)}
        if "log_evidence" in truth(name):
            e = say("evidence", f"{d}/run")[0]
            run["log_z"] = e["log_evidence"], e["se"]
        return run


SYSTEMS = {"ppl": ppl, "dynesty": dynesty, "UltraNest": ultranest, "nautilus": nautilus, "emcee": emcee, "SMC": smc,
           "TFP": tfp}

MODULES = {"ppl": [], "dynesty": ["dynesty"], "UltraNest": ["ultranest"], "nautilus": ["nautilus"], "emcee": ["emcee"],
           "SMC": ["pymc", "arviz"],
           "TFP": ["jax", "arviz", "tensorflow_probability.substrates.jax.experimental.mcmc"]}

# Limits of processor time, in seconds, of systems that need more than the others.
LIMITS = {"nautilus": 180}


@contextlib.contextmanager
def unheard():
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(before)


class Heard(logging.Handler):
    """Records what a system logs as a warning or error."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage()[:200])


def quiet(text):
    """Reports whether a warning does not concern the result: warnings of arithmetic, and of future changes of a library."""
    return any(w in text for w in ("overflow", "divide by zero", "invalid value", "underflow", "deprecat", "Potential"))


def one(system, name, seed, args):
    """Does one run, for a separate process."""
    if system == "ppl":
        return ppl(name, seed, args.ppl)
    heard = Heard()
    for logger in [logging.root] + [logging.getLogger(n) for n in ("pymc", "ultranest", "emcee", "dynesty")]:
        logger.addHandler(heard)
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("default")
        run = SYSTEMS[system](TARGETS[name], seed)
    said = heard.said + [str(w.message)[:200] for w in caught if issubclass(w.category, (UserWarning, RuntimeWarning))]
    return run | {"said": sorted({s for s in said if not quiet(s)})}


def judged(run, t):
    """Judges a run by the rule of main.go. A log evidence is wrong if its error exceeds three standard errors."""
    wrong, worst = "", 0.0
    for k, want in t["quantities"].items():
        mean, error = run["means"][k]
        off = abs(mean - want["mean"])
        if not off <= 0.3 * want["sd"] and off >= 0 or off > max(4 * error, 0.02 * want["sd"]) or off != off:
            if off / want["sd"] >= worst or off != off:
                worst, wrong = off / want["sd"], f"{k} is {mean:.3g} ± {error:.2g}, not {want['mean']:.3g}"
    out = {k: v for k, v in run.items() if k not in ("means", "log_z")} | {"wrong": wrong}
    if "log_z" in run:
        out["log_z"] = [float(v) for v in run["log_z"]]
    return out


def forked(system, name, seed, args):
    """Does a run in a child process, which the operating system ends at the limit of processor time."""
    file = tempfile.mktemp()
    child = os.fork()
    if child == 0:
        # Imported before the limit is set, so that imports do not count.
        for module in MODULES[system]:
            importlib.import_module(module)
        limit = math.ceil(Clock().spent() + LIMITS.get(system, args.limit))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        try:
            run = judged(one(system, name, seed, args), truth(name))
        except BaseException as e:
            run = {"failed": f"{type(e).__name__}: {e}"[:300]}
        with open(file, "w") as f:
            json.dump(run, f, default=float)
        os._exit(0)
    _, _, used = os.wait4(child, 0)
    run = {"failed": "out of time"}
    if os.path.exists(file):
        run = json.load(open(file))
        os.remove(file)
    return {"target": name, "system": system, "seed": seed, "all_seconds": used.ru_utime + used.ru_stime} | run


def verdict(run):
    if "failed" in run:
        return "unfinished" if run["failed"] == "out of time" else "failed"
    flagged = run["said"] or run.get("rhat", 1) > 1.01
    return ("wrong" if run["wrong"] else "right") + (", flagged" if flagged else ", silent" if run["wrong"] else "")


def measure(names, args):
    runs = [json.loads(line) for line in open(args.runs)] if os.path.exists(args.runs) else []
    for seed in range(1, args.seeds + 1):
        for name in names:
            for system in args.systems.split(","):
                if any((r["target"], r["system"], r["seed"]) == (name, system, seed) for r in runs):
                    continue
                run = forked(system, name, seed, args)
                runs.append(run)
                with open(args.runs, "a") as f:
                    f.write(json.dumps(run) + "\n")
                print(name, system, seed, verdict(run), run.get("failed", ""), run.get("wrong", ""),
                      f"{run['all_seconds']:.1f} s", run.get("said", ""), flush=True)
    return runs


def check(name, args):
    """Compares a target with the model and with the truth, and returns the differences as text."""
    t, rng = TARGETS[name], np.random.default_rng(1)
    x = t.transform(rng.uniform(0.3, 0.7, size=(5, t.dim)))
    ours, theirs = t.logpost(x), []
    with tempfile.TemporaryDirectory() as d:
        for row in x:
            left, at = list(row), {}
            for base, shape in t.bases:
                n = math.prod(shape)
                at[base] = np.reshape(left[:n], shape).tolist()
                left = left[n:]
            json.dump(at, open(f"{d}/at.json", "w"))
            done = subprocess.run([args.ppl, "logprob", f"{HERE}/targets/{name}.ppl", "--at", f"{d}/at.json", "--json",
                                   "--device", "host"], capture_output=True, text=True)
            if done.returncode:
                return f"{name}: {done.stderr[-200:]}"
            said = json.loads(done.stdout)
            theirs.append(said["log_prior"] + said["log_likelihood"])
    apart = ours - np.array(theirs)
    text = f"{name}: constant {apart[0]:.6f}, varies by {np.ptp(apart):.1e} of {np.ptp(ours):.3g}"
    x = t.transform(rng.uniform(size=(200_000, t.dim)))
    logl = t.many(x)
    w = np.exp(logl - logl.max())
    w /= w.sum()
    n = 1 / (w**2).sum()
    if n < 100:
        return text
    want = truth(name)
    z = [(w @ t.values(x)[k] - q["mean"]) / (q["sd"] / math.sqrt(n)) for k, q in want["quantities"].items()]
    if "log_evidence" in want:
        z.append((logsumexp(logl) - math.log(len(x)) - want["log_evidence"]) * math.sqrt(n))
    return text + f"; importance sampling of {n:.0f}: " + ", ".join(f"{v:.1f}" for v in z)


INTRO = """# The gold targets under other systems

Systems at their defaults on the targets of this directory, which peers.py writes once more; one thread, seed 1.
Right and wrong are judged by the rule of RESULTS.md, from the Monte Carlo error that each system gives. Flagged
means that a system warned of its result. For ppl: a warning, or an R-hat above 1.01. For dynesty, UltraNest,
nautilus and emcee: a warning in Python or in the log (emcee warns where the chain is shorter than 50
autocorrelation times). For SMC (that of PyMC) and TFP (sample_sequential_monte_carlo): such a warning, or an R-hat of
four chains or runs above 1.01.

Calls are evaluations of the likelihood, for ppl of the density with its gradient. Seconds are those of a
processor: for ppl of the whole command, for the others of sampling alone. Their likelihoods are NumPy called from
Python, for TFP compiled by JAX beforehand, so seconds compare implementations, not algorithms. A run that takes more
than LIMIT s of a processor, imports left out, is unfinished; a longer limit could turn it right or wrong. It is
LONGER s for nautilus, which trains networks. A density without a proper prior has a wide box as its prior.

Nautilus refuses to run with one parameter. The log Z of TFP's runs is off where its last step of the temperature would
go beyond 1: the step is cut, and the weights that log Z counts are not.

    python experiments/multimodal/gold/peers.py --ppl PPL --runs peers.jsonl --seeds 1 --limit LIMIT --out PEERS.md

"""


def row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |\n"


def evidence(runs):
    """Returns, as text, how many of the runs with a known truth have a log Z within three of their standard errors of it."""
    known = [(r["log_z"], truth(r["target"])["log_evidence"]) for r in runs
             if "log_z" in r and "log_evidence" in truth(r["target"])]
    return f"{sum(abs(z - want) <= 3 * error for (z, error), want in known)} of {len(known)}" if known else ""


def page(runs, limit):
    kinds = ["right", "right, flagged", "wrong, flagged", "wrong, silent", "unfinished", "failed"]
    systems = [s for s in SYSTEMS if any(r["system"] == s for r in runs)]
    heads = ["system", "runs", *kinds, "median calls", "median seconds", "log Z within 3 errors"]
    text = INTRO.replace("LIMIT", str(limit)).replace("LONGER", str(LIMITS["nautilus"]))
    text += row(heads) + row(["---"] * len(heads))
    for system in systems:
        own = [r for r in runs if r["system"] == system]
        done = [r for r in own if "failed" not in r]
        median = [f"{statistics.median(r[k] for r in done):.3g}" if done else "" for k in ("calls", "seconds")]
        counts = [sum(verdict(r) == k for r in own) for k in kinds]
        text += row([system, len(own), *counts, *median, evidence(own)])
    text += "\nMedians are of the runs that finished. By target, with calls and seconds:\n\n"
    text += row(["target", *systems]) + row(["---"] * (1 + len(systems)))
    for name in dict.fromkeys(r["target"] for r in runs):
        cells = {r["system"]: verdict(r) + ("" if "failed" in r else f", {r['calls']:.2g}, {r['seconds']:.2g} s")
                 for r in runs if r["target"] == name}
        text += row([name, *(cells.get(s, "not run") for s in systems)])
    missing = [n for n in TARGETS if not any(r["target"] == n for r in runs)]
    others = sorted(f[:-5] for f in os.listdir(f"{HERE}/targets") if f.endswith(".json") and f[:-5] not in TARGETS)
    absent = [s for s in SYSTEMS if s not in systems]
    for what, names in (("Systems not run", absent), ("Targets not run", missing), ("Targets not in peers.py", others)):
        text += f"\n{what}:\n" + "".join(f"- {n}\n" for n in names) if names else ""
    return text


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--ppl", required=True, help="the ppl command")
    a.add_argument("--runs", help="file of the runs")
    a.add_argument("--out", help="page to write")
    a.add_argument("--only", default=",".join(TARGETS), help="targets, separated by commas")
    a.add_argument("--systems", default=",".join(SYSTEMS), help="separated by commas")
    a.add_argument("--seeds", type=int, default=3, help="seeds 1 to this")
    a.add_argument("--limit", type=int, default=120, help="processor seconds of a run")
    a.add_argument("--check", action="store_true", help="compare the rows with the models")
    args = a.parse_args()
    names = args.only.split(",")
    if args.check:
        for name in names:
            print(check(name, args), flush=True)
        return
    runs = measure(names, args)
    if args.out:
        with open(args.out, "w") as f:
            f.write(page(runs, args.limit))


if __name__ == "__main__":
    main()
