"""Compares densities and gradients of Stan programs by ppl with those by Stan.

    python compare.py PPL PROGRAMS DATA VALUES OUT [NAME...]

reads what oracle.py wrote to VALUES/NAME.json and evaluates the program by `ppl logprob` at the same points. Log
densities agree if they differ by one constant at all points; gradients are those of Stan: of the density with Jacobian
in unconstrained coordinates. Stan's transforms are implemented here for complex numbers, so that the derivatives of
parameters with respect to coordinates are exact up to rounding. OUT/NAME.json has the largest differences relative to
the values. Programs with such a file are skipped, so the script can be interrupted and restarted.
"""
import json, os, re, subprocess, sys

import numpy as np

from collection import DECLARATION, Refused, block, run, split

GRADIENTS = 3  # of the points

# The names that expressions of sizes and bounds may use.
WORDS = {"np": np, "mean": np.mean, "sd": lambda x: np.std(x, ddof=1)}


class Reader:
    """Unconstrained coordinates, read in order, and the log-Jacobian so far."""

    def __init__(self, free):
        self.free, self.at, self.jacobian = free, 0, 0

    def take(self, n):
        self.at += n
        return self.free[self.at - n:self.at]


def logistic(v):
    return 1 / (1 + np.exp(-v))


def bounded(r, v, b):
    """Transforms coordinates v to numbers with bounds, or with an offset and a multiplier."""
    low, high = b.get("lower", -np.inf), b.get("upper", np.inf)
    if "offset" in b or "multiplier" in b:
        scale = b.get("multiplier", 1.0) + 0 * v
        r.jacobian += np.sum(np.log(scale))
        return b.get("offset", 0.0) + scale * v
    low, high = np.broadcast_to(low, v.shape), np.broadcast_to(high, v.shape)
    out = np.array(v)
    for i in np.ndindex(v.shape):
        a, z, x = low[i], high[i], v[i]
        if np.isfinite(a) and np.isfinite(z):
            out[i] = a + (z - a) * logistic(x)
            r.jacobian += np.log(z - a) + np.log(logistic(x)) + np.log(logistic(-x))
        elif np.isfinite(a):
            out[i], r.jacobian = a + np.exp(x), r.jacobian + x
        elif np.isfinite(z):
            out[i], r.jacobian = z - np.exp(x), r.jacobian + x
    return out


def ordered(r, n, positive):
    v = r.take(n)
    out = np.array(v)
    for i in range(n):
        if i or positive:
            out[i] = (out[i - 1] if i else 0) + np.exp(v[i])
            r.jacobian += v[i]
    return out


def simplex(r, n):
    v, left, out = r.take(n - 1), 1.0 + 0j, []
    for i, x in enumerate(v):
        z = logistic(x - np.log(n - 1 - i))
        r.jacobian += np.log(left) + np.log(z) + np.log(1 - z)
        out.append(left * z)
        left = left - out[-1]
    return np.array(out + [left])


