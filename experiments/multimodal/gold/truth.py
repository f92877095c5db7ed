"""Writes the truth of every target in targets/ and broken/ as JSON: by quadrature, a transfer matrix, or in closed form, independently of ppl.

    python3 experiments/multimodal/gold/truth.py

{"how": "…", "quantities": {"a": {"mean": 0, "sd": 0.98}}}: mean and standard deviation of an element as ppl names it. An indicator is 0 or 1.
"log_evidence" is the logarithm of the density of the data, where priors are proper.
In broken/, "flags" are the flags of ppl sample, with which a run fails or probably fails. "none" means that no result can be right, because the
posterior or a printed mean does not exist: such a run must be refused or flagged.
"""

import json
import math
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def normal(x, mean, sd):
    return -0.5 * ((x - mean) / sd) ** 2 - np.log(sd) - 0.5 * math.log(2 * math.pi)


def write(name, how, set="targets", flags=None, none=False, log_evidence=None, **quantities):
    out = {}
    for key, (mean, sd) in quantities.items():
        out[key.replace("__", "[").replace("_x_", ",") + ("]" if "__" in key else "")] = {"mean": float(mean), "sd": float(sd)}
    truth = {"how": how, "quantities": out}
    if log_evidence is not None:
        truth["log_evidence"] = float(log_evidence)
    if flags:
        truth["flags"] = flags.split()
    if none:
        truth["none"] = True
    with open(os.path.join(HERE, set, name + ".json"), "w") as f:
        json.dump(truth, f, indent=1)
        f.write("\n")


def moments(weight, x):
    mean = float(np.sum(weight * x))
    return mean, math.sqrt(max(float(np.sum(weight * (x - mean) ** 2)), 0))


def normalised(logp):
    w = np.exp(logp - logp.max())
    return w / w.sum()


def integral(logp, *steps):
    """Returns the logarithm of the integral of exp logp over a grid with the given steps."""
    return logp.max() + math.log(np.exp(logp - logp.max()).sum()) + sum(math.log(h) for h in steps)


def share(p):
    return p, math.sqrt(p * (1 - p))


def hyperbola():
    g = np.linspace(-6, 6, 6001)  # spacing .002; the ridge is .05/a wide
    a, b = g[:, None], g[None, :]
    logp = normal(a, 0, 1) + normal(b, 0, 1) + normal(1, a * b, 0.05)
    w = normalised(logp)
    for name in "hyperbola", "hyperbola_density":
        log_evidence = integral(logp, 0.002, 0.002) if name == "hyperbola" else None
        write(name, "quadrature in two dimensions", log_evidence=log_evidence, a=moments(w.sum(1), g), b=moments(w.sum(0), g), positive=share(0.5),
              far=moments(w.sum(1), np.abs(g)))


def corners():
    g = np.linspace(-6, 6, 120001)
    q, log_evidence = {}, 0
    for i, y in enumerate([1, 2, 0.5, 1.5, 1, 3]):
        logp = normal(g, 0, 3) + normal(y, g**2, 0.2)
        w = normalised(logp)
        log_evidence += integral(logp, 1e-4)
        q[f"x__{i+1}"] = moments(w, g)
        q[f"positive__{i+1}"] = share(0.5)
    write("corners", "quadrature, one dimension at a time", log_evidence=log_evidence, same=share(0.5), **q)


def closed_forms():
    write("widths", "closed form", x__1=(0, math.sqrt(0.5 * 1.01 + 9)), x__4=(0, math.sqrt(0.5 * 1.01 + 9)), narrow=share(0.5))
    for d in 10, 50:
        h = 6 / math.sqrt(d)
        write(f"two_modes_{d}", "closed form", right=share(0.25), x__1=(-h / 2, math.sqrt(1 + 0.75 * h * h)))
    write("tails", "closed form (t and F distributions)", inside=share(1 / math.sqrt(3)), near=share(0.8**4))


def one_dimension():
    g = np.linspace(-12, 12, 480001)
    constant = math.lgamma(2) - math.lgamma(1.5) - 0.5 * math.log(3 * math.pi) - math.log(0.05)
    logp = normal(g, 0, 1) + constant - 2 * np.log(1 + ((5 - g) / 0.05) ** 2 / 3)
    w = normalised(logp)
    write("conflict", "quadrature", log_evidence=integral(logp, 5e-5), x=moments(w, g), at_data=share(w[g > 3].sum()))

    g = np.linspace(0, 20, 400001)
    ts = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    ys = [0.1, 0.7, 0.9, 0.6, 0.2, -0.5, -1.1, -0.8]
    logp = sum(normal(y, np.sin(g * t), 0.4) for t, y in zip(ts, ys))
    w = normalised(logp)
    write("frequency", "quadrature", log_evidence=integral(logp, 5e-5) - math.log(20), w=moments(w, g), low=share(w[g < 6].sum()))

    n = 600000
    g = -math.pi + 2 * math.pi * (np.arange(n) + 0.5) / n
    logp = sum(normal(y, np.sin(3 * g), 0.1) for y in [0.4, 0.6, 0.5])
    w = normalised(logp)
    write("phase", "quadrature", log_evidence=integral(logp, 1 / n), phi=moments(w, g), low=share(w[g < -math.pi / 3].sum()), high=share(w[g > math.pi / 3].sum()))


