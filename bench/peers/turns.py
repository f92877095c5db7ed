"""Compares processor times with those of JAX, Stan and PyTorch. The programs run alternately; the result is the median quotient of their times."""

import os
import statistics
import subprocess
import sys

from section import Section, microseconds

HERE, TURNS = os.path.dirname(os.path.abspath(__file__)), 7


class Side:
    """A running program that reads a number of repetitions and prints the processor time in seconds."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE)

    def seconds(self, times):
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def enough(side):
    """Returns a number of repetitions that takes at least 20 milliseconds."""
    times = 1
    while side.seconds(times) < 0.02:
        times *= 2
    return times


def race(*sides):
    """Returns for each side the median seconds of one repetition, and the median of its quotient with those of the first side."""
    times = [enough(s) for s in sides]
    rounds = [[s.seconds(n) / n for s, n in zip(sides, times)] for _ in range(TURNS)]
    for s in sides:
        s.close()
    return [(statistics.median(r[k] for r in rounds), statistics.median(r[k] / r[0] for r in rounds)) for k in range(len(sides))]


def ours(run, model, entry):
    return Side(run.side, model, entry)


def jax(run):
    s = Section("A step of RENHD: JAX", "Eight replicas, gradient, noise and thermostat (BADODAB); jit, vmap over replicas, lax.scan over steps; one thread, float64.")
    rows = []
    for model, least in {"mixture": 3, "eight_schools": 3, "logistic": 1.5}.items():
        (a, _), (b, ratio) = race(ours(run, model, "step"), Side(sys.executable, "jax_side.py", model, "step", run.data))
        s.at_least(f"RENHD step, {model}: JAX/ppl", least, ratio)
        rows.append((model, microseconds(a), microseconds(b), f"{ratio:.2f}"))
    s.table(("model", "ppl", "JAX", "JAX/ppl"), rows)
    return s


def build(run, model):
    """Compiles a model's Stan program with gradient.cpp, unless an executable exists that is newer than both, and returns its path."""
    import httpstan

    root, out = os.path.dirname(httpstan.__file__), f"{run.work}/stan_{model}"
    sources = [f"{HERE}/stan/{model}.stan", f"{HERE}/stan/gradient.cpp"]
    if not os.path.exists(out) or os.path.getmtime(out) < max(map(os.path.getmtime, sources)):
        subprocess.run([f"{root}/stanc", "--O1", f"--o={out}.hpp", sources[0]], check=True)
        subprocess.run(["c++", "-std=c++17", "-O3", "-march=native", "-w", f"-I{root}/include", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS", "-include", f"{out}.hpp",
                        sources[1], "-o", out, f"-L{root}/lib", "-l:libtbb.so.2", f"-Wl,-rpath,{root}/lib"], check=True)
    return out


def stan(run):
    s = Section("Log density and gradient: Stan", "For one walker: ppl moves eight at once, an eighth of that is its time. Stan's is that of log_prob_grad, called "
                "from C++ compiled with -O3 -march=native and stanc --O1, without the way through Python; GLM functions where it has them.")
    rows = []
    for model in ("poisson", "mixture", "logistic", "eight_schools", "gp", "volatility"):
        (a, _), (b, ratio) = race(ours(run, model, "density"), Side(build(run, model), f"{run.data}/{model}.json"))
        s.at_least(f"gradient, {model}: Stan/ppl", 2, 8 * ratio)
        rows.append((model, microseconds(a / 8), microseconds(b), f"{8 * ratio:.2f}"))
    s.table(("model", "ppl", "Stan", "Stan/ppl"), rows)
    return s


def torch(run):
    s = Section("Log density and gradient: PyTorch and JAX", "Eight walkers, one thread, float64; PyTorch by torch.func.vmap, JAX as above without the step.")
    rows = []
    for model in ("mixture", "eight_schools", "logistic"):
        (a, _), (b, by_torch), (c, by_jax) = race(ours(run, model, "density"), Side(sys.executable, "torch_side.py", model, "density", run.data),
                                                  Side(sys.executable, "jax_side.py", model, "density", run.data))
        rows.append((model, microseconds(a), microseconds(b), f"{by_torch:.1f}", microseconds(c), f"{by_jax:.1f}"))
    s.table(("model", "ppl", "PyTorch", "PyTorch/ppl", "JAX", "JAX/ppl"), rows)
    return s


# Maps a network to its number of replicas and the least quotient required; rows and batch are those of bench/network.go.
NETWORKS, ROWS, BATCH = {"mlp": (12, 1), "lstm": (12, 1), "resnet8": (2, 1), "resnet20": (2, 1)}, 2000, 128


def networks(run):
    s = Section("A step of networks: PyTorch", "SGNHT of some replicas, each with weights and a batch of 128 of its own: rows, forward, backward, noise, thermostat and "
                "update; one thread, single precision. PyTorch takes one replica after the other, images with channels last.")
    rows = []
    for name, (replicas, least) in NETWORKS.items():
        (a, _), (b, ratio) = race(ours(run, name, "step"), Side(sys.executable, "torch_network.py", name, str(replicas), str(ROWS), str(BATCH)))
        s.at_least(f"step, {name} × {replicas}: PyTorch/ppl", least, ratio)
        rows.append((f"{name} × {replicas}", f"{1e3 * a:.3g} ms", f"{1e3 * b:.3g} ms", f"{ratio:.2f}"))
    s.table(("network", "ppl", "PyTorch", "PyTorch/ppl"), rows)
    return s
