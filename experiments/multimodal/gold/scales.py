"""Writes the targets in scales/ with their truth: groups whose common scale s is clearly positive (NAME_clear), or below .05 with a probability of
1 to 3 % (NAME_near). The effects in the data are multiplied by the factor that gives this probability.

    python3 experiments/multimodal/gold/scales.py [NAME …]      needs NumPy and SciPy

The truth is computed by quadrature over location and log scale. Given these, groups are independent, and each is integrated over the normal score of its
prior probability, in which the integrand is never narrow. Walks, areas and effects with a sum of 0 are normal given s, and integrated in closed form; shares are Dirichlet.
"""

import json
import math
import os
import sys

import numpy as np
from scipy import special, stats

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scales")
NEAR = 0.05  # below which s is near 0
Z = np.linspace(-7.5, 7.5, 401)
WEIGHTS = stats.norm.pdf(Z) * (Z[1] - Z[0])
U, UC, LEFT = stats.norm.cdf(Z), stats.norm.sf(Z), Z < 0
LOGS = np.linspace(math.log(2e-4), math.log(8), 140)
S = np.exp(LOGS)[:, None]
EFFECTS = np.array([0.3, -1.4, 0.9, 1.7, -0.6, 0.1, -1.9, 0.9])
T4 = np.where(LEFT, stats.t.ppf(U, 4), -stats.t.ppf(UC, 4))
CACHE = {}


def truncated(m, lo, hi):
    """Returns quantiles of a normal distribution truncated to [lo, hi], computed from the tail in which they are exact."""
    below, above = special.log_ndtr((lo - m) / S), special.log_ndtr((m - lo) / S)
    beyond = special.log_ndtr((m - hi) / S) if hi < math.inf else -math.inf * np.ones_like(S)
    inside = above + np.log1p(-np.exp(np.minimum(beyond - above, -1e-15)))
    left = np.logaddexp(below, np.log(U) + inside)
    right = np.logaddexp(beyond, np.log(UC) + inside)
    x = np.where(left < math.log(0.5), m + S * special.ndtri_exp(left), m - S * special.ndtri_exp(right))
    return np.clip(x, lo, hi)


def gamma(shape):
    """Returns quantiles of Gamma(shape, 1); for large shapes by Wilson and Hilferty's approximation, whose error is below 1e-6 there."""
    if "gamma" + str(shape[0]) not in CACHE:
        exact = np.where(LEFT, special.gammaincinv(np.minimum(shape, 2e4), U), special.gammainccinv(np.minimum(shape, 2e4), UC))
        cube = shape * (1 - 1 / (9 * shape) + Z / (3 * np.sqrt(shape))) ** 3
        CACHE["gamma" + str(shape[0])] = np.where(shape < 2e4, exact, cube)
    return CACHE["gamma" + str(shape[0])]


def beta(m):
    if m not in CACHE:
        p = special.expit(m)
        s = np.maximum(S, 0.01)
        exact = np.where(LEFT, special.betaincinv(p / s**2, (1 - p) / s**2, U), special.betainccinv(p / s**2, (1 - p) / s**2, UC))
        near = p + np.sqrt(p * (1 - p) / (1 + 1 / S**2)) * Z + (1 - 2 * p) * S**2 * (Z**2 - 1) / 3
        CACHE[m] = np.where(S < 0.01, near, exact)
    return CACHE[m]


def between(name, lo, hi, cdf, quantiles):
    """Points of a prior between ends, with their weights: by Gauss-Legendre's rule over the normal score, as far as that has mass."""
    nodes, weights = np.polynomial.legendre.leggauss(240)

    def points(m):
        if (name, m) not in CACHE:
            first, last = cdf(m, lo) if lo > 0 else -math.inf + 0 * S, cdf(m, hi) if hi < math.inf else math.inf + 0 * S
            known = (first < 30) & (last > -30)  # elsewhere groups are at an end, and far from the data
            top = np.clip(0, np.minimum(first, 30), np.maximum(last, -30))
            first, last = np.maximum(first, top - 8), np.minimum(last, top + 8)
            z = first + (last - first) * (nodes + 1) / 2
            x = np.clip(quantiles(m, np.clip(z, -30, 30)), max(lo, 1e-300), hi)
            w = weights * np.exp((top**2 - z**2) / 2)
            CACHE[name, m] = x, np.where(known, w / w.sum(1, keepdims=True), 0)
        return CACHE[name, m]

    return points


