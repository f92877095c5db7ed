"""Writes the targets in single/ with their truth: posteriors with one mode and an easy geometry, for which a sampler or an
approximation with correct results must not raise a warning.

    python3 experiments/multimodal/gold/single.py

The truth is computed in closed form, or by quadrature over one or two parameters, given which the others are normal.
"""

import json
import math
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "single")


def write(name, text, quantities, how):
    with open(os.path.join(HERE, name + ".ppl"), "w") as f:
        f.write(text.strip() + "\n")
    with open(os.path.join(HERE, name + ".json"), "w") as f:
        json.dump({"how": how, "quantities": {q: {"mean": m, "sd": s} for q, (m, s) in quantities.items()}}, f, indent=1)
        f.write("\n")


def quadrature(log_density, ranges, n=401):
    """Returns means and standard deviations of the coordinates of a density on a box, by sums over a grid."""
    axes = [[lo + (hi - lo) * i / (n - 1) for i in range(n)] for lo, hi in ranges]
    points = [(x,) for x in axes[0]] if len(axes) == 1 else [(x, y) for x in axes[0] for y in axes[1]]
    logs = [log_density(*p) for p in points]
    top = max(logs)
    total, first, second = 0.0, [0.0] * len(axes), [0.0] * len(axes)
    for p, l in zip(points, logs):
        w = math.exp(l - top)
        total += w
        for k, x in enumerate(p):
            first[k] += w * x
            second[k] += w * x * x
    return [(m / total, math.sqrt(s / total - (m / total) ** 2)) for m, s in zip(first, second)]


def normal(x, m, s):
    return -0.5 * ((x - m) / s) ** 2 - math.log(s)


def solve(a, b):
    """Solves a x = b, for each column of b, by Gauss-Jordan elimination."""
    n = len(a)
    m = [list(a[i]) + list(b[i]) for i in range(n)]
    for i in range(n):
        k = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[k] = m[k], m[i]
        m[i] = [v / m[i][i] for v in m[i]]
        for r in range(n):
            if r != i:
                m[r] = [u - m[r][i] * v for u, v in zip(m[r], m[i])]
    return [row[n:] for row in m]


def gaussian(rows, y, sd, prior_sd):
    """Returns posterior means and standard deviations of the coefficients of a linear model with a known error sd and priors Normal(0, prior_sd)."""
    d = len(rows[0])
    precision = [[sum(r[i] * r[j] for r in rows) / sd**2 + (prior_sd[i] ** -2 if i == j else 0) for j in range(d)] for i in range(d)]
    right = [[sum(r[i] * v for r, v in zip(rows, y)) / sd**2] + [float(i == j) for j in range(d)] for i in range(d)]
    out = solve(precision, right)
    return [(out[i][0], math.sqrt(out[i][1 + i])) for i in range(d)]


def beta(a, b):
    return a / (a + b), math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))


def log_logistic(z):
    return -math.log1p(math.exp(-z)) if z > -30 else z


