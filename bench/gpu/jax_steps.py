"""Times steps by JAX that the parts of gpu.sh time by ppl: jax_steps.py modes|data|lstm [SIZE].

The last line that it prints has the numbers in the units of gpu.sh: lane-steps a second by number of lanes, or
milliseconds a step of the LSTM by number of walkers. SIZE is the number of lanes, rows or cells, for a trial on a
processor. JAX with CUDA comes from `pip install "jax[cuda12]"`."""

import functools
import sys
import time

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit("JAX is not installed")

jax.config.update("jax_enable_x64", True)


def seconds(step, state, each):
    """Returns the median time of a step, of five runs of `each` steps, after one run that compiles."""
    many = jax.jit(lambda s: jax.lax.fori_loop(0, each, lambda _, s: step(s), s))
    state = jax.block_until_ready(many(state))
    times = []
    for _ in range(5):
        began = time.perf_counter()
        state = jax.block_until_ready(many(state))
        times.append(time.perf_counter() - began)
    return sorted(times)[2] / each


def leapfrog(gradient, size):
    """Returns a leapfrog step of all lanes, by the gradient of the log density of all lanes."""

    def step(state):
        x, p = state
        x = x + 0.5 * size * p
        p = p + size * gradient(x)
        return x + 0.5 * size * p, p

    return step


def modes(lanes):
    """Five modes in the plane, as in examples/five_modes.ppl."""
    center = jnp.array([[0.0, 0], [4, 4], [-4, 4], [-4, -4], [4, -4]])
    weight = jnp.array([0.3, 0.1, 0.25, 0.15, 0.2])

    def density(x):
        return jax.nn.logsumexp(jnp.log(weight) - ((x - center) ** 2).sum(1) / (2 * 0.5**2))

    x = jax.random.normal(jax.random.key(1), (lanes, 2))
    took = seconds(leapfrog(jax.vmap(jax.grad(density)), 0.1), (x, x), 1000)
    return f"jax/{lanes} {lanes / took:.4g}"


def data(rows):
    """A logistic regression with 20 covariates, for 4, 28 and 256 walkers, in double and in single precision."""
    results = []
    for name, precision in ("double", jnp.float64), ("single", jnp.float32):
        key_x, key_y, key_b = jax.random.split(jax.random.key(1), 3)
        x = jax.random.normal(key_x, (rows, 20), precision)
        y = jax.random.bernoulli(key_y, 0.5, (rows,)).astype(precision)

        def density(b):  # of all walkers: one product of matrices, which is faster than vmap over walkers
            logits = jnp.matmul(x, b.T, precision="highest")
            return (y[:, None] * logits - jax.nn.softplus(logits)).sum() - 0.5 * (b**2).sum()

        for walkers in 4, 28, 256:
            b = 0.1 * jax.random.normal(key_b, (walkers, 20), precision)
            size = jnp.asarray(1e-3, precision)
            took = seconds(leapfrog(jax.grad(density), size), (b, b), 20)
            results.append(f"{name}/{walkers} {walkers / took:.4g}")
    return "  ".join(results)


def lstm(cells):
    """A gradient step of an LSTM on 128 images of 28 rows, for 12 and 96 walkers, in single precision and TF32."""
    results = []
    for name in "highest", "tensorfloat32":
        for walkers in 12, 96:
            keys = jax.random.split(jax.random.key(1), 4)
            images = jax.random.uniform(keys[0], (walkers, 128, 28, 28), jnp.float32)
            label = jax.random.randint(keys[1], (walkers, 128), 0, 10)
            shapes = {"inputs": (28, 4 * cells), "own": (cells, 4 * cells), "bias": (4 * cells,), "out": (cells, 10)}
            weights = {k: 0.1 * jax.random.normal(keys[2], (walkers, *s), jnp.float32) for k, s in shapes.items()}
            step = functools.partial(lstm_step, images, label, cells)
            with jax.default_matmul_precision(name):
                took = seconds(step, weights, 4)
            results.append(f"{name}/{walkers} {1e3 * took:.4g}")
    return "  ".join(results)


def lstm_step(images, label, cells, weights):
    def loss(w, image, label):
        def turn(state, row):
            h, c = state
            gates = row @ w["inputs"] + h @ w["own"] + w["bias"]
            enter, keep, leave, new = jnp.split(gates, 4, axis=1)
            c = jax.nn.sigmoid(keep) * c + jax.nn.sigmoid(enter) * jnp.tanh(new)
            return (jax.nn.sigmoid(leave) * jnp.tanh(c), c), None

        start = jnp.zeros((image.shape[0], cells), jnp.float32)
        (h, _), _ = jax.lax.scan(turn, (start, start), image.swapaxes(0, 1))
        scores = jax.nn.log_softmax(h @ w["out"])
        return -jnp.take_along_axis(scores, label[:, None], 1).sum()

    gradient = jax.vmap(jax.grad(loss))(weights, images, label)
    return jax.tree.map(lambda w, g: w - jnp.float32(1e-5) * g, weights, gradient)


if __name__ == "__main__":
    parts = {"modes": (modes, 131072), "data": (data, 100_000), "lstm": (lstm, 128)}
    part, size = parts[sys.argv[1]]
    print(jax.devices()[0].device_kind, "JAX", jax.__version__)
    print(part(int(sys.argv[2]) if len(sys.argv) > 2 else size))