def score(below, above):
    """Returns the normal score of a probability `below` with complement `above`, computed from the smaller one."""
    return np.where(below < above, special.ndtri(below), -special.ndtri(above))


def by_score(z, below, above):
    return np.where(z < 0, below(special.ndtr(z)), above(special.ndtr(-z)))


def gamma_score(m, x):
    k = 1 / S**2
    cube = ((x / np.exp(m)) ** (1 / 3) - 1 + 1 / (9 * k)) * 3 * np.sqrt(k)
    return np.where(k < 2e4, score(special.gammainc(k, k * x / np.exp(m)), special.gammaincc(k, k * x / np.exp(m))), cube)


def gamma_by(m, z):
    k = 1 / S**2
    few = np.minimum(k, 2e4)
    exact = by_score(z, lambda p: special.gammaincinv(few, p), lambda p: special.gammainccinv(few, p))
    return np.exp(m) * np.where(k < 2e4, exact / few, np.maximum(1 - 1 / (9 * k) + z / (3 * np.sqrt(k)), 1e-100) ** 3)


def beta_score(m, x):
    """Returns the normal score of x under a beta distribution; for a large concentration by the arcsine of the root, whose skewness is nearly 0."""
    p, s = special.expit(m), np.maximum(S, 0.02)
    a, b = p / s**2, (1 - p) / s**2
    root = 2 * (np.arcsin(np.sqrt(x)) - np.arcsin(np.sqrt(p))) / S
    return np.where(S < 0.02, root, score(special.betainc(a, b, x), special.betaincc(a, b, x)))


def beta_by(m, z):
    p, s = special.expit(m), np.maximum(S, 0.02)
    a, b = p / s**2, (1 - p) / s**2
    root = np.sin(np.clip(np.arcsin(np.sqrt(p)) + z * S / 2, 0, math.pi / 2)) ** 2
    return np.where(S < 0.02, root, by_score(z, lambda q: special.betaincinv(a, b, q), lambda q: special.betainccinv(a, b, q)))


def inverse_gaussian(m):
    """Returns points, evenly spaced in log x, and their weights for mean exp(m) and coefficient of variation s."""
    reach = np.where(S < 1, 9 * S, 9 + 2 * np.log(np.maximum(S, 1)))
    u = reach * np.linspace(-1, 1, 801)
    log = -u / 2 - (np.exp(u) - 2 + np.exp(-u)) / (2 * S**2)
    w = np.exp(log - log.max(1, keepdims=True))
    return np.exp(m + u), w / w.sum(1, keepdims=True)


def measured(sd, base):
    """Returns a function that writes data with one normal measurement for each group."""

    def data(a):
        y = np.round(base + a * EFFECTS, 2)
        return f"data y[J] = {list(map(float, y))}\n", f"y[j in J] ~ Normal(theta[j], {sd})\n", [lambda t, v=v: -0.5 * ((v - t) / sd) ** 2 for v in y]

    return data


def counted(exposure, base):
    def data(a):
        k = np.round(exposure * base * np.exp(a * EFFECTS)).astype(int)
        logs = [lambda t, v=v: special.xlogy(v, exposure * t) - exposure * t for v in k]
        return f"data k[J] = {list(map(int, k))}\n", f"k[j in J] ~ Poisson({exposure} * theta[j])\n", logs

    return data


