"""A run of another system: peers.py SYSTEM MODEL DATA SEED NAMES samples four chains with 1,000 iterations of warm-up and 1,000 draws, at the system's
default settings in double precision. It prints JSON: the processor time until the draws are there, the processor time of sampling alone (without tracing
and compiling, which are done before), the number of gradients in warm-up and draws, the smallest bulk or tail ESS of NAMES, and memory."""

import json
import os
import resource
import sys
import warnings

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")
CHAINS, DRAWS, WARMUP = 4, 1000, 1000
HERE = os.path.dirname(os.path.abspath(__file__))


def below(pid):
    """Yields the running descendants of a process."""
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            yield child
            yield from below(child)


def processor():
    """Returns the processor time in seconds of this process and its descendants."""
    ended = os.times()
    ticks = [open(f"/proc/{child}/stat").read().rsplit(")", 1)[1].split()[11:13] for child in below(os.getpid())]
    return sum(ended[:4]) + sum(int(t) for pair in ticks for t in pair) / os.sysconf("SC_CLK_TCK")


def timed(sample):
    start = processor()
    found = sample()
    return processor() - start, found


def jax_model(name, data):
    """Returns the model for NumPyro as a function without arguments."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    jax.config.update("jax_enable_x64", True)
    sample, d = numpyro.sample, {k: jnp.asarray(v) for k, v in data.items()}

    def normal():
        sample("y", dist.Normal(sample("mu", dist.Normal(0, 10)), sample("sigma", dist.HalfNormal(5))), obs=d["y"])

    def schools():
        mu, tau = sample("mu", dist.Normal(0, 5)), sample("tau", dist.HalfCauchy(5))
        with numpyro.handlers.reparam(config={"theta": numpyro.infer.reparam.LocScaleReparam(0)}):
            theta = sample("theta", dist.Normal(jnp.full(8, mu), tau).to_event(1))
        sample("y", dist.Normal(theta, d["sigma"]), obs=d["y"])

    def hierarchy():
        mu, tau, sigma = sample("mu", dist.Normal(0, 10)), sample("tau", dist.HalfNormal(5)), sample("sigma", dist.HalfNormal(5))
        theta = sample("theta", dist.Normal(mu, tau).expand([data["J"]]).to_event(1))
        sample("y", dist.Normal(theta[d["group"] - 1], sigma), obs=d["y"])

    def radon():
        mu_a, mu_b = sample("mu_a", dist.Normal(0, 10)), sample("mu_b", dist.Normal(0, 10))
        sigma_a, sigma_b, sigma_y = (sample(k, dist.HalfNormal(1)) for k in ("sigma_a", "sigma_b", "sigma_y"))
        a = sample("a", dist.Normal(mu_a, sigma_a).expand([data["J"]]).to_event(1))
        b = sample("b", dist.Normal(mu_b, sigma_b).expand([data["J"]]).to_event(1))
        county = d["county"] - 1
        sample("y", dist.Normal(a[county] + b[county] * d["floor"], sigma_y), obs=d["y"])

    def logistic():
        b = sample("b", dist.Normal(0, 1).expand([20]).to_event(1))
        sample("y", dist.Bernoulli(logits=d["x"] @ b), obs=d["y"])

    def spline():
        tau, sigma = sample("tau", dist.HalfNormal(1)), sample("sigma", dist.HalfNormal(1))
        first = sample("first", dist.Normal(0, 5))
        steps = sample("steps", dist.Normal(0, 1).expand([d["basis"].shape[1] - 1]).to_event(1))
        b = numpyro.deterministic("b", first + tau * jnp.concatenate([jnp.zeros(1), jnp.cumsum(steps)]))
        sample("y", dist.Normal(d["basis"] @ b, sigma), obs=d["y"])

    def gp():
        rho, alpha, sigma = sample("rho", dist.Gamma(25, 4)), sample("alpha", dist.HalfNormal(2)), sample("sigma", dist.HalfNormal(1))
        x = d["x"]
        k = alpha**2 * jnp.exp(-((x[:, None] - x) ** 2) / (2 * rho**2)) + sigma**2 * jnp.eye(len(x))
        sample("y", dist.MultivariateNormal(jnp.zeros(len(x)), covariance_matrix=k), obs=d["y"])

    def volatility():
        mu, phi, s = sample("mu", dist.Normal(0, 5)), sample("phi", dist.Uniform(-1, 1)), sample("s", dist.HalfNormal(0.5))
        z = sample("z", dist.Normal(0, 1).expand([len(d["y"])]).to_event(1))
        first = s / jnp.sqrt(1 - phi**2) * z[0]
        rest = jax.lax.scan(lambda x, z: (2 * (phi * x + s * z,)), first, z[1:])[1]
        h = numpyro.deterministic("h", mu + jnp.concatenate([first[None], rest]))
        sample("y", dist.Normal(0, jnp.exp(h / 2)), obs=d["y"])

    def lotka():
        from jax.experimental.ode import odeint

        positive = lambda m, s: dist.TruncatedNormal(m, s, low=0)
        theta = sample("theta", positive(jnp.array([1, 0.05, 1, 0.05]), jnp.array([0.5, 0.05, 0.5, 0.05])).to_event(1))
        start = sample("start", dist.LogNormal(jnp.log(10.0), 1).expand([2]).to_event(1))
        sigma = sample("sigma", dist.LogNormal(-1, 1).expand([2]).to_event(1))
        slope = lambda z, t: jnp.array([(theta[0] - theta[1] * z[1]) * z[0], (theta[3] * z[0] - theta[2]) * z[1]])
        z = odeint(slope, start, jnp.concatenate([jnp.zeros(1), d["t"]]), rtol=1e-6, atol=1e-6, mxstep=1000)
        z = jnp.maximum(z, 1e-10)  # where the steps do not suffice, far from the target
        sample("first", dist.LogNormal(jnp.log(start), sigma), obs=d["first"])
        sample("y", dist.LogNormal(jnp.log(z[1:]), sigma), obs=d["y"])

    def item():
        pupils, questions = d["correct"].shape
        ability = sample("ability", dist.Normal(0, 1).expand([pupils]).to_event(1))
        sharp = sample("sharp", dist.LogNormal(0, 0.5).expand([questions]).to_event(1))
        hard = sample("hard", dist.Normal(0, 1.5).expand([questions]).to_event(1))
        sample("correct", dist.Bernoulli(logits=sharp * (ability[:, None] - hard)), obs=d["correct"])

    def mixture():
        order = dist.transforms.OrderedTransform()
        mu = sample("mu", dist.TransformedDistribution(dist.Normal(0, 2).expand([2]).to_event(1).mask(False), order))
        numpyro.factor("means", dist.Normal(0, 2).log_prob(mu).sum() + jnp.log(mu[1] - mu[0]))
        sigma, theta = sample("sigma", dist.HalfNormal(2).expand([2]).to_event(1)), sample("theta", dist.Beta(5, 5))
        terms = dist.Normal(mu, sigma).log_prob(d["y"][:, None]) + jnp.log(jnp.array([theta, 1 - theta]))
        numpyro.factor("y", jnp.logaddexp(terms[:, 0], terms[:, 1]).sum())

    return locals()[name]


def numpyro(name, data, seed):
    import jax
    from numpyro.infer import NUTS

    kernel = NUTS(jax_model(name, data))
    start = kernel.init(jax.random.split(jax.random.key(seed), CHAINS), WARMUP, None, (), {})
    one = NUTS(jax_model(name, data))  # the kernel of a chain by itself: above, it is that of all chains in step
    one.init(jax.random.key(seed), WARMUP, None, (), {})

    def step(state, _):
        state = one.sample(state, (), {})
        return state, (state.z, state.num_steps)

    def chain(state):
        state, (_, warm) = jax.lax.scan(step, state, length=WARMUP)
        (z, steps) = jax.lax.scan(step, state, length=DRAWS)[1]
        return jax.vmap(one.postprocess_fn((), {}))(z), warm.sum() + steps.sum()

    run = jax.jit(lambda states: jax.lax.map(chain, states)).lower(start).compile()
    seconds, (draws, gradients) = timed(lambda: jax.block_until_ready(run(start)))
    return processor(), seconds, int(gradients.sum()), draws


def blackjax(name, data, seed):
    import blackjax
    import jax
    from numpyro.infer.util import initialize_model

    found = initialize_model(jax.random.key(seed), jax_model(name, data))
    density = lambda x: -found.potential_fn(x)

    def chain(key):
        begin, warm, run = jax.random.split(key, 3)
        leaves, tree = jax.tree.flatten(found.param_info.z)
        start = jax.tree.unflatten(tree, [jax.random.uniform(k, x.shape, minval=-2, maxval=2) for k, x in
                                          zip(jax.random.split(begin, len(leaves)), leaves)])
        (state, parameters), info = blackjax.window_adaptation(blackjax.nuts, density).run(warm, start, WARMUP)
        kernel = blackjax.nuts(density, **parameters).step

        def step(state, key):
            state, seen = kernel(key, state)
            return state, (found.postprocess_fn(state.position), seen.num_integration_steps)

        draws, steps = jax.lax.scan(step, state, jax.random.split(run, DRAWS))[1]
        return draws, steps.sum() + info.info.num_integration_steps.sum()

    run = jax.jit(lambda key: jax.lax.map(chain, jax.random.split(key, CHAINS))).lower(jax.random.key(seed)).compile()
    seconds, (draws, steps) = timed(lambda: jax.block_until_ready(run(jax.random.key(seed))))
    return processor(), seconds, int(steps.sum()), draws


def runge_kutta(theta, start, years):
    """Returns the numbers of hares and lynxes in each year. With steps of a tenth of a year the error is about 1e-6."""
    import pytensor
    import pytensor.tensor as pt

    h = 0.1
    slope = lambda z, theta: pt.stack([(theta[0] - theta[1] * z[1]) * z[0], (theta[3] * z[0] - theta[2]) * z[1]])

    def step(z, theta):
        a = slope(z, theta)
        b = slope(z + h / 2 * a, theta)
        c = slope(z + h / 2 * b, theta)
        return z + h / 6 * (a + 2 * b + 2 * c + slope(z + h * c, theta))

    z = pytensor.scan(step, outputs_info=[start], non_sequences=[theta], n_steps=10 * years)[0]
    return z[9::10]


def pymc_model(name, data):
    import numpy as np
    import pymc as pm
    import pytensor.tensor as pt

    d = {k: np.asarray(v) for k, v in data.items()}
    with pm.Model() as model:
        if name == "normal":
            pm.Normal("y", pm.Normal("mu", 0, 10), pm.HalfNormal("sigma", 5), observed=d["y"])
        elif name == "schools":
            mu, tau, z = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5), pm.Normal("z", 0, 1, shape=8)
            pm.Normal("y", pm.Deterministic("theta", mu + tau * z), d["sigma"], observed=d["y"])
        elif name == "hierarchy":
            mu, tau, sigma = pm.Normal("mu", 0, 10), pm.HalfNormal("tau", 5), pm.HalfNormal("sigma", 5)
            pm.Normal("y", pm.Normal("theta", mu, tau, shape=data["J"])[d["group"] - 1], sigma, observed=d["y"])
        elif name == "radon":
            mu_a, mu_b = pm.Normal("mu_a", 0, 10), pm.Normal("mu_b", 0, 10)
            sigma_a, sigma_b, sigma_y = (pm.HalfNormal(k, 1) for k in ("sigma_a", "sigma_b", "sigma_y"))
            a, b, county = pm.Normal("a", mu_a, sigma_a, shape=data["J"]), pm.Normal("b", mu_b, sigma_b, shape=data["J"]), d["county"] - 1
            pm.Normal("y", a[county] + b[county] * d["floor"], sigma_y, observed=d["y"])
        elif name == "logistic":
            pm.Bernoulli("y", logit_p=pt.dot(d["x"], pm.Normal("b", 0, 1, shape=20)), observed=d["y"])
        elif name == "spline":
            tau, sigma, first = pm.HalfNormal("tau", 1), pm.HalfNormal("sigma", 1), pm.Normal("first", 0, 5)
            steps = pm.Normal("steps", 0, 1, shape=d["basis"].shape[1] - 1)
            b = pm.Deterministic("b", first + tau * pt.concatenate([[0.0], pt.cumsum(steps)]))
            pm.Normal("y", pt.dot(d["basis"], b), sigma, observed=d["y"])
        elif name == "gp":
            rho, alpha, sigma = pm.Gamma("rho", 25, 4), pm.HalfNormal("alpha", 2), pm.HalfNormal("sigma", 1)
            gp = pm.gp.Marginal(cov_func=alpha**2 * pm.gp.cov.ExpQuad(1, rho))
            gp.marginal_likelihood("y", d["x"][:, None], d["y"], sigma=sigma, jitter=0.0)
        elif name == "volatility":
            mu, phi, s = pm.Normal("mu", 0, 5), pm.Uniform("phi", -1, 1), pm.HalfNormal("s", 0.5)
            first = pm.Normal.dist(mu, s / pt.sqrt(1 - phi**2))
            h = pm.AR("h", rho=[mu * (1 - phi), phi], sigma=s, constant=True, init_dist=first, steps=len(d["y"]) - 1)
            pm.Normal("y", 0, pt.exp(h / 2), observed=d["y"])
        elif name == "lotka":
            theta = pm.TruncatedNormal("theta", [1, 0.05, 1, 0.05], [0.5, 0.05, 0.5, 0.05], lower=0, shape=4)
            start, sigma = pm.LogNormal("start", np.log(10), 1, shape=2), pm.LogNormal("sigma", -1, 1, shape=2)
            pm.LogNormal("first", pt.log(start), sigma, observed=d["first"])
            z = runge_kutta(theta, start, len(d["t"]))
            pm.LogNormal("y", pt.log(z), sigma, observed=d["y"])
        elif name == "item":
            pupils, questions = d["correct"].shape
            ability, sharp = pm.Normal("ability", 0, 1, shape=pupils), pm.LogNormal("sharp", 0, 0.5, shape=questions)
            hard = pm.Normal("hard", 0, 1.5, shape=questions)
            pm.Bernoulli("correct", logit_p=sharp * (ability[:, None] - hard), observed=d["correct"])
        elif name == "mixture":
            ordered = pm.distributions.transforms.ordered
            mu = pm.Normal("mu", 0, 2, shape=2, transform=ordered, initval=[-1, 1])
            sigma, theta = pm.HalfNormal("sigma", 2, shape=2), pm.Beta("theta", 5, 5)
            pm.NormalMixture("y", pt.stack([theta, 1 - theta]), mu, sigma, observed=d["y"])
        else:
            raise SystemExit(f"no model {name} for PyMC")
    return model


def nutpie(name, data, seed):
    import nutpie

    compiled = nutpie.compile_pymc_model(pymc_model(name, data))
    run = lambda: nutpie.sample(compiled, draws=DRAWS, tune=WARMUP, chains=CHAINS, cores=1, seed=seed, progress_bar=False)
    seconds, trace = timed(run)
    gradients = trace.sample_stats.n_steps.sum() + trace.warmup_sample_stats.n_steps.sum()
    return processor(), seconds, int(gradients), {k: trace.posterior[k].values for k in trace.posterior}


def stan(name, data, seed):
    import tempfile

    with tempfile.TemporaryDirectory() as cache:  # empty, so that the model is compiled
        os.environ["XDG_CACHE_HOME"] = cache
        os.chdir(cache)
        import stan

        sizes = {"normal": {"N": "y"}, "gp": {"N": "y"}, "mixture": {"N": "y"}, "lotka": {"N": "y"}, "schools": {"J": "y"}, "hierarchy": {"N": "y"},
                 "logistic": {"N": "y"}, "spline": {"N": "y"}, "radon": {"N": "y"}, "item": {"J": "correct"}, "volatility": {"T": "y"}}
        columns = {"logistic": {"D": "x"}, "spline": {"K": "basis"}, "item": {"I": "correct"}}
        d = data | {k: len(data[of]) for k, of in sizes[name].items()} | {k: len(data[of][0]) for k, of in columns.get(name, {}).items()}
        model = stan.build(open(f"{HERE}/models/{name}.stan").read(), data=d, random_seed=seed)
        os.chdir(HERE)
        run = lambda: model.sample(num_chains=CHAINS, num_samples=DRAWS, num_warmup=WARMUP, save_warmup=True)
        seconds, fit = timed(run)
        whole = processor()
    by_chain = lambda x: x.reshape(*x.shape[:-1], -1, CHAINS)  # …, iteration, chain
    kept = lambda x: by_chain(x)[..., -DRAWS:, :]
    draws = {k: kept(fit[k]).swapaxes(-1, -2) for k in fit.param_names}
    draws = {k: x.reshape(-1, CHAINS, DRAWS).transpose(1, 2, 0) for k, x in draws.items()}
    return whole, seconds, int(fit["n_leapfrog__"].sum()), draws


def worst(draws, names):
    import arviz
    import numpy as np

    sizes = []
    for name in names:
        each = np.asarray(draws[name]).reshape(CHAINS, DRAWS, -1)
        for k in range(each.shape[-1]):
            sizes += [float(arviz.ess(each[:, :, k], method=method)) for method in ("bulk", "tail")]
    return min(sizes)


def main():
    system, name, path, seed, names = sys.argv[1:]
    whole, sampling, gradients, draws = globals()[system](name, json.load(open(path)), int(seed))
    memory = 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"processor": whole, "sampling": sampling, "gradients": gradients, "ess": worst(draws, names.split(",")), "memory": memory}))


main()