def sensor():
    x, z = np.linspace(-2, 4, 2401)[:, None], np.linspace(-4, 4, 3201)[None, :]
    logp = normal(x, 0, 3) + normal(z, 0, 3)
    for ax, ay, d in (0, 0, 1.4), (1, 0.02, 1.05), (2, 0, 1.45):
        logp = logp + normal(d, np.sqrt((x - ax) ** 2 + (z - ay) ** 2), 0.05)
    w = normalised(logp)
    write("sensor", "quadrature in two dimensions", log_evidence=integral(logp, 0.0025, 0.0025), x=moments(w.sum(1), x[:, 0]), z=moments(w.sum(0), z[0]),
          above=share(w.sum(0)[z[0] > 0].sum()))


def mixtures():
    g = np.linspace(-8, 8, 1601)
    a, b = g[:, None], g[None, :]
    logp = normal(a, 0, 5) + normal(b, 0, 5)
    for y in [-2.1, -1.6, -2.6, -1.2, -2.0, 1.7, 2.2, 2.9, 1.4, 2.3]:
        logp = logp + np.logaddexp(normal(y, a, 0.7), normal(y, b, 0.7))
    w = normalised(logp)
    write("mixture2", "quadrature in two dimensions", log_evidence=integral(logp, 0.01, 0.01) - 10 * math.log(2), m__1=moments(w.sum(1), g), m__2=moments(w.sum(0), g), larger=share(0.5),
          top=moments(w, np.maximum(a, b)))

    g = np.linspace(-10, 10, 241)
    a, b, c = g[:, None, None], g[None, :, None], g[None, None, :]
    logp = normal(a, 0, 5) + normal(b, 0, 5) + normal(c, 0, 5)
    for y in [-4.1, -3.6, -4.6, -3.9, 0.2, -0.5, 0.4, 0.1, 3.7, 4.2, 4.9, 3.4]:
        logp = logp + np.log(np.exp(normal(y, a, 0.6)) + np.exp(normal(y, b, 0.6)) + np.exp(normal(y, c, 0.6)) + 1e-300)
    w = normalised(logp)
    m = moments(w.sum((1, 2)), g)
    h = 20 / 240
    write("mixture3", "quadrature in three dimensions", log_evidence=integral(logp, h, h, h) - 12 * math.log(3), m__1=m, m__2=m, m__3=m, lowest__1=share(1 / 3), lowest__2=share(1 / 3))

    # Clusters of two, eight standard deviations apart: up to a probability of e^-32, each component has one cluster, and its mean is normal.
    pairs = np.array([[-8.2, -7.9], [-4.1, -3.8], [0.3, -0.2], [3.9, 4.2], [8.1, 7.8]])
    centre = pairs.sum(1) / 0.25
    precision = 2 / 0.25 + 1 / 36
    mu = centre / precision
    one = moments(np.full(5, 0.2), mu)
    m = (one[0], math.sqrt(one[1] ** 2 + 1 / precision))
    write("mixture5", "closed form, by the symmetry of labels", log_evidence=apart(pairs, 6), m__1=m, m__5=m, larger=share(0.5),
          total=(mu.sum(), math.sqrt(5 / precision)))


def apart(pairs, spread):
    """Returns the log evidence of a mixture in which each component has one of the pairs of observations, summed over labels. Means have prior N(0, spread²), the noise has sd 0.5."""
    k = len(pairs)
    total = math.lgamma(k + 1) - 2 * k * math.log(k)
    for pair in pairs:
        cov = 0.25 * np.eye(2) + spread**2
        total += -0.5 * pair @ np.linalg.solve(cov, pair) - 0.5 * np.linalg.slogdet(cov)[1] - math.log(2 * math.pi)
    return total


def factor():
    y = np.array([[1.0, 0.9, -1.1], [-0.8, -1.2, 0.9], [0.6, 0.4, -0.5], [-1.5, -1.3, 1.6], [0.2, 0.3, -0.1]])
    g = np.linspace(-4.5, 4.5, 301)
    l = [g[:, None, None], g[None, :, None], g[None, None, :]]
    logp = -sum(x**2 for x in l) / 2
    norm = 0.04 + sum(x**2 for x in l)  # covariance .04 I + l lᵀ of a row, by Sherman and Morrison
    for row in y:
        dot = sum(x * v for x, v in zip(l, row))
        logp = logp - 0.5 * np.log(norm) - 0.5 * ((row @ row) - dot**2 / norm) / 0.04
    w = normalised(logp)
    q = {f"l__{j+1}": moments(w.sum(tuple(k for k in range(3) if k != j)), g) for j in range(3)}
    # The constants that the density above omits: those of the prior, and for each row those of the noise.
    constant = -1.5 * math.log(2 * math.pi) * (1 + len(y)) - math.log(0.04) * len(y)
    write("factor", "quadrature in three dimensions", log_evidence=integral(logp, 0.03, 0.03, 0.03) + constant, positive=share(0.5), **q)


