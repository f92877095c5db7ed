"""Runs ppl, Stan's NUTS (PyStan) and nutpie on the posteriors of posteriordb that have reference draws: four chains of
1,000 draws, everything else by the defaults of each system. Runs are appended to a file with a JSON object per line, and
those that are already in the file are not repeated.

    pip install -r bench/peers/requirements.txt
    python experiments/posteriordb/peers.py --db PATH/posterior_database --ppl PPL --runs peers.jsonl
    go run ./experiments/posteriordb -db PATH/posterior_database -peers peers.jsonl

The second command judges the runs and writes PEERS.md. Seconds are processor time: for Stan that of the processes that
run Stan, for nutpie that until sampling has ended, for ppl that of the entire command. The statistics of all systems are ArviZ's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile

os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHAINS, DRAWS, WARMUP = 4, 1000, 1000


class Posterior:
    def __init__(self, db, name):
        about = json.load(open(f"{db}/posteriors/{name}.json"))
        self.name, self.model, self.data = name, about["model_name"], f"{db}/data/data/{about['data_name']}.json.zip"
        self.stan = f"{db}/models/stan/{self.model}.stan"
        draws = f"{db}/reference_posteriors/draws/draws/{about['reference_posterior_name']}.json.zip"
        self.known = os.path.exists(draws) and os.path.exists(self.data)

    def ppl(self):
        places = (f"{HERE}/models/{self.model}.ppl", f"{ROOT}/compiler/testdata/stan/{self.model}.ppl")
        return next(filter(os.path.exists, places))

    def text(self):
        with zipfile.ZipFile(self.data) as z:
            return z.read(next(n for n in z.namelist() if not n.startswith("__MACOSX"))).decode()


def spent():
    """Returns the processor time in seconds of this process and of its descendants, whether they have ended or not."""
    import psutil

    own = psutil.Process().cpu_times()
    others = own.children_user + own.children_system
    for p in psutil.Process().children(recursive=True):
        try:
            t = p.cpu_times()
            others += t.user + t.system + t.children_user + t.children_system
        except psutil.NoSuchProcess:
            pass
    return own.user + own.system, others


class Limit:
    """A context that ends this process and its descendants if the statements inside use more than the given processor time."""

    def __init__(self, seconds):
        self.seconds, self.over = seconds, threading.Event()

    def __enter__(self):
        self.before = spent()
        threading.Thread(target=self.watch, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.own, self.others = (b - a for a, b in zip(self.before, spent()))
        self.over.set()

    def watch(self):
        import psutil

        while not self.over.wait(0.2):
            if sum(spent()) - sum(self.before) > self.seconds:
                for p in psutil.Process().children(recursive=True):
                    p.kill()
                print(json.dumps({"exit": -1, "seconds": self.seconds}), flush=True)
                os._exit(0)


def ppl(p, args):
    """Runs ppl twice, first with compilation, then with the compiled program from the cache; both have the same draws."""
    import xarray

    with tempfile.TemporaryDirectory() as d:
        data, times = f"{d}/data.json", []
        open(data, "w").write(p.text())
        for out in (f"{d}/first", f"{d}/again"):
            with Limit(args.limit) as t:
                done = subprocess.run(
                    [args.ppl, "sample", p.ppl(), "--data", data, "--json", "--quiet", "--threads", "1",
                     "--seed", str(args.seed), "--out", out],
                    capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": f"{d}/cache"})
            times.append(t.others)
            if done.returncode:
                raise RuntimeError(done.stderr)
        summary = json.loads(done.stdout)
        arrays = xarray.open_dataset(f"{out}/posterior", engine="zarr").load()
    names, draws = [x["name"].replace(" ", "") for x in summary["parameters"]], {}
    for base in dict.fromkeys(n.split("[")[0] for n in names):
        own = [n for n in names if n.split("[")[0] == base]
        values = arrays[base].values.reshape(CHAINS, DRAWS, -1)
        draws |= {n: values[:, :, k] for k, n in enumerate(own)}
        assert len(own) == values.shape[2], f"{base} has {len(own)} names for {values.shape[2]} elements"
    ess = {x["name"].replace(" ", ""): x["ess_bulk"] for x in summary["parameters"]}
    return draws, {"gradients": summary["gradients"], "seconds": times[1], "compile": times[0] - times[1], "own": ess}


def stan_model(p, seed):
    import aiohttp.client
    import stan

    aiohttp.client.DEFAULT_TIMEOUT = aiohttp.ClientTimeout(total=None)  # PyStan gives up after five minutes otherwise
    return stan.build(open(p.stan).read(), data=json.loads(p.text()), random_seed=seed)


def stan(p, args):
    model = stan_model(p, args.seed)
    with Limit(args.limit) as t:
        fit = model.sample(num_chains=CHAINS, num_samples=DRAWS, num_warmup=WARMUP, save_warmup=True)
    numbers, kept = len(fit.sample_and_sampler_param_names), slice(WARMUP, None)
    draws = {}
    for k, name in enumerate(fit.constrained_param_names):
        base, *at = name.split(".")
        draws[f"{base}[{','.join(at)}]" if at else base] = fit._draws[numbers + k, kept].T
    return draws, {"gradients": int(fit["n_leapfrog__"].sum()), "seconds": t.others}


def finished(sampler):
    try:
        return sampler.is_finished
    except TimeoutError:  # what nutpie 0.16 raises for False
        return False


def nutpie(p, args):
    import nutpie
    import numpy as np

    model = nutpie.compile_stan_model(filename=p.stan).with_data(**json.loads(p.text()))
    with Limit(args.limit) as t:
        # Only waiting for the end is counted, not the conversion of the draws for ArviZ.
        sampler = nutpie.sample(model, draws=DRAWS, chains=CHAINS, cores=1, seed=args.seed, progress_bar=False,
                                blocking=False)
        while not finished(sampler):
            time.sleep(0.005)
    trace, draws = sampler.wait(), {}
    for base, array in trace.posterior.items():
        values = array.values
        for at in np.ndindex(values.shape[2:]):
            name = f"{base}[{','.join(str(k + 1) for k in at)}]" if at else base
            draws[name] = values[(slice(None), slice(None), *at)]
    steps = sum(int(s["n_steps"].sum()) for s in (trace.sample_stats, trace.warmup_sample_stats))
    return draws, {"gradients": steps, "seconds": t.own}


SYSTEMS = {"ppl": ppl, "Stan": stan, "nutpie": nutpie}


def build(p, args):
    """Compiles the Stan program and returns the processor time, which is nearly 0 if PyStan has compiled it before."""
    before = sum(spent())
    stan_model(p, 1)
    return {"built": p.model, "seconds": sum(spent()) - before}


def statistics(name, x):
    import arviz
    import numpy as np

    if not np.isfinite(x).all() or np.ptp(x) == 0:
        return {"name": name}
    q5, q50, q95 = np.quantile(x, (0.05, 0.5, 0.95))
    found = {"mean": x.mean(), "sd": x.std(ddof=1), "mcse_mean": arviz.mcse(x), "q5": q5, "q50": q50, "q95": q95,
             "ess_bulk": arviz.ess(x), "ess_tail": arviz.ess(x, method="tail"), "rhat": arviz.rhat(x)}
    return {"name": name} | {k: float(v) for k, v in found.items() if np.isfinite(v)}


def one(p, system, args):
    """Does one run, for a separate process, and returns its results."""
    if system == "build":
        return build(p, args)
    draws, run = SYSTEMS[system](p, args)
    own = run.pop("own", {})
    names = args.names.split(";") if args.names else draws
    run["parameters"] = [statistics(n, draws[n]) for n in names if n in draws]
    both = [x for x in run["parameters"] if own.get(x["name"]) and "ess_bulk" in x]
    apart = [abs(own[x["name"]] / x["ess_bulk"] - 1) for x in both]
    return run | ({"ess_apart": max(apart)} if apart else {})


def spawn(p, system, args, names=()):
    command = [sys.executable, os.path.abspath(__file__), "--db", args.db, "--ppl", args.ppl, "--runs", args.runs,
               "--seed", str(args.seed), "--limit", str(args.limit), "--one", system, "--only", p.name,
               "--names", ";".join(names)]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        run = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        run = {"exit": 1, "said": "\n".join(done.stderr.splitlines()[-3:])}
    if system == "build":
        return run
    return {"posterior": p.name, "model": p.model, "system": system, "seed": args.seed, "exit": 0} | run


class Runs:
    """The runs in the file."""

    def __init__(self, path):
        self.path = path
        self.all = [json.loads(line) for line in open(path)] if os.path.exists(path) else []

    def add(self, run):
        self.all.append(run)
        with open(self.path, "a") as f:
            f.write(json.dumps(run) + "\n")

    def find(self, **what):
        return next((r for r in self.all if all(r.get(k) == v for k, v in what.items())), None)


def measure(posteriors, args):
    runs = Runs(args.runs)
    for p in posteriors:
        for system in args.systems.split(","):
            if runs.find(posterior=p.name, system=system, seed=args.seed):
                continue
            if system != "ppl" and not runs.find(built=p.model):
                built = spawn(p, "build", args)
                if "built" not in built:
                    print(f"{p.name}: {built['said']}", flush=True)
                    break
                runs.add(built)
            ours = runs.find(posterior=p.name, system="ppl", seed=args.seed) or {}
            run = spawn(p, system, args, [x["name"] for x in ours.get("parameters", [])])
            runs.add(run)
            took = f"{run.get('seconds', 0):.2f} s"
            print(p.name, system, "exit", run["exit"], took, run.get("said", ""), flush=True)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--db", required=True, help="directory posterior_database of a clone of posteriordb")
    a.add_argument("--ppl", required=True, help="the ppl command")
    a.add_argument("--runs", required=True, help="file of the runs")
    a.add_argument("--only", default="", help="posteriors, separated by commas; all that have reference draws if empty")
    a.add_argument("--systems", default=",".join(SYSTEMS), help="separated by commas")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--limit", type=float, default=180, help="processor seconds of a run")
    a.add_argument("--one", help=argparse.SUPPRESS)
    a.add_argument("--names", help=argparse.SUPPRESS)
    args = a.parse_args()
    there = sorted(f.removesuffix(".json") for f in os.listdir(f"{args.db}/posteriors"))
    names = args.only.split(",") if args.only else there
    posteriors = [p for p in (Posterior(args.db, n) for n in names) if p.known]
    if args.one:
        print(json.dumps(one(posteriors[0], args.one, args)), flush=True)
    else:
        measure(posteriors, args)


if __name__ == "__main__":
    main()
