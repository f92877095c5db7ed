"""The log densities of the models of bench/models, as functions of unconstrained coordinates, in JAX and PyTorch. Data are the JSON output of `side -data`."""

import math


def densities(np):
    """Maps a model to its dimension and a function from data to a log density. np is jax.numpy, or a module with the same names for torch."""

    def poisson(d):
        return lambda b: -0.5 * (b @ b) + np.sum(d["y"] * (d["x"] @ b) - np.exp(d["x"] @ b))

    def logistic(d):
        def lp(b):
            eta = d["x"] @ b
            return -0.5 * (b @ b) + np.sum(d["y"] * eta - np.logaddexp(np.zeros_like(eta), eta))

        return lp

    def mixture(d):
        def lp(x):
            terms = d["level"] - 0.5 * d["inverse"] * np.sum((x - d["center"]) ** 2, 1)
            top = np.max(terms)
            return top + np.log(np.sum(np.exp(terms - top)))

        return lp

    def eight_schools(d):
        def lp(t):
            mu, log_tau, z = t[0], t[1], t[2:]
            tau = np.exp(log_tau)
            r = (d["y"] - mu - tau * z) / d["sigma"]
            return -0.02 * mu * mu - np.log1p((tau / 5) ** 2) + log_tau - 0.5 * np.sum(z * z) - 0.5 * np.sum(r * r)

        return lp

    return {"poisson": (10, poisson), "mixture": (2, mixture), "logistic": (20, logistic), "eight_schools": (10, eight_schools)}