def trials(n, base):
    def data(a):
        k = np.round(n * special.expit(special.logit(base) + a * EFFECTS)).astype(int)
        logs = [lambda t, v=v: special.xlogy(v, t) + special.xlog1py(n - v, -t) for v in k]
        return f"data k[J] = {list(map(int, k))}\n", f"k[j in J] ~ Binomial({n}, theta[j])\n", logs

    return data


def scored(quantiles):
    """Returns a function for the points of a prior, from its quantiles, and the weights of their normal scores."""
    return lambda m: (quantiles(m), WEIGHTS)


LOGNORMAL_ABOVE = between("lognormal", 1, math.inf, lambda m, x: (math.log(x) - m) / S, lambda m, z: np.exp(np.minimum(m + S * z, 600)))
GAMMA_BELOW = between("gamma", 0, 4, gamma_score, gamma_by)
BETA_BETWEEN = between("beta", 0.1, 0.9, beta_score, beta_by)
WEIBULL_BETWEEN = between("weibull", 0.5, 6, lambda m, x: -special.ndtri_exp(-np.exp(np.minimum((math.log(x) - m) / S, 600))),
                          lambda m, z: np.exp(np.minimum(m + S * np.log(-special.log_ndtr(-z)), 600)))

# Maps a family to mean and sd of the location's normal prior, the groups' prior, its points and weights as a function of the location, and the data as a
# function of the size of effects.
FAMILIES = {
    "lognormal": (0, 1, "LogNormal(m, s)", scored(lambda m: np.exp(m + S * Z)), measured(0.5, 2)),
    "lognormal_counts": (1, 1, "LogNormal(m, s)", scored(lambda m: np.exp(m + S * Z)), counted(3, 4)),
    "truncated": (1, 1, "Normal(m, s) in 0..inf", scored(lambda m: truncated(m, 0, math.inf)), measured(0.5, 2)),
    "between": (0.5, 0.5, "Normal(m, s) in 0..1", scored(lambda m: np.clip(truncated(m, 0, 1), 1e-12, 1 - 1e-12)), trials(40, 0.4)),
    "student": (0, 2, "StudentT(4, m, s)", scored(lambda m: m + S * T4), measured(0.6, 0.3)),
    "gamma": (1, 1, "Gamma(1 / s^2, exp(-m) / s^2)", scored(lambda m: np.exp(m) * S**2 * gamma(1 / S**2)), counted(3, 4)),
    "beta": (0, 1, "Beta(sigmoid(m) / s^2, sigmoid(-m) / s^2)", scored(beta), trials(20, 0.4)),
    "inverse_gamma": (0, 1, "InverseGamma(2 + 1 / s^2, exp(m) * (1 + 1 / s^2))",
                      scored(lambda m: np.exp(m) * (1 + 1 / S**2) / gamma(2 + 1 / S**2)[:, ::-1]), measured(0.5, 2)),
    "weibull": (0, 1, "Weibull(1 / s, exp(m))", scored(lambda m: np.exp(m + S * np.log(-special.log_ndtr(-Z)))), measured(0.5, 2)),
    "lognormal_above": (0, 1, "LogNormal(m, s) in 1..inf", LOGNORMAL_ABOVE, measured(0.5, 2.5)),
    "gamma_below": (0, 1, "Gamma(1 / s^2, exp(-m) / s^2) in 0..4", GAMMA_BELOW, measured(0.5, 2)),
    "beta_between": (0, 1, "Beta(sigmoid(m) / s^2, sigmoid(-m) / s^2) in 0.1..0.9", BETA_BETWEEN, trials(20, 0.4)),
    "weibull_between": (0, 1, "Weibull(1 / s, exp(m)) in 0.5..6", WEIBULL_BETWEEN, measured(0.5, 2)),
    "inverse_gaussian": (0, 1, "InverseGaussian(exp(m), exp(m) / s^2)", inverse_gaussian, measured(0.5, 2)),
}


def log_prior_scale():
    return -np.exp(2 * LOGS) / 2 + LOGS