def main():
    os.makedirs(HERE, exist_ok=True)
    write("coin", "data k = 13\np ~ Beta(2, 2)\nk ~ Binomial(20, p)", {"p": beta(15, 9)}, "closed form")
    write("rate", "data k[N] = [3, 5, 2, 4, 6]\nr ~ Gamma(2, 0.5)\nk[i in N] ~ Poisson(r)",
          {"r": (22 / 5.5, math.sqrt(22) / 5.5)}, "closed form")
    write("lifetimes", "data t[N] = [0.4, 1.9, 3.1, 0.8, 2.2, 1.4]\nr ~ Gamma(2, 2)\nt[i in N] ~ Exponential(r)",
          {"r": (8 / 11.8, math.sqrt(8) / 11.8)}, "closed form")
    write("two_coins", "data k[1..2] = [8, 15]\np[j in 1..2] ~ Beta(1, 1)\nk[j in 1..2] ~ Binomial(20, p[j])\ngenerate d = p[2] - p[1]",
          {"p[1]": beta(9, 13), "p[2]": beta(16, 6), "d": (16 / 22 - 9 / 22, math.hypot(beta(9, 13)[1], beta(16, 6)[1]))}, "closed form")
    counts = [7, 12, 4]
    write("shares", f"data n[K] = {counts}\np[K] ~ Dirichlet([2, 2, 2])\nn ~ Multinomial(23, p)",
          {f"p[{k + 1}]": beta(2 + n, 27 - n) for k, n in enumerate(counts)}, "closed form")
    y = [4.2, 5.1, 3.8, 6.0, 4.9, 5.5, 4.4]
    log_s = quadrature(lambda m, l: sum(normal(v, m, math.exp(l)) for v in y) + normal(m, 0, 10) - 0.5 * math.exp(2 * l) / 25 + l,
                       [(2, 8), (-2.5, 2)])
    write("normal", f"data y[N] = {y}\nm ~ Normal(0, 10)\ns ~ HalfNormal(5)\ny[i in N] ~ Normal(m, s)\ngenerate l = log(s)",
          {"m": log_s[0], "l": log_s[1]}, "quadrature")
    y = [1.2, 0.4, -0.3, 0.9, 2.1, 8.0, 0.6]
    write("student", f"data y[N] = {y}\nm ~ Normal(0, 5)\ny[i in N] ~ StudentT(4, m, 1)",
          {"m": quadrature(lambda m: sum(-2.5 * math.log1p((v - m) ** 2 / 4) for v in y) + normal(m, 0, 5), [(-5, 8)], 4001)[0]}, "quadrature")
    y = [1.3, 0.7, 2.9, 1.1, 4.2]
    l = quadrature(lambda m, t: sum(normal(math.log(v), m, math.exp(t)) for v in y) + normal(m, 0, 2) - math.exp(t) + t, [(-3, 4), (-3, 2)])
    write("lognormal", f"data y[N] = {y}\nm ~ Normal(0, 2)\ns ~ Exponential(1)\ny[i in N] ~ LogNormal(m, s)\ngenerate l = log(s)",
          {"m": l[0], "l": l[1]}, "quadrature")
    x = [-1.6, -1.2, -0.9, -0.4, -0.1, 0.2, 0.5, 0.8, 1.1, 1.5, 1.8, 2.0]
    z = [0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1]
    q = quadrature(lambda a, b: sum(log_logistic((a + b * u) if v else -(a + b * u)) for u, v in zip(x, z)) + normal(a, 0, 2) + normal(b, 0, 2),
                   [(-6, 6), (-4, 8)])
    write("logistic", f"data x[N] = {x}, y[N] = {z}\na, b ~ Normal(0, 2)\ny[i in N] ~ Bernoulli(logits = a + b * x[i])",
          {"a": q[0], "b": q[1]}, "quadrature")
    k = [1, 0, 2, 1, 3, 2, 2, 4, 3, 6, 7, 5]
    q = quadrature(lambda a, b: sum(v * (a + b * u) - math.exp(a + b * u) for u, v in zip(x, k)) + normal(a, 0, 3) + normal(b, 0, 3),
                   [(-2, 3), (-2, 3)])
    write("counts", f"data x[N] = {x}, k[N] = {k}\na, b ~ Normal(0, 3)\nk[i in N] ~ Poisson(exp(a + b * x[i]))",
          {"a": q[0], "b": q[1]}, "quadrature")
    q = quadrature(lambda a, b: sum(math.log(0.5 * math.erfc((-1 if v else 1) * (a + b * u) / math.sqrt(2))) for u, v in zip(x, z))
                   + normal(a, 0, 1) + normal(b, 0, 1), [(-4, 4), (-3, 5)])
    write("probit", f"data x[N] = {x}, y[N] = {z}\na, b ~ Normal(0, 1)\ny[i in N] ~ Bernoulli(cdf(Normal(0, 1), a + b * x[i]))",
          {"a": q[0], "b": q[1]}, "quadrature")
    y = [0.9, 1.4, 1.1, 2.2, 1.9, 2.8, 3.0, 3.1, 4.1, 4.0, 4.9, 5.2]
    g = gaussian([[1, u] for u in x], y, 0.5, [5, 5])
    write("line", f"data x[N] = {x}, y[N] = {y}\na, b ~ Normal(0, 5)\ny[i in N] ~ Normal(a + b * x[i], 0.5)", {"a": g[0], "b": g[1]}, "closed form")
    g = gaussian([[1, u, u * u] for u in x], y, 0.5, [5, 5, 5])
    write("parabola", f"data x[N] = {x}, y[N] = {y}\nb[k in 1..3] ~ Normal(0, 5)\ny[i in N] ~ Normal(b[1] + b[2] * x[i] + b[3] * x[i]^2, 0.5)",
          {f"b[{k + 1}]": g[k] for k in range(3)}, "closed form")
    e = [0.4, -1.1, 2.0, 0.3, 1.2, -0.5]  # of groups about a mean: e[j] = m + one of the group
    g = gaussian([[1] + [float(i == j) for j in range(6)] for i in range(6)], e, 1, [3] + [1] * 6)
    write("groups", f"data y[J] = {e}\nm ~ Normal(0, 3)\nd[j in J] ~ Normal(0, 1)\ny[j in J] ~ Normal(m + d[j], 1)",
          {"m": g[0], **{f"d[{j + 1}]": g[1 + j] for j in range(6)}}, "closed form")
    write("autoregression", "T = 12\nx[1] ~ Normal(0, 1)\nx[t in 2..T] ~ Normal(0.5 * x[t - 1], 1)",
          {f"x[{t}]": (0.0, math.sqrt((1 - 0.25**t) / 0.75)) for t in (1, 6, 12)}, "closed form")
    write("independent", "D = 20\nx[i in 1..D] ~ Normal(i, i / 10)", {f"x[{i}]": (float(i), i / 10) for i in (1, 10, 20)}, "closed form")


if __name__ == "__main__":
    main()