def lattice():
    g = np.linspace(-2.4, 2.4, 33)
    site = np.exp(-2 * (g**2 - 1) ** 2)
    bond = np.exp(-((g[:, None] - g[None, :]) ** 2))
    row = site[:, None, None, None] * site[:, None, None] * site[:, None] * site
    for i in range(3):
        shape = [1, 1, 1, 1]
        shape[i] = shape[i + 1] = len(g)
        row = row * bond.reshape(shape)

    def down(t):
        for axis in range(4):
            t = np.moveaxis(np.tensordot(bond, t, (1, axis)), 0, axis)
        return t

    up = row
    for _ in range(3):
        up = row * down(up)
    z = up.sum()
    second = (up.sum((1, 2, 3)) * g**2).sum() / z
    write("lattice", "transfer matrix", up=share(0.5), x__1_x_1=(0, math.sqrt(second)))


def jump():
    y = np.array([0.3, -0.4, 0.2, 1.9, -0.1, 1.2, 0.3, 2.4, 1.8, 2.2])

    def group(ys):  # log evidence, mean and variance of a group's level with prior N(0, 3²) and noise .8
        n, precision = len(ys), len(ys) / 0.64 + 1 / 9
        mean = ys.sum() / 0.64 / precision
        return -0.5 * math.log(precision * 9) - 0.5 * ((ys @ ys) / 0.64 - mean**2 * precision), mean, 1 / precision

    cells = [(0.5, 1)] + [(k, k + 1) for k in range(1, 10)] + [(10, 10.5)]
    parts = [group(y[:k]) + group(y[k:]) + cells[k] for k in range(11)]
    w = normalised(np.array([p[0] + p[3] + math.log(p[7] - p[6]) for p in parts]))

    p = np.array(parts)
    logs = np.array([p[0] + p[3] + math.log(p[7] - p[6]) for p in parts])
    log_evidence = integral(logs) - math.log(10) - 5 * math.log(2 * math.pi) - 10 * math.log(0.8)
    write("jump", "sum over the cells between observations", log_evidence=log_evidence, a=mixed(w, p[:, 1], p[:, 2]), b=mixed(w, p[:, 4], p[:, 5]),
          c=mixed(w, (p[:, 6] + p[:, 7]) / 2, (p[:, 7] - p[:, 6]) ** 2 / 12), early=share(w[:5].sum()))


def two_changes():
    y = np.array([-0.35, 0.62, -1.1, 0.24, 0.71, -0.48, 0.05, -0.93, 0.37, 1.02, -0.66, 0.18, -0.27, 0.44, 1.31, 2.2, 0.97, 1.68, 2.05, 1.12, 1.83, 0.76, 2.41, 1.55, 1.29, 1.94, 0.58, 0.1, -0.42, 0.93, 1.21, -0.15, 0.67, 0.49, -0.78, 1.05, 0.32, 0.88, -0.21, 0.54])
    n = len(y)

    def level(ys):  # log evidence, mean and variance of a level with prior N(0, 3²) and noise .8
        precision = len(ys) / 0.64 + 1 / 9
        mean = ys.sum() / 0.64 / precision
        return -0.5 * math.log(precision * 9) - 0.5 * ((ys @ ys) / 0.64 - mean**2 * precision), mean, 1 / precision

    ends = [0.5] + list(range(1, n + 1)) + [n + 0.5]
    logs, parts = [], []
    for i in range(n + 1):  # the earlier change point is in this cell between observations,
        for j in range(i, n + 1):  # and the later one in that
            u, v = ends[i + 1] - ends[i], ends[j + 1] - ends[j]
            a, b, d = level(y[:i]), level(y[i:j]), level(y[j:])
            one, other = (ends[i] + u / 2, u * u / 12), (ends[j] + v / 2, v * v / 12)
            if i == j:  # the smaller and the larger of two uniform numbers
                one, other = (ends[i] + u / 3, u * u / 18), (ends[i] + 2 * u / 3, u * u / 18)
            logs.append(a[0] + b[0] + d[0] + math.log(u * v * (1 if i == j else 2)))
            parts.append(a[1:] + b[1:] + d[1:] + one + other)
    w, p = normalised(np.array(logs)), np.array(parts)
    q = dict(zip(["a", "b", "d", "begins", "ends"], (mixed(w, p[:, 2 * k], p[:, 2 * k + 1]) for k in range(5))))
    middle = (q["begins"][0] + q["ends"][0]) / 2  # c1 is either, as likely
    square = sum(q[k][0] ** 2 + q[k][1] ** 2 for k in ("begins", "ends")) / 2
    log_evidence = integral(np.array(logs)) - 2 * math.log(40) - n / 2 * math.log(2 * math.pi) - n * math.log(0.8)
    write("two_changes", "sum over the cells between observations", log_evidence=log_evidence, c1=(middle, math.sqrt(square - middle**2)), **q)


