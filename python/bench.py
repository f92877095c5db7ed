"""Measures what the package promises and prints a table; the exit code is 1 if a number is missed.

``bench.py WORK``: WORK has the program ``side``, which ``go build -o WORK ./bench/side`` makes.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent / "bench" / "models"
LANES = 8  # of bench/side


def processor(who: int) -> float:
    """Return the processor seconds of this process or of its children so far."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def median(work: Callable[[], float], times: int) -> float:
    """Return the median of what a function returns."""
    return statistics.median(work() for _ in range(times))


def of_child(*command: str) -> float:
    """Return the processor seconds of a command."""
    before = processor(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return processor(resource.RUSAGE_CHILDREN) - before


def of_both(work: Callable[[], object]) -> float:
    """Return the processor seconds of a function, with those of the processes that it starts."""
    before = processor(resource.RUSAGE_SELF) + processor(resource.RUSAGE_CHILDREN)
    work()
    return processor(resource.RUSAGE_SELF) + processor(resource.RUSAGE_CHILDREN) - before


def importing() -> float:
    """Return the processor seconds of the import."""
    python = [sys.executable, "-c"]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    of_child(*python, "import ppl_lang")
    bare = median(lambda: of_child(*python, "pass"), 15)
    return median(lambda: of_child(*python, "import ppl_lang"), 15) - bare


def overhead() -> float:
    """Return the processor seconds of a call beyond those of the binary."""
    import ppl_lang as ppl

    bare = median(lambda: of_child(ppl.binary(), "version", "--json"), 15)
    return median(lambda: of_both(lambda: ppl.command("version")), 15) - bare


REGRESSION = """data y[N], x[N]
a, b ~ Normal(0, 10)
sigma ~ HalfNormal(5)
y[i in N] ~ Normal(a + b * x[i], sigma)
"""


def regression() -> float:
    """Return the processor seconds from a DataFrame to the summary of a regression."""
    import numpy as np
    import pandas as pd

    import ppl_lang as ppl

    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    frame = pd.DataFrame({"x": x, "y": 1 + 2 * x + rng.normal(size=100)})

    def once() -> None:
        assert abs(ppl.Model(REGRESSION).sample(frame, seed=1).summary.loc["b", "mean"] - 2) < 0.5

    once()  # compiles the library, which later runs find
    return median(lambda: of_both(once), 5)


ROWS, COLUMNS = 1_000_000, 20


def handing_over(binary: str) -> tuple[float, float]:
    """Return the seconds to hand a table over, and those in which the binary reads it and looks at each value."""
    import numpy as np
    import pandas as pd

    from ppl_lang import _data

    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{k}": rng.normal(size=ROWS) for k in range(COLUMNS)})
    model = "data " + ", ".join(f"x{k}[N]" for k in range(COLUMNS)) + "\nm ~ Normal(0, 1)\n"
    model += "".join(f"x{k}[i in N] ~ Normal(m, 1)\n" for k in range(COLUMNS))
    giving, reading = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            began = time.perf_counter()
            given = _data.arguments(frame, path, lambda: None)
            giving.append(time.perf_counter() - began)
            (path / "m.ppl").write_text(model)
            began = time.perf_counter()
            subprocess.run([binary, "check", path / "m.ppl", *given], check=True, stdout=subprocess.DEVNULL)
            reading.append(time.perf_counter() - began)
    return statistics.median(giving), statistics.median(reading)


class Side:
    """ppl's own measurement of a density and its gradient for eight walkers, on the native device."""

    def __init__(self, work: pathlib.Path, name: str) -> None:
        self._process = subprocess.Popen(
            [work / "side", name, "density"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def seconds(self, times: int) -> float:
        """Return the processor seconds of that many densities with their gradients."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(times, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())


def gradient(work: pathlib.Path, name: str) -> tuple[float, float, float]:
    """Return the microseconds of eight gradients by the device and by ctypes in a large batch, and of one by ctypes."""
    import numpy as np

    import ppl_lang as ppl

    data = json.loads((work / f"{name}.json").read_text())
    f = ppl.Model(MODELS / f"{name}.ppl").log_density(data)
    assert f.compiled
    start = f.initial(seed=1, points=LANES) / 20
    with Side(work, name) as side:
        times = max(1, int(0.05 / max(side.seconds(100) / 100, 1e-8)))
        batch = start.repeat(max(1, min(times, 16_384 // start.size)), axis=0)  # stays in cache
        calls = max(1, times // (len(batch) // LANES))

        def by_ctypes(points: object, count: int, out: object = None) -> float:
            before = time.thread_time()
            for _ in range(count):
                f.value_and_gradient(points, out=out)
            return time.thread_time() - before

        out = np.empty(len(batch)), np.empty(batch.shape)

        rounds = []
        for _ in range(9):  # the sides take turns
            rounds.append(
                (
                    side.seconds(times) / times,
                    by_ctypes(batch, calls, out) / (calls * len(batch) // LANES),
                    by_ctypes(start[0], max(1, times // 20)) / max(1, times // 20),
                )
            )
    native, large, small = (1e6 * statistics.median(r[k] for r in rounds) for k in range(3))
    return native, large, small


def main() -> int:
    """Measure everything and return the exit code."""
    import ppl_lang as ppl

    warnings.simplefilter("ignore")
    work = pathlib.Path(sys.argv[1])
    subprocess.run([work / "side", "-data", work], check=True)
    missed = 0

    def line(what: str, found: float, most: float, unit: str) -> None:
        nonlocal missed
        missed += found > most
        print(f"{what:58} {found:10.3g} {unit}, at most {most:g}: {'met' if found <= most else 'missed'}", flush=True)

    for wheel in sorted(HERE.parent.glob("dist/ppl_lang-*.whl")):
        line(f"wheel {wheel.stem.split('-', 4)[-1][:40]}", os.stat(wheel).st_size / 1e6, 17, "MB")
    line("import", importing(), 0.1, "s of processor time")
    line("a call beyond the binary's own time", 1000 * overhead(), 50, "ms of processor time")
    line("regression, DataFrame to summary", regression(), 0.5, "s of processor time")
    giving, reading = handing_over(ppl.binary())
    line(f"{ROWS:,} rows × {COLUMNS} columns handed over", giving, 2, "s")
    print(f"{'  and read, with the checks of each value':58} {reading:10.3g} s")
    for name in ("poisson", "mixture", "logistic", "eight_schools", "gp", "volatility"):
        native, large, small = gradient(work, name)
        print(f"{name}: eight gradients take {native:.3g} µs on the device, a call for one point {small:.3g} µs")
        line(f"{name}: ctypes in batches / device", large / native, 1.1, "times")
    return int(missed > 0)


sys.exit(main())
