"""A section of RESULTS.md: text, tables, and comparisons with targets."""

import json


class Section:
    def __init__(self, title, note):
        self.text, self.promises = [f"## {title}\n\n{note}\n"], []

    def table(self, head, rows):
        lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
        self.text.append("\n".join(lines) + "\n")

    def promise(self, what, bound, shown, met):
        self.promises.append((what, bound, shown, bool(met)))

    def at_most(self, what, bound, value, unit=""):
        self.promise(what, f"at most {bound}{unit}", f"{value:.2f}{unit}", value <= bound)

    def at_least(self, what, bound, value, unit=""):
        self.promise(what, f"at least {bound}{unit}", f"{value:.2f}{unit}", value >= bound)

    def save(self, path):
        with open(path, "w") as f:
            json.dump({"text": "\n".join(self.text), "promises": self.promises}, f)


def microseconds(seconds):
    return f"{1e6 * seconds:.3g} µs"
