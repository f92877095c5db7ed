"""Other samplers on the logistic regression of largedata: python peers.py x.npy y.npy FOLDER METHOD.

Writes FOLDER/draws.f64, [chains, draws, parameters] in double precision, and prints one JSON object: the version, the
shape of the draws, and the processor time in seconds, including compilation: the total, and that before the first saved draw.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

CHAINS, DRAWS, SPREAD, BATCH = 4, 1000, 2.5, 256


def log_prior(theta):
    return -0.5 * jnp.sum(theta**2) / SPREAD**2


def log_likelihood(theta, x, y):
    eta = x @ theta
    return y * eta - jnp.logaddexp(0.0, eta)


def mode_of(x, y):
    """Returns the mode, found by Newton's method, and the inverse of the negative Hessian there."""
    density = lambda theta: log_prior(theta) + jnp.sum(log_likelihood(theta, x, y))
    slope, curvature = jax.jit(jax.grad(density)), jax.jit(jax.hessian(density))
    theta = jnp.zeros(x.shape[1])
    for _ in range(15):
        theta = theta - jnp.linalg.solve(curvature(theta), slope(theta))
    return theta, jnp.linalg.inv(-curvature(theta))


def stochastic(x, y, rule, step, friction, thin):
    """Langevin dynamics with control variates at the mode (Baker et al. 2019), in coordinates that are whitened at the mode."""
    n = len(y)
    mode, covariance = mode_of(x, y)
    factor = jnp.linalg.cholesky(covariance)
    rows_slope = jax.grad(lambda theta, xs, ys: jnp.sum(log_likelihood(theta, xs, ys)))
    whole = rows_slope(mode, x, y)

    def force(z, key):
        rows = jax.random.randint(key, (BATCH,), 0, n)
        xs, ys, theta = x[rows], y[rows], mode + factor @ z
        g = whole + n / BATCH * (rows_slope(theta, xs, ys) - rows_slope(mode, xs, ys))
        return factor.T @ (g + jax.grad(log_prior)(theta))

    def move(state, key):
        z, p = state
        rows, noise = jax.random.split(key)
        white = jax.random.normal(noise, z.shape)
        if rule == "sgld":
            return (z + step**2 / 2 * force(z, rows) + step * white, p), None
        p = (1 - friction) * p + step * force(z, rows) + jnp.sqrt(2 * friction) * white
        return (z + step * p, p), None

    def draw(state, key):
        state, _ = jax.lax.scan(move, state, jax.random.split(key, thin))
        return state, mode + factor @ state[0]

    def chain(key):
        at, moves = jax.random.split(key)
        z = jax.random.normal(at, mode.shape)
        return jax.lax.scan(draw, (z, jnp.zeros_like(z)), jax.random.split(moves, DRAWS))[1]

    started = time.process_time()
    return np.asarray(jax.jit(jax.vmap(chain))(jax.random.split(jax.random.key(1), CHAINS))), started


def hmcecs(x, y):
    import numpyro
    from numpyro.infer import HMCECS, MCMC, NUTS

    mode, _ = mode_of(x, y)

    def model(x, y):
        normal = numpyro.distributions.Normal
        theta = numpyro.sample("theta", normal(0, SPREAD).expand([x.shape[1]]).to_event(1))
        with numpyro.plate("rows", x.shape[0], subsample_size=BATCH):
            xs, ys = numpyro.subsample(x, event_dim=1), numpyro.subsample(y, event_dim=0)
            numpyro.sample("y", numpyro.distributions.Bernoulli(logits=xs @ theta), obs=ys)

    kernel = HMCECS(NUTS(model), num_blocks=16, proxy=HMCECS.taylor_proxy({"theta": mode}))
    mcmc = MCMC(kernel, num_warmup=500, num_samples=DRAWS, num_chains=CHAINS, chain_method="sequential",
                progress_bar=False)
    started = time.process_time()
    mcmc.run(jax.random.key(1), x, y)
    return np.asarray(mcmc.get_samples(group_by_chain=True)["theta"]), started


def nutpie(x, y):
    import nutpie

    density = jax.jit(jax.value_and_grad(lambda theta: log_prior(theta) + jnp.sum(log_likelihood(theta, x, y))))
    d = x.shape[1]

    def logp(theta):
        value, slope = density(theta)
        return float(value), np.asarray(slope)

    model = nutpie.compiled_pyfunc.from_pyfunc(
        d, lambda: logp, lambda *_: (lambda theta: {"theta": theta}), [np.dtype("float64")], [(d,)], ["theta"])
    logp(np.zeros(d))
    started = time.process_time()
    trace = nutpie.sample(model, chains=CHAINS, draws=DRAWS, tune=400, cores=1, progress_bar=False, seed=1)
    return trace.posterior["theta"].values, started


METHODS = {
    "HMCECS": hmcecs,
    "SGLD-CV": lambda x, y: stochastic(x, y, "sgld", 0.3, None, 20),
    "SGHMC-CV": lambda x, y: stochastic(x, y, "sghmc", 0.2, 0.1, 20),
    "nutpie": nutpie,
}


def main():
    x, y, folder, method = sys.argv[1:]
    began = time.process_time()
    draws, started = METHODS[method](jnp.asarray(np.load(x)), jnp.asarray(np.load(y)))
    ended = time.process_time()
    np.asarray(draws, dtype="<f8").tofile(folder + "/draws.f64")
    package = {"HMCECS": "numpyro", "nutpie": "nutpie"}.get(method, "jax")
    print(json.dumps({"version": package + " " + __import__(package).__version__, "shape": list(draws.shape),
                      "seconds": ended - began, "before": started - began}))


if __name__ == "__main__":
    main()
