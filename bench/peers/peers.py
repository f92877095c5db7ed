"""Writes bench/RESULTS.md: peers.py WORK [PART…]. The folder WORK contains the programs ppl and side (see the Makefile) and the saved results of each
part, so that parts can be run separately; without PART all are run. RESULTS.md is written from the saved results."""

import json
import os
import platform
import subprocess
import sys
import tempfile

import hand
import modes
import runs
import turns

PARTS = {"hand": hand.by_hand, "jax": turns.jax, "stan": turns.stan, "torch": turns.torch, "networks": turns.networks, "schools": runs.schools, "modes": modes.modes}


class Run:
    """The paths of the repository, the programs and the data."""

    def __init__(self, work, data):
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.root = os.path.dirname(os.path.dirname(self.here))
        self.work, self.data, self.ppl, self.side = work, data, f"{work}/ppl", f"{work}/side"


def machine():
    text = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
    model = next((line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")), platform.processor())
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in text), "no AVX2")
    line = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    return (f"{model}, {os.cpu_count()} cores, {vectors}; {platform.system()} {platform.machine()}; {line('cc', '--version')}; {line('go', 'version')}; "
            f"C library {platform.libc_ver()[1]}; Python {platform.python_version()}")


HEAD = """# Speed

Written by `make bench-peers`, which makes a Python environment with pinned versions (bench/peers/requirements.txt), runs everything below and then takes
some ten minutes; `make bench-peers PARTS="jax stan"` runs parts again ({parts}) and keeps the others, `make bench` runs the first
table alone. Both sides of a ratio take turns in one run; the median of the quotients of their processor times counts. What other work the machine has
still shows in caches and clock rates, and in times of the clock: repeat before believing the second digit.

Machine: {machine}. Load when the last part began: {load:.1f}.
"""


def write(run, path):
    parts = [json.load(open(name)) for name in (f"{run.work}/{part}.json" for part in PARTS) if os.path.exists(name)]
    out = [HEAD.format(parts=", ".join(PARTS), machine=machine(), load=os.getloadavg()[0]), "## What was promised\n"]
    out.append("| | promised | found | |\n| --- | --- | --- | --- |")
    out += [f"| {what} | {bound} | {shown} | {'met' if met else '**missed**'} |" for part in parts for what, bound, shown, met in part["promises"]]
    out += ["", *(part["text"] for part in parts), open(f"{run.here}/notes.md").read()]
    with open(path, "w") as f:
        f.write("\n".join(out))


def main():
    work, names = sys.argv[1], sys.argv[2:] or list(PARTS)
    with tempfile.TemporaryDirectory() as data:
        run = Run(work, data)
        subprocess.run([run.side, "-data", data], check=True)
        for name in names:
            print(name, flush=True)
            PARTS[name](run).save(f"{work}/{name}.json")
        write(run, f"{run.root}/bench/RESULTS.md")


main()
