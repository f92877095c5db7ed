"""Times JAX: jax_side.py MODEL density|step DATA. For each number N from standard input it evaluates the gradient or a step N times for 8 replicas and
prints the processor time in seconds. It uses vmap over replicas, lax.scan over steps, and jit. The step is BADODAB with noisy gradients, as in
infer/dynamics/nosehoover.go."""

import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax
import jax.numpy as jnp
from densities import densities

jax.config.update("jax_enable_x64", True)
LANES = 8
name, entry, folder = sys.argv[1:]
data = {k: jnp.asarray(v, jnp.float64) for k, v in json.load(open(f"{folder}/{name}.json")).items()}
dim, make = densities(jnp)[name]
value_and_grad = jax.vmap(jax.value_and_grad(make(data)))
H, FRICTION, MASS = 0.01, 0.1, 10.0
BETA = jnp.asarray([1.5**-k for k in range(LANES)])[:, None]


def step(state, noise):
    x, p, f, xi = state
    p = p + 0.5 * H * BETA * f
    x = x + 0.5 * H * p
    xi = xi + 0.5 / MASS * H * H * (jnp.sum(p * p, 1) / dim - 1)
    spread = jnp.sqrt(FRICTION * -jnp.expm1(-2 * xi) / xi)
    p = jnp.exp(-xi)[:, None] * p + spread[:, None] * noise[0]
    xi = xi + 0.5 / MASS * H * H * (jnp.sum(p * p, 1) / dim - 1)
    x = x + 0.5 * H * p
    lp, g = value_and_grad(x)
    f = g + 0.5 * noise[1]
    p = p + 0.5 * H * BETA * f
    return (x, p, f, xi), lp


def gradient(state, _):
    x, p, f, xi = state
    lp, g = value_and_grad(x)
    return (x + 1e-9 * g, p, f, xi), lp  # so that no turn is the same as the last


body = {"step": step, "density": gradient}[entry]


@jax.jit
def chunk(state, key):
    noise = jax.random.normal(key, (CHUNK, 2, LANES, dim)) if entry == "step" else jnp.zeros(CHUNK)  # all at once, which is faster than step by step
    state, lp = jax.lax.scan(body, state, noise)
    return state, lp[-1]


CHUNK = 10 if name == "logistic" else 2000
x = 0.1 * jax.random.normal(jax.random.key(0), (LANES, dim))
state = (x, jnp.zeros_like(x), jnp.zeros_like(x), jnp.full(LANES, FRICTION))
state, _ = chunk(state, jax.random.key(1))
jax.block_until_ready(state)
for line in sys.stdin:
    start, done = time.process_time(), 0
    while done < int(line):
        state, _ = chunk(state, jax.random.key(done))
        done += CHUNK
    jax.block_until_ready(state)
    print((time.process_time() - start) * int(line) / done, flush=True)
