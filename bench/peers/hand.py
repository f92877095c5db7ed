"""Results of the Go benchmarks of package bench: comparisons with handwritten C and Go, compile times, numbers of lanes and dimensions."""

import collections
import os
import re
import statistics
import subprocess

from section import Section, microseconds


def benchmarks(root):
    """Runs the benchmarks and returns the median of each metric by benchmark; times are in ns."""
    times = os.environ.get("BENCHTIME", "100x")
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", ".", "-benchtime", times, "./bench"], cwd=root, check=True, capture_output=True, text=True).stdout
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in out.splitlines():
        name, *rest = line.split()
        if name.startswith("Benchmark"):
            for value, unit in zip(rest[1::2], rest[2::2]):
                seen[re.sub("-[0-9]+$", "", name.removeprefix("Benchmark"))][unit].append(float(value))
    return {name: {unit: statistics.median(v) for unit, v in units.items()} for name, units in seen.items()}


def by_hand(run):
    s = Section("By hand", "Log density and gradient for eight walkers on one core, and a step of RENHD (seven replicas fill a vector of eight). C by hand is in "
                "bench/c, with the flags of the native device, the walkers abreast in vectors and the vector functions of the C library; Go by hand is bench/hand.go.")
    found = benchmarks(run.root)
    rows = []
    for name, m in found.items():
        if "native/C" not in m:
            continue
        step = name == "RENHDStep"
        what = "RENHD step, mixture" if step else name.removeprefix("Density/")
        s.at_most(f"{what}: native/C", 1.5 if step else 1.3, m["native/C"])
        if not step:
            s.at_most(f"{what}: host/Go", 1.5, m["host/Go"])
        time = lambda unit: microseconds(m[unit] / 1e9) if unit in m else ""
        rows.append((what, time("ns/native"), time("ns/C"), f"{m['native/C']:.2f}", time("ns/host"), time("ns/Go"), f"{m['host/Go']:.2f}" if not step else ""))
    s.table(("", "native", "C", "native/C", "host", "Go", "host/Go"), rows)
    compiling(s, found)
    scale(s, found)
    return s


def compiling(s, found):
    rows, slowest = found["Compile/rows"], found["Compile/examples"]["ns/slowest"] / 1e9
    s.text.append(f"From model and data to C (graph, gradient, IR, text): Poisson regression of 20 rows {rows['ns/20rows'] / 1e6:.1f} ms, of 2,000 rows "
                  f"{rows['ns/2000rows'] / 1e6:.1f} ms; the slowest of examples/ {slowest:.2f} s.\n")
    s.at_most("compiling 2,000 rows / 20 rows", 1.1, rows["2000rows/20rows"])
    s.at_most("graph to C, slowest example", 0.5, slowest, " s")


def scale(s, found):
    rate = lambda m, n: f"{n * 1e9 / m['ns/step']:.3g}"
    lanes = [(int(n.split("=")[-1]), m) for n, m in found.items() if "lanes" in n and "mixture" in n]
    dims = [(int(re.search("dims=([0-9]+)", n)[1]), m) for n, m in found.items() if "gaussian" in n]
    s.text.append("Steps of RENHD on the mixture, one core, over lanes. A block has as many lanes as a vector; fewer cost the same.\n")
    s.table(("lanes", "time of a step", "walker-steps/s"), [(f"{n:,}", microseconds(m["ns/step"] / 1e9), rate(m, n)) for n, m in lanes])
    s.text.append("Steps of RENHD on independent normals, eight lanes, one core, over dimensions: steps, and coordinates of walkers moved, noise and all.\n")
    s.table(("dimension", "time of a step", "steps/s", "coordinates/s"), [(f"{n:,}", microseconds(m["ns/step"] / 1e9), rate(m, 1), rate(m, 8 * n)) for n, m in dims])
    by = dict(lanes)
    s.at_least("walker-steps/s with 1,024 lanes / with 8", 0.8, by[1024]["ns/step"] and 128 * by[8]["ns/step"] / by[1024]["ns/step"])
