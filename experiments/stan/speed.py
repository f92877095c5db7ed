"""Compares the processor time of a gradient of a Stan program with that of the same model written for ppl.

    python speed.py PPL MODELS PROGRAMS

builds each model of the folder MODELS, such as experiments/posteriordb/models, and the program with its name in PROGRAMS,
which sample.py wrote, as libraries (`ppl build --emit=library`). It evaluates them alternately at 64 points and prints
the ratio of the smallest processor times of 15 rounds. The ratio varies by a few per cent if other processes run.
"""
import ctypes, os, statistics, subprocess, sys, tempfile, time

POINTS, TURNS, SECONDS = 64, 15, 0.02


class Library:
    """The log density of a model."""

    def __init__(self, ppl, model, data, path):
        subprocess.run([ppl, "build", "--emit=library", model, "--data", data, "--out", path], check=True,
                       capture_output=True)
        c = self.c = ctypes.CDLL(path)
        c.ppl_open.restype, c.ppl_dimension.restype = ctypes.c_void_p, ctypes.c_size_t
        c.ppl_log_density.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_void_p] * 3 + [ctypes.c_int]
        n = POINTS * c.ppl_dimension()
        self.density = c.ppl_open()
        self.theta = (ctypes.c_double * n)(*[((i * 37) % 11 - 5) / 50 for i in range(n)])
        self.value, self.gradient = (ctypes.c_double * POINTS)(), (ctypes.c_double * n)()

    def seconds(self, calls):
        """Returns the processor time of one gradient, as the mean over `calls` calls."""
        began = time.process_time()
        for _ in range(calls):
            self.c.ppl_log_density(self.density, POINTS, self.theta, self.value, self.gradient, 1)
        return (time.process_time() - began) / calls / POINTS


def main(ppl, models, programs):
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(os.listdir(models)):
            name = file[:-len(".ppl")]
            program = os.path.join(programs, "posteriordb+%s.stan" % name)
            data = program[:-len(".stan")] + ".data.json"
            if not os.path.exists(program):
                continue
            try:
                by_hand = Library(ppl, os.path.join(models, file), data, os.path.join(folder, name + ".hand.so"))
                translated = Library(ppl, program, data, os.path.join(folder, name + ".stan.so"))
            except subprocess.CalledProcessError as e:  # other names of data
                print(name, "is not built:", e.stderr.decode().split("\n")[0])
                continue
            calls = max(1, int(SECONDS / POINTS / by_hand.seconds(2)))
            turns = [(translated.seconds(calls), by_hand.seconds(calls)) for _ in range(TURNS)]
            best = [min(t) for t in zip(*turns)]
            ratios.append(best[0] / best[1])
            print("%-45s %.3f  %8.2f µs" % (name, ratios[-1], best[1] * 1e6), flush=True)
    print("%d models: median %.3f, largest %.3f, %d below 1.05" % (len(ratios), statistics.median(ratios), max(ratios),
                                                                  sum(r < 1.05 for r in ratios)))


if __name__ == "__main__":
    main(*sys.argv[1:])