def cauchy(x, mean, scale):
    return -np.log1p(((x - mean) / scale) ** 2) - math.log(math.pi * scale)


def more_lines():
    """Writes targets with one or two dimensions, or with independent dimensions."""
    g = np.linspace(-40, 40, 1600001)
    logp = normal(g, 0, 10) + sum(cauchy(y, g, 0.5) for y in [-5.2, -4.6, -4.9, 5.1, 6.3, 4.2, 0.4])
    w = normalised(logp)
    write("cauchy_location", "quadrature", log_evidence=integral(logp, 5e-5), theta=moments(w, g), right=share(w[g > 0].sum()))

    x = np.array([-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, -1.8, -0.7, 0.9, 1.7])
    y = np.array([-3.1, 1.6, -1.8, 0.3, 0.9, -0.8, 2.4, -2.3, 1.9, -1.0, 1.2, 2.4])
    g = np.linspace(-4, 4, 2001)
    a, b = g[:, None], g[None, :]
    logp = normal(a, 0, 3) + normal(b, 0, 3)
    for u, v in zip(x, y):
        logp = logp + np.logaddexp(math.log(0.4) + normal(v, a * u, 0.5), math.log(0.6) + normal(v, b * u, 0.5))
    w = normalised(logp)
    write("regressions", "quadrature in two dimensions", log_evidence=integral(logp, 0.004, 0.004), b__1=moments(w.sum(1), g), b__2=moments(w.sum(0), g),
          larger=share(w[a > b].sum() + 0.5 * w[(a == b)].sum()))

    q, log_evidence, reach = {}, 0, np.linspace(-8, 8, 1600001)
    for i, y in enumerate([0.1, 0.35, 0.5, -0.6, 0.75, 1.5]):
        logp = np.logaddexp(math.log(0.7) + normal(reach, 0, 0.02), math.log(0.3) + normal(reach, 0, 2)) + normal(y, reach, 0.25)
        w = normalised(logp)
        log_evidence += integral(logp, 1e-5)
        q[f"b__{i+1}"] = moments(w, reach)
        q[f"out__{i+1}"] = share(w[np.abs(reach) > 0.1].sum())
    write("spike_slab", "quadrature, one dimension at a time", log_evidence=log_evidence, **q)

    g = -math.pi + 2 * math.pi * (np.arange(4000) + 0.5) / 4000
    p, r = g[:, None], g[None, :]
    logp = normal(1.2, np.cos(p) + 0.8 * np.cos(p + r), 0.05) + normal(0.7, np.sin(p) + 0.8 * np.sin(p + r), 0.05)
    w = normalised(logp)
    write("angles", "quadrature in two dimensions", log_evidence=integral(logp, 1 / 4000, 1 / 4000), p=moments(w.sum(1), g), q=moments(w.sum(0), g), up=share(w.sum(0)[g > 0].sum()))

    # Given the frequency, the amplitudes are normal: y ~ N(0, .25 I + X X').
    t = np.array([0, 1.04, 1.95, 3.03, 4.06, 4.97, 6, 7.05])
    y = np.array([0.2, 1.1, 0.3, -1.2, 0, 1.1, -0.4, -0.9])
    g = 8 * (np.arange(40000) + 0.5) / 40000
    logp, means = linear(g[:, None] * t, y, 0.5, lambda u: np.stack([np.cos(u), np.sin(u)], -1), 1)
    w = normalised(logp)
    write("tide", "quadrature over the frequency, the amplitudes in closed form", log_evidence=integral(logp, 1 / 40000), w=moments(w, g), low=share(w[g < 3].sum()),
          a=mixed(w, means[0][:, 0], means[1][:, 0]), b=mixed(w, means[0][:, 1], means[1][:, 1]))

    t = np.array([0.2, 0.5, 1, 1.5, 2, 3, 4, 6])
    y = np.array([2.62, 2.02, 1.55, 1.08, 0.92, 0.64, 0.38, 0.27])
    u = np.linspace(-9, 4, 1041)  # logarithms of the rates
    k = np.exp(u)
    k1, k2 = [v.ravel() for v in np.meshgrid(k, k, indexing="ij")]
    decays = np.stack([np.exp(-k1[:, None] * t), np.exp(-k2[:, None] * t)], -1)
    logp, (mean, var) = linear(decays, y, 0.1, lambda v: v, 2)
    logp = logp - k1 - k2 + np.log(k1) + np.log(k2)
    w = normalised(logp)
    write("decay", "quadrature over the rates, the amplitudes in closed form", log_evidence=integral(logp, 0.0125, 0.0125), k__1=moments(w, k1), k__2=moments(w, k2),
          a__1=mixed(w, mean[:, 0], var[:, 0]), faster=share(0.5), slow=moments(w, np.minimum(k1, k2)))


