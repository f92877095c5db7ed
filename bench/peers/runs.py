"""Times entire processes that sample eight schools, by ppl and other systems."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from section import Section

HERE = os.path.dirname(os.path.abspath(__file__))
# Reference posterior of eight_schools-eight_schools_noncentered in posteriordb (Magnusson et al. 2024): mean and standard deviation.
REFERENCE = {"mu": (4.41, 3.31), "tau": (3.60, 3.20)}


def process(folder, *command, **environment):
    """Runs a command in a folder and returns its wall-clock time and processor time in seconds, and its output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=folder)
    clock, after = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr[-2000:]}")
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def middle(runs):
    return [statistics.median(r[k] for r in runs) for k in (0, 1)]


def schools(run):
    s = Section("Eight schools, the whole process", "Four chains of 1,000 draws after 1,000 of warm-up, from the command to its end; medians of 5 for ppl, which reports "
                "the worst ess_bulk of all parameters in the worst of the runs, the others that of mu and tau. PyStan compiles at first; the others each time.")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for label, bound in (("cold", 1.5), ("warm", 0.5)):
            rows.append(ours(s, run, folder, label, bound))
        for name, label in (("numpyro", ""), ("blackjax", ""), ("nutpie", ""), ("pystan", ", first"), ("pystan", ", again")):
            rows.append((name + label, *theirs(name, folder)))
    s.table(("", "clock", "processor", "worst ess"), rows)
    return s


def theirs(name, folder):
    try:
        clock, cpu, out = process(folder, sys.executable, f"{HERE}/whole.py", name, XDG_CACHE_HOME=f"{folder}/{name}")
    except RuntimeError as e:  # a row of the table, not the end of the comparison
        print(e, file=sys.stderr)
        return "failed", "", ""
    return f"{clock:.2f} s", f"{cpu:.2f} s", out.strip().splitlines()[-1].removeprefix("worst ess ")


def ours(s, run, folder, label, bound):
    model = f"{run.root}/examples/eight_schools.ppl"
    runs = [process(folder, run.ppl, "sample", model, "--out", f"{folder}/{label}{k}", "--seed", str(k + 1), "--json", "--quiet",
                    XDG_CACHE_HOME=f"{folder}/cache{k if label == 'cold' else 0}") for k in range(5)]
    clock, cpu = middle(runs)
    found = [{p["name"]: p for p in json.loads(out)["parameters"]} for *_, out in runs]
    worst = min(p["ess_bulk"] for f in found for p in f.values())
    off = max(abs(f[name]["mean"] - mean) / sd for f in found for name, (mean, sd) in REFERENCE.items())
    s.at_most(f"eight schools, {label} cache, clock", bound, clock, " s")
    s.at_least(f"eight schools, {label} cache, worst ess_bulk", 1000, worst)
    s.at_most(f"eight schools, {label} cache, means off the reference", 0.1, off, " sd")
    return f"ppl sample, {label} cache", f"{clock:.2f} s", f"{cpu:.2f} s", f"{worst:.0f}"