def moments(w, x):
    mean = float(np.sum(w * x))
    return mean, math.sqrt(max(float(np.sum(w * (x - mean) ** 2)), 0))


def share(p):
    return p, math.sqrt(p * (1 - p))


def below(ws):
    """Returns P(s < NEAR); the grid cell that contains NEAR counts in proportion."""
    return float(np.interp(math.log(NEAR), LOGS + (LOGS[1] - LOGS[0]) / 2, np.cumsum(ws)))


def by_quadrature(name, a):
    centre, sd, prior, points, data = FAMILIES[name]
    values, observed, logs = data(a)
    grid = np.linspace(centre - 4.5 * sd, centre + 4.5 * sd, 121)
    logp, first, second = (np.zeros((len(grid), len(LOGS))) for _ in range(3))
    for i, m in enumerate(grid):
        theta, weights = points(m)
        logp[i] = -0.5 * ((m - centre) / sd) ** 2 + log_prior_scale()
        for j, log in enumerate(logs):
            l = log(theta)
            top = l.max(1, keepdims=True)
            w = weights * np.exp(l - top)
            total = np.maximum(w.sum(1), 1e-300)
            logp[i] += top[:, 0] + np.where(w.sum(1) > 0, np.log(total), -math.inf)
            if j == 0:
                first[i], second[i] = (w * theta).sum(1) / total, (w * theta**2).sum(1) / total
    w = np.exp(logp - logp.max())
    w /= w.sum()
    mean = (w * first).sum()
    text = f"{values}m ~ Normal({centre}, {sd})\ns ~ HalfNormal(1)\ntheta[j in J] ~ {prior}\n{observed}"
    return text, {"s": moments(w.sum(0), S[:, 0]), "log_s": moments(w.sum(0), LOGS), "m": moments(w.sum(1), grid), "near": share(below(w.sum(0))),
                  "theta[1]": (mean, math.sqrt((w * second).sum() - mean**2))}


def in_closed_form(y, basis, noise):
    """Returns the truth for y = m + basis·e + noise, with e ~ N(0, s²) and m ~ N(0, 2²)."""
    n, logw, means, variances = len(y), [], [], []
    for k in range(len(LOGS)):
        design = np.hstack([np.ones((n, 1)), basis * S[k]])
        prior = np.diag([4.0] + [1.0] * basis.shape[1])
        cov = design @ prior @ design.T + noise**2 * np.eye(n)
        gain = prior @ design.T @ np.linalg.inv(cov)
        post, spread = gain @ y, prior - gain @ design @ prior
        logw.append(-0.5 * y @ np.linalg.solve(cov, y) - 0.5 * np.linalg.slogdet(cov)[1] + log_prior_scale()[k])
        rows = np.zeros((2, len(post)))
        rows[0, 0], rows[1, 1:] = 1, basis[0] * S[k]
        means.append(rows @ post)
        variances.append(np.diag(rows @ spread @ rows.T))
    w = np.exp(np.array(logw) - max(logw))
    w /= w.sum()
    means, variances = np.array(means), np.array(variances)
    centre = w @ means
    sd = np.sqrt(w @ (variances + (means - centre) ** 2))
    return {"s": moments(w, S[:, 0]), "log_s": moments(w, LOGS), "near": share(below(w)), "m": (centre[0], sd[0]), "theta[1]": (centre[1], sd[1])}


def zerosum(a):
    y = np.round(0.7 + a * EFFECTS, 2)
    n = len(y)
    basis = np.linalg.qr(np.hstack([np.ones((n, 1)), np.eye(n)[:, :-1]]))[0][:, 1:]
    text = f"data y[J] = {list(map(float, y))}\nm ~ Normal(0, 2)\ns ~ HalfNormal(1)\ntheta[j in J] ~ Normal(0, s) zerosum\n" \
        "y[j in J] ~ Normal(m + theta[j], 0.6)\n"
    return text, in_closed_form(y, basis, 0.6)