def linear(u, y, sd, columns, prior):
    """Returns, for each element of u, the log evidence and moments of two coefficients c with prior N(0, prior²) in y = columns(u) c + N(0, sd²)."""
    x = columns(u)
    precision = np.einsum("nti,ntj->nij", x, x) / sd**2 + np.eye(2) / prior**2
    right = np.einsum("nti,t->ni", x, y) / sd**2
    cov = np.linalg.inv(precision)
    mean = np.einsum("nij,nj->ni", cov, right)
    logp = 0.5 * np.einsum("ni,ni->n", mean, right) - 0.5 * np.linalg.slogdet(precision)[1] - 2 * math.log(prior)
    logp += normal(y, 0, sd).sum()
    return logp, (mean, np.diagonal(cov, axis1=1, axis2=2))


def mixed(weight, mean, var):
    m = float(np.sum(weight * mean))
    return m, math.sqrt(float(np.sum(weight * (var + (mean - m) ** 2))))


def more_closed_forms():
    h = 6 / math.sqrt(200)
    write("two_modes_200", "closed form", right=share(0.25), x__1=(-h / 2, math.sqrt(1 + 0.75 * h * h)))
    # A coordinate of Student's t with 4 degrees of freedom has variance 2.
    write("t_modes", "closed form", x__1=(0.2 * 6, math.sqrt(0.4 * 2 + 0.6 * 0.18 + 0.24 * 144)), narrow=share(0.6))
    write("rare", "closed form", x__1=(-2 * 0.97 + 2.5 * 0.03, math.sqrt(0.97 + 0.03 * 0.25 + 0.97 * 0.03 * 4.5**2)), other=share(0.03))
    at = 5 * (np.arange(1, 11) - 5.5)
    one = (0, math.sqrt(0.25 + np.mean(at**2)))
    write("grid100", "closed form", x__1=one, x__2=one, right=share(0.5), upper=share(0.3))

    # Clusters of two, at least six standard deviations of the noise apart: each component has one cluster.
    pairs = np.array([[-14.1, -13.8], [-10.2, -9.9], [-6.1, -5.7], [-2.0, -1.9], [2.2, 1.8], [6.0, 6.1], [10.1, 9.7], [13.9, 14.2]])
    centre = pairs.sum(1) / 0.25
    precision = 2 / 0.25 + 1 / 100
    mu = centre / precision
    one = moments(np.full(8, 0.125), mu)
    m = (one[0], math.sqrt(one[1] ** 2 + 1 / precision))
    write("mixture8", "closed form, by the symmetry of labels", log_evidence=apart(pairs, 10), m__1=m, m__8=m, larger=share(0.5),
          total=(mu.sum(), math.sqrt(8 / precision)))


def eight_schools(log_tau):
    """Returns weights on a grid of mu and tau, the grid, and the log evidence, for Rubin's data with mu ~ N(0, 5²) and tau ~ HalfCauchy(5)."""
    y, s = np.array([28, 8, -3, 7, -1, 1, 18, 12]), np.array([15, 10, 16, 11, 9, 11, 10, 18])
    mu, log_tau = np.linspace(-25, 35, 601)[:, None], log_tau[None, :]
    tau = np.exp(log_tau)
    logp = normal(mu, 0, 5) + math.log(2 / (5 * math.pi)) - np.log1p((tau / 5) ** 2) + log_tau
    for a, b in zip(y, s):
        logp = logp + normal(a, mu, np.sqrt(b * b + tau**2))
    return normalised(logp), mu, tau, integral(logp, 0.1, log_tau[0, 1] - log_tau[0, 0])


def schools():
    w, mu, tau, log_evidence = eight_schools(np.linspace(-12, 9, 4201))
    pull = tau**2 / (tau**2 + 15.0**2)
    mean, var = mu + pull * (28 - mu), pull * 15.0**2
    write("schools_centred", "quadrature in two dimensions, the schools in closed form", log_evidence=log_evidence, mu=moments(w.sum(1), mu[:, 0]),
          tau=moments(w.sum(0), tau[0]), small=share(w.sum(0)[tau[0] < 1].sum()), theta__1=mixed(w, mean, var))


def chain():
    g = np.linspace(-2.6, 2.6, 521)
    site = np.exp(-2 * (g**2 - 1) ** 2 + 0.03 * g)
    bond = np.exp(-4 * (g[:, None] - g[None, :]) ** 2)
    left = [site]
    for _ in range(19):
        left.append(site * (bond @ left[-1]))
    z = left[19].sum()
    ten = left[9] * (bond @ left[9]) / z  # by symmetry, the right part of site 10 is the left part of site 11
    # The sign of the sum: the transfer matrix carries the distribution of the sum, on a coarser grid.
    c = np.linspace(-2.4, 2.4, 49)
    site, bond, n = np.exp(-2 * (c**2 - 1) ** 2 + 0.03 * c), np.exp(-4 * (c[:, None] - c[None, :]) ** 2), len(c)
    t = np.zeros((n, 20 * (n - 1) + 1))  # value of the last site, index of the sum
    t[np.arange(n), np.arange(n)] = site
    for _ in range(19):
        moved = bond @ t
        t = np.zeros_like(t)
        for i in range(n):
            t[i, i:] = site[i] * moved[i, : t.shape[1] - i]
    total, middle = t.sum(0), 20 * (n - 1) // 2
    up = (total[middle + 1 :].sum() + total[middle] / 2) / total.sum()
    write("chain", "transfer matrix", up=share(up), x__10=moments(ten, g), x__1=moments(left[19] / z, g))


