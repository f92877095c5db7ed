"""Writes the targets in touching/ with their truth: mixtures of a wide and a narrow normal that overlap, so that one of them has no
local maximum, which an optimiser could find.

    python3 experiments/multimodal/gold/touching.py

The truth is in closed form: the mean probability that a point belongs to a component is the weight of the component.
"""

import json
import math
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "touching")


def write(name, comment, parts, shown):
    """Writes a mixture of components (weight, means, sds). The model generates the probability that a point belongs to component `shown`."""
    dim = len(parts[0][1])
    lines = ["# " + comment, f"D = {dim}"]
    for k, (weight, means, sds) in enumerate(parts, 1):
        quadratic = []
        for value in sorted(set(zip(means, sds))):
            at = [i for i in range(dim) if (means[i], sds[i]) == value]
            if at == list(range(at[0], at[-1] + 1)) and len(at) > 1:
                quadratic.append(f"sum(i in {at[0] + 1}..{at[-1] + 1}: (x[i] - {value[0]})^2) / (2 * {value[1]}^2)")
            else:
                quadratic += [f"(x[{i + 1}] - {value[0]})^2 / (2 * {value[1]}^2)" for i in at]
        volume = sum(map(math.log, sds))
        lines.append(f"term[{k}] = log({weight}) - ({volume!r}) - {' - '.join(quadratic)}".replace("- (-", "- (-"))
    lines += ["x[D] ~ Density(logsumexp(term))", f"generate part = exp(term[{shown}] - logsumexp(term))", "generate far = x[1] > 5 ? 1 : 0"]
    far = sum(w * 0.5 * math.erfc((5 - m[0]) / s[0] / math.sqrt(2)) for w, m, s in parts)
    weight = parts[shown - 1][0]
    mean = sum(w * m[0] for w, m, _ in parts)
    second = sum(w * (m[0] ** 2 + s[0] ** 2) for w, m, s in parts)
    quantities = {"part": (weight, math.sqrt(weight * (1 - weight))), "far": (far, math.sqrt(far * (1 - far))),
                  "x[1]": (mean, math.sqrt(second - mean**2))}
    if not 0.01 < far < 0.99:  # too few draws for an error
        del quantities["far"]
    with open(os.path.join(HERE, name + ".ppl"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(HERE, name + ".json"), "w") as f:
        json.dump({"how": "closed form", "quantities": {q: {"mean": m, "sd": s} for q, (m, s) in quantities.items()}}, f, indent=1)
        f.write("\n")


def main():
    os.makedirs(HERE, exist_ok=True)
    for dim, narrow in ((3, 0.05), (5, 0.05), (5, 0.2), (8, 0.1), (10, 0.1), (10, 0.2), (20, 0.3)):
        write(f"ball_{dim}_{str(narrow)[2:]}", f"A ball with a fifth of the mass at the end of a stick in {dim} dimensions.",
              [(0.8, [0.0] * dim, [3.0] + [narrow] * (dim - 1)), (0.2, [9.0] + [0.0] * (dim - 1), [1.0] * dim)], 2)
    write("ball_inside_5", "A ball with a fifth of the mass around the middle of a stick in five dimensions.",
          [(0.8, [0.0] * 5, [4.0] + [0.1] * 4), (0.2, [2.0] + [0.0] * 4, [1.0] * 5)], 2)
    for dim in (3, 5, 10):
        write(f"stick_{dim}", f"A stick with a third of the mass that comes out of a ball in {dim} dimensions.",
              [(0.65, [0.0] * dim, [1.0] * dim), (0.35, [4.0] + [0.0] * (dim - 1), [2.0] + [0.05] * (dim - 1))], 2)
    write("plate_5", "A plate and a ball at its edge in five dimensions.",
          [(0.7, [0.0] * 5, [3.0, 3.0, 0.1, 0.1, 0.1]), (0.3, [8.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 5)], 2)
    write("corner_5", "Two sticks that touch at right angles in five dimensions.",
          [(0.6, [6.0] + [0.0] * 4, [3.0] + [0.1] * 4), (0.4, [0.0, 6.0, 0.0, 0.0, 0.0], [0.1, 3.0, 0.1, 0.1, 0.1])], 2)
    for dim in (4, 8):
        write(f"nested_{dim}", f"Half of the mass in a narrow part at the shoulder of a wide one in {dim} dimensions.",
              [(0.5, [0.0] * dim, [2.0] * dim), (0.5, [2.0] + [0.0] * (dim - 1), [0.1] * dim)], 2)


if __name__ == "__main__":
    main()
