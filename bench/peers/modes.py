"""Runs experiments/multimodal/peers.py, which samples targets with several modes by ppl and other systems, and formats its results as a table."""

import csv
import subprocess
import sys

from section import Section

TARGETS = {"geo0": "five modes in the plane", "geo1": "five modes of different widths", "geo2": "five modes further apart",
           "two10": "two modes at 10 sd in 10 dimensions, 1:2", "two50": "two modes at 10 sd in 50 dimensions, 1:2", "grid": "25 modes on a grid at 10 sd",
           "forty": "40 modes at random", "banana": "a banana with two branches, 1:2", "labels": "three components without labels"}


def modes(run):
    s = Section("Several modes", "Weights of modes, known; defaults or what the documentation recommends, four chains of 1,000 draws, seed 1, whole calls with compilation. The "
                "weight error is the largest over the modes, right when it is below .05 with an ESS of 100; ESS is the least of a mode's share, in which PyMC's does not see that particles "
                "descend from one another. `experiments/multimodal/peers.py` has what each is told.")
    out = subprocess.run([sys.executable, f"{run.root}/experiments/multimodal/peers.py", "--ppl", run.ppl, "--seeds", "1", "--targets", ",".join(TARGETS)],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = list(csv.DictReader(out.splitlines()))
    s.table(("target", "sampler", "weight error", "ESS", "processor", "ESS per second of the processor", "clock"), map(row, lines))
    leads = [lead(target, [x for x in lines if x["target"] == target]) for target in TARGETS]
    s.text.append("Most effective draws a second of the processor among those that are right: " + "; ".join(leads) + ".\n")
    return s


def row(x):
    if x["finished"] != "yes":
        return TARGETS[x["target"]], x["sampler"], "failed", "", f"{x['processor']} s", "", f"{x['seconds']} s"
    wrong = "" if right(x) else ", wrong"
    return (TARGETS[x["target"]], x["sampler"], f"{float(x['off']):.3f}{wrong}", f"{float(x['ess']):.0f}", f"{x['processor']} s", f"{rate(x):.0f}" if not wrong else "",
            f"{x['seconds']} s")


def right(x):
    return x["finished"] == "yes" and float(x["off"]) < 0.05 and float(x["ess"]) >= 100


def rate(x):
    return float(x["ess"]) / float(x["processor"])


def lead(target, lines):
    good = sorted(filter(right, lines), key=rate, reverse=True)
    return f"{TARGETS[target]}: {good[0]['sampler']} ({rate(good[0]):.0f})" + "".join(f", then {x['sampler']} ({rate(x):.0f})" for x in good[1:2]) if good else f"{TARGETS[target]}: none"