def cholesky_corr(r, n):
    z = np.tanh(r.take(n * (n - 1) // 2))
    r.jacobian += np.sum(np.log(1 - z * z))
    out, k = np.zeros((n, n), complex), 0
    out[0, 0] = 1
    for i in range(1, n):
        out[i, 0], used = z[k], z[k] ** 2
        k += 1
        for j in range(1, i):
            r.jacobian += 0.5 * np.log(1 - used)
            out[i, j] = z[k] * np.sqrt(1 - used)
            used += out[i, j] ** 2
            k += 1
        out[i, i] = np.sqrt(1 - used)
    return out


def corr(r, n):
    out = cholesky_corr(r, n)
    for i in range(n):
        r.jacobian += (n - 1 - i) * np.log(out[i, i])
    return out @ out.T


def cholesky_cov(r, n, m):
    out = np.zeros((n, m), complex)
    for i in range(n):
        for j in range(min(i + 1, m)):
            v = r.take(1)[0]
            out[i, j] = np.exp(v) if i == j else v
            r.jacobian += v if i == j else 0
    return out


def cov(r, n):
    out = cholesky_cov(r, n, n)
    r.jacobian += n * np.log(2) + sum((n - i) * np.log(out[i, i]) for i in range(n))
    return out @ out.T


def one(r, word, dims, b):
    """Returns a parameter of a type without array axes."""
    if word == "real":
        return bounded(r, r.take(1).reshape(()), b)
    if word in ("vector", "row_vector"):
        return bounded(r, r.take(dims[0]), b)
    if word == "matrix":
        return bounded(r, r.take(dims[0] * dims[1]).reshape(dims[1], dims[0]).T, b)
    table = {"ordered": lambda n: ordered(r, n, False), "positive_ordered": lambda n: ordered(r, n, True),
             "simplex": lambda n: simplex(r, n), "cholesky_factor_corr": lambda n: cholesky_corr(r, n),
             "corr_matrix": lambda n: corr(r, n), "cov_matrix": lambda n: cov(r, n),
             "cholesky_factor_cov": lambda n, m=None: cholesky_cov(r, n, m or n)}
    if word not in table:
        raise Refused("the transform of %s is not written here" % word)
    return table[word](*dims)


def parameters(text, known):
    """Returns a function from coordinates to the parameters and the log-Jacobian."""
    declared = []
    for statement in block(text, "parameters").split(";"):
        if statement.strip():
            d = DECLARATION.match(re.sub(r"\s*([\[<>,])\s*", r"\1", statement.strip()).replace("]", "] ").strip())
            if not d:
                raise Refused("not read: " + statement.strip())
            declared.append(d)

    def at(free, point):
        r, values = Reader(np.asarray(free, complex)), dict(known)
        own = {}
        for d in declared:
            value = lambda e: eval(re.sub(r"\bsqrt\b", "np.sqrt", e.replace("^", "**")), WORDS, dict(values))
            b = {p.split("=", 1)[0].strip(): value(p.split("=", 1)[1]) for p in split(d["bounds"] or "")}
            shape, axes = np.shape(point[d["name"]]), len(split(d["array"] or "") + split(d["old"] or ""))
            sizes, dims = list(shape[:axes]), list(shape[axes:])
            if d["type"] not in ("matrix", "cholesky_factor_cov"):
                dims = dims[:1]
            n = int(np.prod(sizes)) if sizes else 1
            each = [one(r, d["type"], dims, b) for _ in range(n)]
            own[d["name"]] = np.array(each).reshape(sizes + list(np.shape(each[0]))) if sizes else each[0]
            values[d["name"]] = own[d["name"]]
        if r.at != len(free):
            raise Refused("%d coordinates, %d of them read" % (len(free), r.at))
        return own, r.jacobian
    return at


def number(v):
    return float(v)


def evaluated(ppl, program, data, point, gradient, folder):
    """Returns log prior + log likelihood, and the gradients if requested, by ppl."""
    path = os.path.join(folder, "at.json")
    with open(path, "w") as f:
        json.dump(point, f)
    flags = ["--gradient"] if gradient else []
    out = json.loads(run([ppl, "logprob", program, "--json", "--at", path, "--data", data, *flags]))
    return number(out["log_prior"]) + number(out["log_likelihood"]), out.get("gradient")


def compared(ppl, programs, data, values, out, name):
    """Returns the largest differences for one program."""
    program = os.path.join(programs, name + ".stan")
    given = os.path.join(data, name + ".data.json")
    with open(os.path.join(values, name.replace("/", "+") + ".json")) as f:
        points = json.load(f)
    with open(program) as f:
        text = f.read()
    with open(given) as f:
        known = {k: np.array(v) for k, v in json.load(f).items() if not isinstance(v, dict)}
    densities, worst, why = [], None, ""
    for i, p in enumerate(points):
        want_gradient = i < GRADIENTS and "gradient" in p
        got, slopes = evaluated(ppl, program, given, p["at"], want_gradient, out)
        densities.append((got, number(p["plain"])))
        if not want_gradient or why:
            continue
        try:
            d, gap = gradient_gap(parameters(text, known), p, slopes)
            worst = max(worst or 0, d)
            if gap > 1e-8:
                why = "the parameters differ from Stan's by %.1e" % gap
        except Refused as e:
            why = str(e)
        except Exception as e:
            why = repr(e)
    if not points:
        raise Refused("Stan has no finite density at any of its points")
    a, b = min(densities, key=lambda d: abs(d[1]))  # where the constant is not rounded away
    first = a - b
    gap = max(abs(a - b - first) / max(1, abs(b)) for a, b in densities)
    came = {"name": name, "points": len(points), "density": gap}
    came["gradient"] = why or worst
    return came


def gradient_gap(constrain, p, slopes):
    """Returns the largest difference of the gradients, and that between the parameters of this script and of Stan."""
    free = np.array(p["free"], complex)
    own, _ = constrain(free, p["at"])
    gap = max((np.max(np.abs(np.asarray(own[k]).real - np.asarray(p["at"][k])), initial=0) for k in p["at"]), default=0)
    chosen = range(len(free)) if len(free) <= 150 else range(0, len(free), len(free) // 50)
    worst, size = 0, max(1, max(abs(number(g)) for g in p["gradient"]))
    for i in chosen:
        moved = free.copy()
        moved[i] += 1e-30j
        x, jacobian = constrain(moved, p["at"])
        g = complex(jacobian).imag * 1e30
        for k, slope in slopes.items():
            if k in x:
                g += np.dot(np.asarray(x[k]).imag.ravel() * 1e30, [number(s) for s in slope])
        worst = max(worst, abs(g - number(p["gradient"][i])) / size)
    return worst, gap


def main(ppl, programs, data, values, out, names):
    os.makedirs(out, exist_ok=True)
    names = names or [f[:-5] for f in sorted(os.listdir(values)) if f.endswith(".json")]
    for name in names:
        if not os.path.exists(os.path.join(programs, name + ".stan")):
            name = name.replace("+", "/")
        path = os.path.join(out, name.replace("/", "+") + ".json")
        if not os.path.exists(path):
            try:
                came = compared(ppl, programs, data, values, out, name)
            except Refused as e:
                came = {"name": name, "failed": str(e)[:400]}
            with open(path, "w") as f:
                json.dump(came, f)
        with open(path) as f:
            came = json.load(f)
        if "failed" in came:
            print("%-50s failed: %s" % (name, came["failed"].replace("\n", " ")[:160]), flush=True)
        else:
            g = came["gradient"]
            print("%-50s density %.1e  gradient %s" % (name, came["density"], g if isinstance(g, str) else
                                                      "none" if g is None else "%.1e" % g), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:6], sys.argv[6:])
