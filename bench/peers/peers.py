"""Writes RESULTS.md: peers.py BIN GO_BENCHMARKS. BIN has ppl and side, and gets the Stan programs; see the Makefile.

Both sides of a ratio take turns in one run, and the median of the quotients of their processor times counts, so that what else the machine does
meets both. What runs whole processes gives times of the clock and of the processor."""

import collections
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN, TURNS = sys.argv[1], 7


class Side:
    """A program that answers a number of times with seconds."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=HERE)

    def seconds(self, times):
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def race(times, a, b):
    """Median seconds of each side for one piece of work, and the median of b/a."""
    for side in (a, b):
        side.seconds(times[side is b])
    rounds = [(a.seconds(times[0]) / times[0], b.seconds(times[1]) / times[1]) for _ in range(TURNS)]
    a.close()
    b.close()
    return statistics.median(r[0] for r in rounds), statistics.median(r[1] for r in rounds), statistics.median(r[1] / r[0] for r in rounds)


def table(title, note, head, rows):
    print(f"## {title}\n\n{note}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def microseconds(x):
    return f"{1e6 * x:.3g} µs"


def side(model, entry):
    return Side(f"{BIN}/side", model, entry)


def machine():
    text = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in text), "no AVX2")
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"""# Speed

Written by `make bench-peers`, which makes a Python environment with pinned versions (bench/peers/requirements.txt), runs everything below and takes
about half an hour; `make bench` runs the first table alone. Both sides of a ratio take turns in one run; the median of the quotients of their
processor times counts. What other work the machine has still shows in caches and clock rates: repeat before believing the second digit.