def walk(a):
    y = np.round(0.2 + a * np.cumsum([0.4, -0.9, 0.8, 0.7, 1.2, -0.5, -1.1, 0.3, 0.9, -0.2, 0.6, -0.7]), 2)
    text = f"data y[T] = {list(map(float, y))}\nm ~ Normal(0, 2)\ns ~ HalfNormal(1)\ntheta[T] ~ GaussianRandomWalk(0, s)\n" \
        "y[t in T] ~ Normal(m + theta[t], 0.6)\n"
    return text, in_closed_form(y, np.tril(np.ones((len(y), len(y)))), 0.6)


def areas(a):
    """Eight areas in a row; neighbouring areas are adjacent."""
    y = np.round(0.5 + a * EFFECTS, 2)
    n = len(y)
    adj = np.eye(n, k=1) + np.eye(n, k=-1)
    basis = np.linalg.cholesky(np.linalg.inv(np.diag(adj.sum(0)) - 0.9 * adj))
    text = f"data y[J] = {list(map(float, y))}\ndata adj[J, J] = {adj.astype(int).tolist()}\nm ~ Normal(0, 2)\ns ~ HalfNormal(1)\n" \
        "theta ~ CAR(fill(0, J), 0.9, 1 / s^2, adj)\ny[j in J] ~ Normal(m + theta[j], 0.6)\n"
    return text, in_closed_form(y, basis, 0.6)


def shares(a):
    """Counts of three categories in eight groups. The shares are integrated out, so each group has a Dirichlet-multinomial distribution."""
    n, base = 40, np.array([0.5, 0.3, 0.2])
    share_of = special.softmax(np.log(base) + a * np.column_stack([EFFECTS, -EFFECTS[::-1], EFFECTS * 0]), axis=1)
    k = np.round(n * share_of[:, :2]).astype(int)
    k = np.column_stack([k, n - k.sum(1)])
    alpha, total = base / S**2, 1 / S[:, 0] ** 2
    logp = log_prior_scale()
    for row in k:
        logp = logp + sum(sum(np.log(alpha[:, c] + i) for i in range(v)) for c, v in enumerate(row)) - sum(np.log(total + i) for i in range(n))
    w = np.exp(logp - logp.max())
    w /= w.sum()
    first = (alpha[:, 0] + k[0, 0]) / (total + n)
    second = first * (alpha[:, 0] + k[0, 0] + 1) / (total + n + 1)
    mean = float(w @ first)
    text = f"data k[J, C] = {k.tolist()}\ns ~ HalfNormal(1)\nbase[1..3] = [0.5, 0.3, 0.2]\n" \
        f"theta[j in J] ~ Dirichlet(base / s^2)\nk[j in J] ~ Multinomial({n}, theta[j])\n"
    return text, {"s": moments(w, S[:, 0]), "log_s": moments(w, LOGS), "near": share(below(w)),
                  "theta[1,1]": (mean, math.sqrt(float(w @ second) - mean**2))}


def matrix(a):
    """A matrix normal effect with four correlated rows and two columns of different variances."""
    y = np.round(0.5 + a * EFFECTS, 2)
    rows = 0.5 ** np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    basis = np.kron(np.linalg.cholesky(rows), np.linalg.cholesky(np.array([[1, 0.3], [0.3, 2]])))
    text = f"data y[J, K] = {y.reshape(4, 2).tolist()}\nm ~ Normal(0, 2)\ns ~ HalfNormal(1)\nrows[i in J, j in J] = s^2 * 0.5^abs(i - j)\n" \
        "theta[J, K] ~ MatrixNormal(fill(0, J, K), rows, [[1, 0.3], [0.3, 2]])\ny[j in J, k in K] ~ Normal(m + theta[j, k], 0.6)\n"
    truth = in_closed_form(y, basis, 0.6)
    truth["theta[1,1]"] = truth.pop("theta[1]")
    return text, truth


