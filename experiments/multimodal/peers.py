"""The targets of this experiment under ppl's renhd and nuts, TFP's ReplicaExchangeMC, NumPyro's NUTS, emcee and PyMC's SMC, each as its documentation
recommends: 4 chains with 1,000 iterations of warm-up and 1,000 draws, or the method's nearest equivalent. Prints CSV, a line per run:

    target,sampler,seed,off,errors,ess,seconds,processor,finished

off is the largest error of a mode's weight, errors the same in Monte Carlo standard errors, and ess the least bulk ESS of a mode's share (by ArviZ, for
ppl by ppl). seconds is the wall-clock time of the entire call, including compilation, and processor the processor time of all cores.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
warnings.filterwarnings("ignore")

import arviz
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

HERE = os.path.dirname(os.path.abspath(__file__))
CHAINS, DRAWS, WARMUP = 4, 1000, 1000


class Target:
    """A mixture: terms(x) has the log density of each mode plus its log weight; x has shape [dim]."""

    def __init__(self, dim, weights, terms, spread=2.0):
        self.dim, self.weights, self.terms, self.spread = dim, np.asarray(weights), terms, spread

    def logp(self, x):
        return jax.scipy.special.logsumexp(self.terms(x))

    def share(self, x):
        return jax.nn.softmax(self.terms(x))


def normals(center, weight, scale):
    center, weight, scale = jnp.asarray(center), jnp.asarray(weight), jnp.asarray(scale)
    d = center.shape[1]

    def terms(x):
        return jnp.log(weight) - d * jnp.log(scale) - ((x - center) ** 2).sum(-1) / (2 * scale**2)

    return Target(d, weight, terms)


def forty(models):
    text = open(os.path.join(models, "forty.ppl")).read()
    part = lambda after, until: text.split(after, 1)[1].split(until, 1)[0]
    center = np.array(eval("[" + part("center[K, 1..2] = [", "]]") + "]]"))
    weight = np.array(eval("[" + part("weight[K] = [", "]") + "]"))
    return normals(center, weight / weight.sum(), np.full(40, 1.3))


def banana(x):
    bend = 1 + 0.5 * x[0] ** 2
    branch = lambda at: -x[0] ** 2 / 8 - (x[1] - at) ** 2 / (2 * 0.3**2)
    return jnp.stack([jnp.log(1 / 3) + branch(bend), jnp.log(2 / 3) + branch(-bend)])


Y = jnp.array([-4.5, -4.1, -3.6, -3.9, -4.3, -4.0, -3.7, -4.8, 0.3, -0.4, 0.1, -0.2, 0.5, 0.0, -0.6, 0.2, 4.4, 3.8, 4.1, 3.5, 4.6, 4.0, 3.9, 4.2])


class Labels(Target):
    def __init__(self):
        self.dim, self.weights, self.spread = 3, np.full(9, 1 / 3), 2.0

    def logp(self, m):
        rows = jax.scipy.special.logsumexp(-((Y[:, None] - m) ** 2) / (2 * 0.25), axis=1)
        return rows.sum() - (m**2).sum() / 50

    def share(self, m):
        rank = (m[:, None] > m[None, :]).sum(1)
        return (rank[:, None] == jnp.arange(3)).astype(float).ravel()


def targets(models):
    corners = lambda a: [[0, 0], [a, a], [-a, a], [-a, -a], [a, -a]]
    two = lambda d: normals(np.full((2, d), 5 / np.sqrt(d)) * np.array([[1], [-1]]), [1 / 3, 2 / 3], [1.0, 1.0])
    side = 5 * (np.arange(5) - 2)
    grid = np.array([[a, b] for a in side for b in side])
    return {
        "geo0": normals(corners(4), [0.30, 0.10, 0.25, 0.15, 0.20], [0.5] * 5),
        "geo1": normals(corners(4), [0.30, 0.10, 0.25, 0.15, 0.20], [0.7, 0.35, 0.5, 0.4, 0.6]),
        "geo2": normals(corners(6), [0.05, 0.40, 0.10, 0.25, 0.20], [0.5] * 5),
        "two10": two(10),
        "two50": two(50),
        "grid": normals(grid, np.full(25, 1 / 25), np.full(25, 0.5)),
        "forty": forty(models),
        "banana": Target(2, [1 / 3, 2 / 3], banana),
        "labels": Labels(),
    }


def numpyro_nuts(t, seed):
    from numpyro.infer import MCMC, NUTS

    start = jax.random.uniform(jax.random.PRNGKey(seed), (CHAINS, t.dim), minval=-t.spread, maxval=t.spread)
    mcmc = MCMC(NUTS(potential_fn=lambda x: -t.logp(x)), num_warmup=WARMUP, num_samples=DRAWS, num_chains=CHAINS, chain_method="vectorized", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(seed + 1), init_params=start)
    return mcmc.get_samples(group_by_chain=True)


def tfp_replica_exchange(t, seed):
    """Seven replicas at temperatures 1.5^j as in the paper, with HMC whose step sizes are proportional to the root of the temperature."""
    import tensorflow_probability.substrates.jax as tfp

    betas = 1.5 ** -jnp.arange(7.0)
    step = 0.3 / jnp.sqrt(betas)

    def kernel(logp):
        return tfp.mcmc.HamiltonianMonteCarlo(logp, step_size=step[:, None, None], num_leapfrog_steps=5)

    exchange = tfp.mcmc.ReplicaExchangeMC(lambda x: jax.vmap(t.logp)(x.reshape(-1, t.dim)).reshape(x.shape[:-1]), betas, kernel)
    start = jax.random.uniform(jax.random.PRNGKey(seed), (CHAINS, t.dim), minval=-t.spread, maxval=t.spread)

    @jax.jit
    def run(key):
        return tfp.mcmc.sample_chain(DRAWS, start, kernel=exchange, num_burnin_steps=WARMUP, num_steps_between_results=9, trace_fn=None, seed=key)

    return jnp.swapaxes(run(jax.random.PRNGKey(seed + 1)), 0, 1)


def emcee_ensemble(t, seed):
    """Each walker is treated as a chain: concatenated walkers would look like independent draws."""
    import emcee

    logp = jax.jit(jax.vmap(t.logp))
    walkers = max(32, 4 * t.dim)
    rng = np.random.default_rng(seed)
    chains = []
    for _ in range(CHAINS):
        s = emcee.EnsembleSampler(walkers, t.dim, lambda x: np.asarray(logp(x)), vectorize=True)
        state = s.run_mcmc(rng.uniform(-t.spread, t.spread, (walkers, t.dim)), WARMUP)
        s.reset()
        s.run_mcmc(state, DRAWS)
        chains.append(np.swapaxes(s.get_chain(), 0, 1))
    return np.concatenate(chains)


def pymc_smc(t, seed):
    """Sequential Monte Carlo from N(0, 10²), whose log density is subtracted from that of the target."""
    import pymc as pm
    import pytensor.tensor as pt
    from pytensor.graph.op import Op

    logp = jax.jit(t.logp)

    class Density(Op):
        itypes, otypes = [pt.dvector], [pt.dscalar]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.asarray(logp(inputs[0]), dtype="float64")

    with pm.Model():
        x = pm.Normal("x", 0, 10, shape=t.dim)
        pm.Potential("target", Density()(x) + (x**2).sum() / 200)
        trace = pm.sample_smc(DRAWS, chains=CHAINS, cores=1, random_seed=seed, progressbar=False, compute_convergence_checks=False)
    return trace.posterior["x"].values


SAMPLERS = {"numpyro-nuts": numpyro_nuts, "tfp-replica-exchange": tfp_replica_exchange, "emcee": emcee_ensemble, "pymc-smc": pymc_smc}


def ppl(binary, sampler):
    """Runs ppl on the model with the target's name; run returns the mean, bulk ESS and Monte Carlo error of each mode's share."""

    def run(name, seed):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(HERE, "models", f"{name}.ppl")
            done = subprocess.run([binary, "sample", model, "--sampler", sampler, "--seed", str(seed), "--out", f"{folder}/run", "--json", "--quiet"], capture_output=True, text=True)
        if not done.stdout:
            raise RuntimeError(done.stderr)
        return [(p["mean"], p["ess_bulk"], p["mcse_mean"]) for p in json.loads(done.stdout)["parameters"] if p["name"].startswith("share[")]

    return run


def shares(t, draws):
    """Returns the mean, bulk ESS and Monte Carlo error of each mode's share."""
    share = np.asarray(jax.vmap(jax.vmap(t.share))(jnp.asarray(draws)))
    return [(x.mean(), np.asarray(arviz.ess(x)).item(), np.asarray(arviz.mcse(x)).item()) for x in np.moveaxis(share, 2, 0)]


