"""Samples eight schools with another system: whole.py numpyro|pystan|blackjax|nutpie runs four chains with 1,000 iterations of warm-up and 1,000 draws, and
prints the smaller effective sample size of mu and tau."""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
Y, SIGMA = [28.0, 8, -3, 7, -1, 1, 18, 12], [15.0, 10, 16, 11, 9, 11, 10, 18]


def numpyro():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS
    import jax
    import jax.numpy as jnp

    def model():
        mu, tau = numpyro.sample("mu", dist.Normal(0, 5)), numpyro.sample("tau", dist.HalfCauchy(5))
        z = numpyro.sample("z", dist.Normal(0, 1).expand([8]).to_event(1))
        numpyro.sample("y", dist.Normal(mu + tau * z, jnp.array(SIGMA)).to_event(1), obs=jnp.array(Y))

    mcmc = MCMC(NUTS(model), num_warmup=1000, num_samples=1000, num_chains=4, chain_method="vectorized", progress_bar=False)
    mcmc.run(jax.random.key(1))
    draws = mcmc.get_samples(group_by_chain=True)
    return min(float(numpyro.diagnostics.effective_sample_size(draws[k])) for k in ("mu", "tau"))


def blackjax():
    import blackjax
    import jax
    import jax.numpy as jnp
    from densities import densities

    lp = densities(jnp)["eight_schools"][1]({"y": jnp.array(Y), "sigma": jnp.array(SIGMA)})

    def chain(key):
        warm, run = jax.random.split(key)
        (state, parameters), _ = blackjax.window_adaptation(blackjax.nuts, lp).run(warm, jnp.zeros(10), 1000)
        kernel = blackjax.nuts(lp, **parameters).step
        return jax.lax.scan(lambda s, k: (lambda s: (s, s.position))(kernel(k, s)[0]), state, jax.random.split(run, 1000))[1]

    draws = jax.jit(jax.vmap(chain))(jax.random.split(jax.random.key(1), 4))
    return min(float(blackjax.diagnostics.effective_sample_size(draws[:, :, k])) for k in (0, 1))


def nutpie():
    import arviz
    import nutpie
    import pymc

    with pymc.Model() as model:
        mu, tau, z = pymc.Normal("mu", 0, 5), pymc.HalfCauchy("tau", 5), pymc.Normal("z", 0, 1, shape=8)
        pymc.Normal("y", mu + tau * z, SIGMA, observed=Y)
    trace = nutpie.sample(nutpie.compile_pymc_model(model), draws=1000, tune=1000, chains=4, progress_bar=False)
    return arviz.ess(trace, var_names=["mu", "tau"]).to_array().min().item()


def pystan():
    import arviz
    import stan

    text = open(os.path.join(os.path.dirname(__file__), "stan", "eight_schools.stan")).read()
    fit = stan.build(text, data={"J": 8, "y": Y, "sigma": SIGMA}, random_seed=1).sample(num_chains=4, num_samples=1000, num_warmup=1000)
    return min(arviz.ess(fit[k].reshape(-1, 4).T).item() for k in ("mu", "tau"))


print(f"worst ess {globals()[sys.argv[1]]():.0f}")
