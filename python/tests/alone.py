"""What works without any other package: run by test.sh in an empty environment."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import ppl_lang as ppl

assert not {"numpy", "pandas"} & set(sys.modules)
inside = Path(ppl.__file__).parent / "bin" / "ppl"
assert ppl.binary() == str(inside), ppl.binary()
assert ppl.command("version")["version"] == ppl.__version__

warnings.simplefilter("ignore", ppl.SamplingWarning)
model = ppl.Model("data y[N]\nmu ~ Normal(0, 10)\ny[i in N] ~ Normal(mu, 1)\n")
with tempfile.TemporaryDirectory() as folder:
    run = model.sample({"y": [1.0, 2, 3]}, seed=1, draws=200, warmup=100, out=Path(folder) / "m.run")
    summary = ppl.command("summary", run.path)["parameters"]
    assert abs(summary[0]["mean"] - 2) < 0.2 and run.variables == ["mu"]
    assert abs(run.loo().elpd_loo + 5) < 2 and model.optimize({"y": [1.0, 2, 3]}).converged
    for needs in (lambda: run.summary, lambda: run["mu"], lambda: run.query("mu")):
        try:
            needs()
        except ImportError as error:
            assert "pip install" in str(error)
        else:
            raise AssertionError("a table without pandas")
    try:
        ppl.Model("x ~ Normal(0, s)\n").sample()
    except ppl.ModelError as error:
        assert error.code == "E10" and error.line == 1
print("ppl-lang works without other packages")