def ends():
    # The density of a sum of six Beta(.3, .3): moments by convolution of the masses of cells, exact in p.
    n = 4000
    edge = np.linspace(0, 1, n + 1)
    v = np.linspace(0, 0.5**0.3, 4000001)  # p^.3, in which the density is smooth at 0
    p = v ** (1 / 0.3)
    dens = (1 - p) ** -0.7
    half = np.histogram(p, bins=edge[: n // 2 + 1], weights=dens)[0]
    mass = np.concatenate([half, half[::-1]])
    mass /= mass.sum()
    centre = (edge[:-1] + edge[1:]) / 2
    five = np.array([1.0])
    for _ in range(5):
        five = np.convolve(five, mass)
    total = (np.arange(len(five)) + 2.5) / n
    near = np.array([np.sum(five * np.exp(normal(3, total + c, 0.2))) for c in centre])
    w = mass * near
    w /= w.sum()
    write("ends", "quadrature and convolution", p__1=moments(w, centre), p__6=moments(w, centre), high=share(0.5))


def new_shapes():
    write("widths_3", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * (1 + 0.05**2) + 4)))
    write("three_modes_50", "closed form", p__1=share(0.5), p__2=share(0.3), p__3=share(0.2),
          x__1=(0.12, math.sqrt(0.5 + 0.3 * 0.64 + 0.2 * 1.69 + 0.5 * 1.44 - 0.12**2)))

    write("widths_10", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * (1 + 0.1**2) + 9)))
    write("spike_10", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * (1 + 0.1**2))))
    write("spike_5", "closed form", narrow=share(0.5), x__1=(0.4, math.sqrt(0.5 * (1 + 0.05**2) + 0.4**2)))
    r = np.linspace(8, 12, 8001)
    w = normalised(9 * np.log(r) + normal(r, 10, 0.1))
    write("shell", "quadrature of the radius", right=share(0.5), x__1=(0, math.sqrt(np.sum(w * r**2) / 10)))

    g = np.linspace(-9, 9, 4501)
    r = np.sqrt(g[:, None] ** 2 + g[None, :] ** 2)
    w = normalised(np.logaddexp(normal(r, 3, 0.1) - math.log(3), normal(r, 7, 0.1) - math.log(7)))
    write("rings", "quadrature in two dimensions", outer=share(w[r > 5].sum()), right=share(0.5), x__1=moments(w.sum(1), g))

    x, y = np.linspace(-6, 6, 3001)[:, None], np.linspace(-15, 30, 9001)[None, :]
    w = normalised(np.logaddexp(math.log(0.7) + normal(x, 0, 1.5) + normal(y, x**2, 0.2),
                                math.log(0.3) + normal(x, 0, 1) + normal(y, 10 - x**2, 0.2)))
    write("bananas", "closed form, but for x[2]: quadrature in two dimensions", other=share(0.3), right=share(0.5),
          x__1=(0, math.sqrt(0.7 * 2.25 + 0.3)), x__2=moments(w.sum(0), y[0]))

    g = np.linspace(-7, 7, 7001)
    x, z = g[:, None], g[None, :]
    logp = normal(x, 0, 1.5) + normal(z, 0, 1.5) + normal(2, x * x - z * z, 0.15)
    w = normalised(logp)
    write("branches", "quadrature in two dimensions", log_evidence=integral(logp, 0.002, 0.002), right=share(0.5), size=moments(w.sum(1), np.abs(g)),
          far=share(w.sum(0)[np.abs(g) > 2].sum()), z=moments(w.sum(0), g))