def score(t, found):
    """Returns the largest error of a weight, the largest in standard errors, and the least ESS, which is 0 if it is undefined for a mode."""
    off = max(abs(mean - w) for (mean, _, _), w in zip(found, t.weights, strict=True))
    errors = max(abs(mean - w) / max(mcse or 0, 1e-12) for (mean, _, mcse), w in zip(found, t.weights))
    return off, errors, min(ess or 0 for _, ess, _ in found)


def busy():
    """Returns the processor time in seconds of this process and its ended children."""
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--ppl", help="the ppl command; without it, ppl is left out")
    p.add_argument("--samplers", default="")
    p.add_argument("--targets", default="")
    args = p.parse_args()
    samplers = {name: lambda t, name_, seed, f=f: shares(t, np.asarray(f(t, seed))) for name, f in SAMPLERS.items()}
    if args.ppl:
        own = {f"ppl {s}": lambda t, name, seed, f=ppl(args.ppl, s): f(name, seed) for s in ("renhd", "nuts")}
        samplers = own | samplers
    all_targets = targets(os.path.join(HERE, "models"))
    print("target,sampler,seed,off,errors,ess,seconds,processor,finished")
    for name in args.targets.split(",") if args.targets else all_targets:
        for sampler in args.samplers.split(",") if args.samplers else samplers:
            for seed in range(1, args.seeds + 1):
                line(name, sampler, seed, all_targets[name], samplers[sampler])


def line(name, sampler, seed, t, run):
    clock, processor = time.time(), busy()
    took = lambda: f"{time.time() - clock:.3g},{busy() - processor:.3g}"
    try:
        found = run(t, name, seed)
        times = took()
        off, errors, ess = score(t, found)
        print(f"{name},{sampler},{seed},{off:.5g},{errors:.3g},{ess:.4g},{times},yes", flush=True)
    except Exception as e:  # a peer that cannot do a target is a line in the table, not the end of the comparison
        print(f"{name},{sampler},{seed},,,,{took()},no", flush=True)
        print(f"{name} {sampler}: {e!r}"[:300], file=sys.stderr)


if __name__ == "__main__":
    main()