Machine: {os.cpu_count()} cores, {platform.machine()} with {vectors}, {platform.system()}; {compiler}; C library {platform.libc_ver()[1]}; Python {platform.python_version()}.
""")


def by_hand(path):
    """The tables of the Go benchmarks."""
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in open(path):
        name, *rest = line.split()
        if name.startswith("Benchmark"):
            for value, unit in zip(rest[1::2], rest[2::2]):
                seen[re.sub("-[0-9]+$", "", name.removeprefix("Benchmark"))][unit].append(float(value))
    median = {name: {unit: statistics.median(v) for unit, v in units.items()} for name, units in seen.items()}
    cell = lambda m, unit, scale: microseconds(m[unit] / 1e9) if scale and unit in m else f"{m[unit]:.2f}" if unit in m else ""
    table("By hand", "Log density and gradient for eight walkers on one core, and a step of RENHD (seven replicas fill a vector of eight). C by hand is in bench/c, with the "
          "flags of the native device, the walkers abreast in vectors and the vector functions of the C library; Go by hand is bench/hand.go. Promised: native/C at most 1.3, "
          "1.5 for the step; host/Go at most 1.5.", ("", "native", "C", "native/C", "host", "Go", "host/Go"),
          [[name] + [cell(m, unit, "/" in unit and unit.startswith("ns")) for unit in ("ns/native", "ns/C", "native/C", "ns/host", "ns/Go", "host/Go")]
           for name, m in median.items() if "native/C" in m])
    lanes = [(n.split("=")[-1], m) for n, m in median.items() if "/lanes" in n and "mixture" in n]
    dims = [(re.search("dims=([0-9]+)", n)[1], m) for n, m in median.items() if "gaussian" in n]
    rate = lambda m, walkers: f"{walkers * 1e9 / m['ns/step']:.3g}"
    table("Lanes", "Steps of RENHD on the mixture, one core: walker-steps a second. A block has as many lanes as a vector; fewer cost the same.",
          ("lanes", "time of a step", "walker-steps/s"), [(n, microseconds(m["ns/step"] / 1e9), rate(m, int(n))) for n, m in lanes])
    table("Dimensions", "Steps of RENHD on independent normals, eight lanes, one core: coordinates of walkers moved a second, noise and all.",
          ("dimension", "time of a step", "coordinates/s"), [(n, microseconds(m["ns/step"] / 1e9), rate(m, 8 * int(n))) for n, m in dims])


def build_stan():
    import httpstan

    root = os.path.dirname(httpstan.__file__)
    for model in ("eight_schools", "mixture", "logistic", "poisson", "volatility", "gp"):
        out = f"{BIN}/stan_{model}"
        if not os.path.exists(out):
            subprocess.run([f"{root}/stanc", "--O1", f"--o={out}.hpp", f"{HERE}/stan/{model}.stan"], check=True)
            subprocess.run(["c++", "-std=c++17", "-O3", "-march=native", "-w", f"-I{root}/include", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS", "-include", f"{out}.hpp",
                            f"{HERE}/stan/gradient.cpp", "-o", out, f"-L{root}/lib", "-l:libtbb.so.2", f"-Wl,-rpath,{root}/lib"], check=True)


def against_jax(data):
    rows = []
    for model, times in {"mixture": (50000, 20000), "eight_schools": (50000, 20000), "logistic": (40, 20)}.items():
        ours, theirs, ratio = race(times, side(model, "step"), Side(sys.executable, "jax_side.py", model, "step", data))
        rows.append((model, microseconds(ours), microseconds(theirs), f"{ratio:.2f}", "3" if model != "logistic" else "1.5"))
    table("A step of RENHD: JAX", "Eight replicas, gradient, noise and thermostat (BADODAB); jit, vmap over replicas, lax.scan over steps; one thread, float64.",
          ("model", "ppl", "JAX", "JAX/ppl", "promised"), rows)


def against_stan(data):
    rows = []
    for model, times in {"poisson": (20000, 20000), "mixture": (400000, 50000), "eight_schools": (400000, 50000), "logistic": (40, 40),
                         "gp": (10, 40), "volatility": (500, 500)}.items():
        ours, theirs, ratio = race(times, side(model, "density"), Side(f"{BIN}/stan_{model}", f"{data}/{model}.json"))
        rows.append((model, microseconds(ours / 8), microseconds(theirs), f"{8 * ratio:.2f}", "2"))
    table("Log density and gradient: Stan", "For one walker: ppl moves eight at once, an eighth of that is its time. Stan's is that of log_prob_grad, called from C++ "
          "compiled with -O3 -march=native and stanc --O1, without the way through Python; GLM functions where it has them.",
          ("model", "ppl", "Stan", "Stan/ppl", "promised"), rows)


def against_torch(data):
    rows = []
    for model, times in {"mixture": (100000, 200), "eight_schools": (100000, 200), "logistic": (40, 20)}.items():
        ours, theirs, ratio = race(times, side(model, "density"), Side(sys.executable, "torch_side.py", model, "density", data))
        rows.append((model, microseconds(ours), microseconds(theirs), f"{ratio:.1f}"))
        ours, theirs, ratio = race((times[0], times[0] // 5), side(model, "density"), Side(sys.executable, "jax_side.py", model, "density", data))
        rows[-1] += (microseconds(theirs), f"{ratio:.1f}")
    table("Log density and gradient: PyTorch and JAX", "Eight walkers, one thread, float64; PyTorch by torch.func.vmap.",
          ("model", "ppl", "PyTorch", "PyTorch/ppl", "JAX", "JAX/ppl"), rows)


def process(*command, **environment):
    """Runs a command: seconds of the clock, seconds of the processor, its last line of output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=HERE)
    clock, after = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return clock, 0, f"failed: {done.stderr.strip().splitlines()[-1:]}"
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def whole_processes():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        def ppl(label):
            runs = []
            for k in range(5):
                cache = f"{folder}/cold{k}" if label == "cold" else f"{folder}/cold0"
                runs.append(process(f"{BIN}/ppl", "sample", f"{HERE}/../models/eight_schools.ppl", "--out", f"{folder}/{label}{k}", "--json", XDG_CACHE_HOME=cache))
            worst = min(p["ess_bulk"] for p in json.loads(runs[0][2])["parameters"])
            rows.append((f"ppl sample, {label} cache", *(f"{statistics.median(r[i] for r in runs):.2f} s" for i in (0, 1)), f"{worst:.0f}"))
        ppl("cold")
        ppl("warm")
        for name in ("numpyro", "blackjax", "nutpie", "pystan"):
            for label in ("first",) if name != "pystan" else ("first", "again"):
                clock, cpu, out = process(sys.executable, "whole.py", name, XDG_CACHE_HOME=f"{folder}/{name}")
                rows.append((f"{name}, {label}" if name == "pystan" else name, f"{clock:.2f} s", f"{cpu:.2f} s", out.strip().splitlines()[-1].removeprefix("worst ess ")))
    table("Eight schools, the whole process", "Four chains of 1,000 draws after 1,000 of warm-up, from the command to its end; medians of 5 for ppl, which reports the worst ess_bulk of "
          "all parameters, the others that of mu and tau. PyStan compiles at first.", ("", "clock", "processor", "worst ess"), rows)


def main():
    machine()
    by_hand(sys.argv[2])
    build_stan()
    with tempfile.TemporaryDirectory() as data:
        subprocess.run([f"{BIN}/side", "-data", data], check=True)
        against_jax(data)
        against_stan(data)
        against_torch(data)
    whole_processes()
    print(open(f"{HERE}/notes.md").read(), end="")


main()