def more_modes():
    g = np.linspace(-2, 2, 401)
    x, z = [v.ravel() for v in np.meshgrid(g, g, indexing="ij")]
    one = normal(x, 0, 1) + normal(z, 0, 1) + normal(0.9, np.hypot(x, z), 0.05) + normal(0.8, np.hypot(x - 1, z), 0.05)
    two = normal(x, 0, 1) + normal(z, 0, 1) + normal(1, np.hypot(x, z), 0.05) + normal(0.7, np.hypot(x, z - 1), 0.05)
    i, j = np.flatnonzero(one > one.max() - 14), np.flatnonzero(two > two.max() - 14)
    logp = one[i][:, None] + two[j] + normal(1.2, np.hypot(x[i][:, None] - x[j], z[i][:, None] - z[j]), 0.2)
    w = normalised(logp)
    first, second = w.sum(1), w.sum(0)
    write("sensors2", "quadrature in four dimensions", log_evidence=integral(logp, 0.01, 0.01, 0.01, 0.01), up=share(first[z[i] > 0].sum()), right=share(second[x[j] > 0].sum()),
          x__1=moments(first, x[i]), z__2=moments(second, z[j]))

    n = 4000
    g = 10 * math.pi * (np.arange(n) + 0.5) / n
    logp = (2 + np.cos(g[:, None] / 2) * np.cos(g[None, :] / 2)) ** 5
    w = normalised(logp)
    write("eggbox", "quadrature in two dimensions", log_evidence=integral(logp, 1 / n, 1 / n), x=moments(w.sum(1), g), y=moments(w.sum(0), g), low=share(w.sum(1)[g < 3 * math.pi].sum()))

    g = np.linspace(-6, 6, 4801)
    x, z = g[:, None], g[None, :]
    w = normalised(-((x * x + z - 11) ** 2) - (x + z * z - 7) ** 2)
    write("himmelblau", "quadrature in two dimensions", x__1=moments(w.sum(1), g), x__2=moments(w.sum(0), g),
          right=share(w.sum(1)[g > 0].sum()), up=share(w.sum(0)[g > 0].sum()))

    g = np.linspace(0.005, 25, 2500)
    a, b = g[:, None], g[None, :]
    logp = 2 * math.log(0.1) - a / 10 - b / 10
    for y in [1, 2, 0, 3, 9, 11, 8, 12, 10, 2, 9, 7]:
        logp = logp + np.logaddexp(math.log(0.3) - a + y * np.log(a), math.log(0.7) - b + y * np.log(b)) - math.lgamma(y + 1)
    w = normalised(logp)
    write("poisson_mix", "quadrature in two dimensions", log_evidence=integral(logp, 0.01, 0.01), r__1=moments(w.sum(1), g), r__2=moments(w.sum(0), g),
          larger=share((w * (a > b)).sum()))

    g = np.linspace(-6, 6, 4801)
    x, z = g[:, None], g[None, :]
    q = x * x + z * z
    w = normalised(np.logaddexp(-((np.sqrt(q) - 5) ** 2) / 0.02 + 2 * (x * x - z * z) / (q + 1e-12),
                                math.log(300) - (x * x + (z - 0.5) ** 2) / 0.08))
    write("ring_centre", "quadrature in two dimensions", centre=share(w[q < 4].sum()), right=share(w.sum(1)[g > 1].sum()),
          x__2=moments(w.sum(0), g))

    write("magnitudes", "closed form", low=share(0.5), l=(0, math.sqrt(49 + 0.09)))
    g = np.linspace(-25, 25, 5001)
    x, z = g[:, None], g[None, :]
    logp = normal(x, 0, 5) + normal(z, 0, 5) + normal(1, np.sin(3 * x) * np.cos(2 * z), 0.1)
    w = normalised(logp)
    write("waves", "quadrature in two dimensions", log_evidence=integral(logp, 0.01, 0.01), x__1=moments(w.sum(1), g), x__2=moments(w.sum(0), g),
          top=share(w.sum(1)[np.sin(3 * g) > 0].sum()))


def broken(name, how, **more):
    write(name, how, set="broken", **more)


def funnels():
    neck = share(0.5 * math.erfc(1 / math.sqrt(2)))
    broken("funnel", "closed form", v=(0, 3), neck=neck)
    broken("funnel_short", "closed form", flags="--warmup 200 --draws 150", v=(0, 3), neck=neck)
    small = share(2 / math.pi * math.atan(0.1))
    broken("horseshoe", "closed form", small=small, large=small)

    w, mu, tau, _ = eight_schools(np.linspace(-9, 9, 3601))
    q = dict(mu=moments(w.sum(1), mu[:, 0]), tau=moments(w.sum(0), tau[0]), small=share(w.sum(0)[tau[0] < 1].sum()))
    broken("schools", "quadrature in two dimensions", flags="--draws 300", **q)
    broken("schools_step", "quadrature in two dimensions", flags="--set step_size=0.5", **q)


def settings():
    broken("step", "closed form", flags="--set step_size=1.9", x__1=(3 / 21, math.sqrt(1 - 1 / 21)))
    h = share(0.25)
    for name, flags in ("modes_nuts", "--sampler nuts"), ("modes_alone", "--set replicas=1"):
        broken(name, "closed form", flags=flags, right=h, x__1=(-2.5, math.sqrt(1 + 0.75 * 25)))
    x, y = np.arange(1, 7), np.array([11.2, 11.9, 13.1, 13.8, 15.2, 16.1])
    design = np.stack([np.ones(6), x], 1)
    cov = np.linalg.inv(design.T @ design / 0.09 + np.eye(2) / 1e4)
    mean = cov @ (design.T @ y / 0.09)
    broken("short", "closed form", flags="--warmup 15 --draws 60", a=(mean[0], cov[0, 0] ** 0.5), b=(mean[1], cov[1, 1] ** 0.5))