def directions(a):
    """Angles around a direction, measured with a von Mises error. A product of two von Mises densities is proportional to one, so its integral is a Bessel function."""
    y, noise = np.round(0.4 + a * EFFECTS, 2), 12.0
    grid = np.linspace(-4, 5, 241)[:, None]
    kappa = 1 / S[:, 0][None, :] ** 2
    logp = -0.5 * (grid - 0.5) ** 2 + log_prior_scale()[None, :]
    for j, at in enumerate(y):
        more = noise**2 + 2 * kappa * noise * np.cos(at - grid)
        r = np.sqrt(kappa**2 + more)
        logp = logp + np.log(special.ive(0, r)) - np.log(special.ive(0, kappa)) + more / (r + kappa)
        if j == 0:
            turn = np.exp(1j * np.arctan2(kappa * np.sin(grid) + noise * np.sin(at), kappa * np.cos(grid) + noise * np.cos(at)))
            first = special.ive(1, r) / special.ive(0, r) * turn.imag
            second = (1 - (1 - 2 * special.ive(1, r) / special.ive(0, r) / r) * (turn**2).real) / 2
    w = np.exp(logp - logp.max())
    w /= w.sum()
    mean = (w * first).sum()
    text = f"data y[J] = {list(map(float, y))}\nm ~ Normal(0.5, 1)\ns ~ HalfNormal(1)\ntheta[j in J] ~ VonMises(m, 1 / s^2)\n" \
        f"y[j in J] ~ VonMises(theta[j], {noise:g})\ngenerate across = sin(theta[1])\n"
    return text, {"s": moments(w.sum(0), S[:, 0]), "log_s": moments(w.sum(0), LOGS), "m": moments(w.sum(1), grid[:, 0]), "near": share(below(w.sum(0))),
                  "across": (mean, math.sqrt((w * second).sum() - mean**2))}


OTHERS = {"zerosum": zerosum, "walk": walk, "areas": areas, "shares": shares, "matrix": matrix, "directions": directions}


def solve(name, a):
    return by_quadrature(name, a) if name in FAMILIES else OTHERS[name](a)


def write(name, which, text, truth, words):
    with open(os.path.join(HERE, f"{name}_{which}.ppl"), "w") as f:
        f.write(f"# {words}\n{text}generate log_s = log(s)\ngenerate near = s < {NEAR} ? 1 : 0\n")
    if which == "clear":
        truth = {k: v for k, v in truth.items() if k != "near"}
    with open(os.path.join(HERE, f"{name}_{which}.json"), "w") as f:
        json.dump({"how": "quadrature", "quantities": {k: {"mean": float(v[0]), "sd": float(v[1])} for k, v in truth.items()}}, f, indent=1)
        f.write("\n")


def main():
    os.makedirs(HERE, exist_ok=True)
    for name in sys.argv[1:] or [*FAMILIES, *OTHERS]:
        tried = {}

        def near(a):
            tried[a] = solve(name, a)
            return tried[a][1]["near"][0]

        lo, hi = 0.02, 0.4
        while near(hi) > 0.02:
            lo, hi = hi, hi * 1.4
        for _ in range(5):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if near(mid) > 0.02 else (lo, mid)
        best = min(tried, key=lambda a: abs(math.log(tried[a][1]["near"][0] / 0.02)))
        text, truth = tried[best]
        p = truth["near"][0]
        write(name, "near", text, truth, f"Groups whose scale s is below {NEAR} with a probability of {p:.3f}.")
        clear = 1.5 * hi
        while near(clear) > 1e-5:
            clear *= 1.2
        write(name, "clear", *tried[clear], "Groups whose scale s is clearly positive.")
        print(f"{name}: {best:.3g} {p:.4f}, {clear:.3g} {tried[clear][1]['near'][0]:.2g}", flush=True)
        CACHE.clear()


if __name__ == "__main__":
    main()