def hidden_modes():
    broken("barrier", "closed form", far=share(0.4), x__1=(16, math.sqrt(1 + 0.24 * 1600)))
    g = np.concatenate([np.linspace(-22, -18, 40001), np.linspace(38, 42, 40001)])
    w = normalised(normal(g, 0, 20) + normal(30, np.abs(g - 10), 0.1))
    broken("mirror", "quadrature", x=moments(w, g), right=share(w[g > 10].sum()))
    broken("spike", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * (1 + 0.02**2))))
    broken("widths2", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * 1.0001 + 9)))
    broken("widths8", "closed form", narrow=share(0.5), x__1=(0, math.sqrt(0.5 * 1.0625 + 9)))
    a, b = np.linspace(0, 1, 4001)[:, None], np.linspace(0, 1, 4001)[None, :]
    w = normalised(normal(1, np.exp(-((a - 0.8) ** 2 + (b - 0.3) ** 2) / 0.0008), 0.1))
    broken("needle", "quadrature in two dimensions", a=moments(w.sum(1), a[:, 0]), b=moments(w.sum(0), b[0]))


def shapes():
    broken("student_short", "closed form (t and F distributions)", flags="--draws 150", inside=share(1 / math.sqrt(3)),
           near=share(0.8**4))
    broken("squares", "closed form", x=(1, 1), large=share(0.5 * math.erfc(0.5 / math.sqrt(2))),
           negative=share(0.5 * math.erfc(1 / math.sqrt(2))))
    broken("parabola", "closed form", x=(0, 2), y=(4, math.sqrt(32)), right=share(0.5 * math.erfc(1 / math.sqrt(2))))
    broken("ring", "closed form", x__1=(0, 10 / math.sqrt(2)), right=share(0.5))
    g = np.linspace(-20, 25, 450000, endpoint=False) + 5e-5
    w = normalised(normal(g, 0, 5) + normal(2.5, np.floor(g), 0.6))
    broken("stairs", "quadrature", x=moments(w, g), third=share(w[(g >= 2) & (g < 3)].sum()))


def impossible():
    for name in "improper_sum", "improper_separable", "improper_scale", "improper_tail":
        broken(name, "the posterior has no integral", none=True)
    for name, which in ("cauchy", "x"), ("cauchy_vector", "x"), ("half_cauchy", "s"), ("separated", "b"):
        broken(name, which + " has no mean", none=True)


def local_level():
    y = np.array([4.04, -0.56, 2.42, 1.43, 1.55, 1.78, -0.02, 1.77, 1.13, 5.32, 2.23, 1.65, 1.72, 1.33, 0.94, 1.61, 2.48, 1.76, 2.96, 1.8, 2.02, 3.55, 2.55, 1.49, 1.82, 2.54, 3.94, 1.73, 1.76, 3.0])
    log_tau, t = np.linspace(-9, 3, 481), np.arange(len(y))
    logp = []
    for tau in np.exp(log_tau):
        root = np.linalg.cholesky(25 + np.minimum.outer(t, t) * tau**2 + np.eye(len(y)))
        logp.append(-0.5 * np.sum(np.linalg.solve(root, y) ** 2) - np.log(np.diag(root)).sum() + normal(tau, 0, 1) + math.log(2 * tau))
    w = normalised(np.array(logp))
    write("level", "quadrature of log tau, the level in closed form", tau=moments(w, np.exp(log_tau)), l=moments(w, log_tau),
          small=share(w[np.exp(log_tau) < 0.02].sum()), log_evidence=integral(np.array(logp) - len(y) / 2 * math.log(2 * math.pi), 0.025))


def thin_ends():
    g = np.linspace(-4, 4, 801)
    a, b, c = g[:, None, None], g[None, :, None], g[None, None, :]
    logp = normal(a, 0, 0.7) + normal(b, 0, 0.7) + normal(c, 0, 0.7) + normal(0.4, a * b * c, 0.05)
    w = normalised(logp).sum((1, 2))
    write("product3", "quadrature in three dimensions", a=moments(w, g), up=share(0.5), size=moments(w, np.abs(g)),
          log_evidence=integral(logp, 0.01, 0.01, 0.01))

    g = np.linspace(-6.5, 6.5, 105)
    a1, a2, b1, b2 = g[:, None, None, None], g[None, :, None, None], g[None, None, :, None], g[None, None, None, :]
    logp = normal(a1, 0, 1.5) + normal(a2, 0, 1.5) + normal(b1, 0, 1.5) + normal(b2, 0, 1.5)
    for x, y in zip([-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0],
                    [-0.55, -0.9, -0.72, -0.74, -0.3, 0.89, 0.73, 0.74, 0.59]):
        logp = logp + normal(y, b1 * np.tanh(a1 * x) + b2 * np.tanh(a2 * x), 0.3)
    w = normalised(logp)
    write("tanh2", "quadrature in four dimensions", a__1=moments(w.sum((1, 2, 3)), g), positive=share(0.5), first=share(0.5),
          slope=moments(w, np.broadcast_to(a1 * b1 + a2 * b2, w.shape)), log_evidence=integral(logp, 0.125, 0.125, 0.125, 0.125))


for f in local_level, thin_ends, funnels, settings, hidden_modes, shapes, impossible, hyperbola, corners, closed_forms, one_dimension, sensor, mixtures, factor, lattice, jump, two_changes, more_lines, \
        more_closed_forms, schools, chain, ends, new_shapes, more_modes:
    f()
