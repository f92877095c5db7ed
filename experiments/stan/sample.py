"""A sample of programs with data, for oracle.py and compare.py.

    python sample.py PROGRAMS POSTERIORDB OUT [SIZE]

PROGRAMS is a folder of programs of Stan with NAME.data.json or NAME.data.R next to them; those below posteriordb/ have
the data of POSTERIORDB, a clone of stan-dev/posteriordb. The script writes programs whose data have at
most 200 kB to OUT/NAME.stan and OUT/NAME.data.json, with + for / in names, and the names of a random sample of SIZE
(120) of them to OUT/sample.txt; the seed is 2026.
"""
import glob, json, os, random, re, shutil, sys, zipfile

TOKEN = re.compile(r'\s*(<-|[A-Za-z_.][\w.]*|"[^"]*"|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?L?|[(),:=;-])')


class Dump:
    """Parses a file that R's dump() wrote."""

    def __init__(self, text):
        text = re.sub(r"(?m)#.*$", "", text)
        self.tokens, self.at, place = [], 0, 0
        while place < len(text.rstrip()):
            m = TOKEN.match(text, place)
            if not m:
                raise ValueError("not R's dump: " + text[place:place + 40])
            self.tokens.append(m[1])
            place = m.end()

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def sees(self, *words):
        return self.at < len(self.tokens) and self.tokens[self.at] in words

    def variables(self):
        out = {}
        while self.at < len(self.tokens):
            if self.sees(";"):
                self.at += 1
                continue
            name = self.next().strip('"')
            if self.next() not in ("<-", "="):
                raise ValueError("`%s` has no value" % name)
            out[name] = self.value()
        return out

    def value(self):
        word = self.next()
        if word == "-":
            return -self.value()
        if word in ("c", "structure", "integer", "double", "numeric", "as.integer", "as.numeric"):
            items, named = self.arguments()
            return self.called(word, items, named)
        first = number(word)
        if not self.sees(":"):
            return first
        self.at += 1
        last = self.value()
        return list(range(first, last + 1)) if last >= first else list(range(first, last - 1, -1))

    def arguments(self):
        items, named = [], {}
        self.at += 1
        while not self.sees(")"):
            if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == "=":
                name = self.next()
                self.at += 1
                named[name] = self.value()
            else:
                items.append(self.value())
            if self.sees(","):
                self.at += 1
        self.at += 1
        return items, named

    @staticmethod
    def called(word, items, named):
        if word == "c":
            return [x for v in items + list(named.values()) for x in (v if isinstance(v, list) else [v])]
        if word == "structure" and ".Dim" in named:
            dims = named[".Dim"]
            return shaped(items[0] if isinstance(items[0], list) else [items[0]],
                          dims if isinstance(dims, list) else [dims])
        if word in ("integer", "double", "numeric"):
            return [0] * (items[0] if items else 0)
        return items[0]


def number(word):
    word = word.rstrip("L")
    return float(word) if re.search(r"[.eE]", word) else int(word)


def shaped(flat, dims):
    """Returns an array from its elements, whose first axis varies fastest."""
    if len(dims) == 1:
        return flat
    return [shaped(flat[i::dims[0]], dims[1:]) for i in range(dims[0])]


def data_of(program, name, database, chosen):
    """Returns the data of a program; None if there are none or they exceed the size limit."""
    if name.startswith("posteriordb/"):
        stored = chosen.get(os.path.basename(name))
        path = os.path.join(database, "data/data", "%s.json.zip" % stored)
        if not stored or not os.path.exists(path) or os.path.getsize(path) > 200_000:
            return None
        return json.loads(zipfile.ZipFile(path).read(stored + ".json"))
    if os.path.exists(program[:-5] + ".data.json"):
        return json.load(open(program[:-5] + ".data.json"))
    if os.path.exists(program[:-5] + ".data.R"):
        return Dump(open(program[:-5] + ".data.R").read()).variables()
    return None


def main(programs, clone, out, size=120):
    database, chosen, names = os.path.join(clone, "posterior_database"), {}, []
    for path in sorted(glob.glob(os.path.join(database, "posteriors", "*.json"))):
        p = json.load(open(path))
        chosen.setdefault(p["model_name"], p["data_name"])
    os.makedirs(out, exist_ok=True)
    for program in sorted(glob.glob(os.path.join(programs, "**", "*.stan"), recursive=True)):
        name = os.path.relpath(program, programs)[:-5]
        try:
            data = data_of(program, name, database, chosen)
        except ValueError as e:  # data with texts
            print(name, e)
            continue
        if data is None:
            continue
        flat = os.path.join(out, name.replace("/", "+"))
        shutil.copy(program, flat + ".stan")
        with open(flat + ".data.json", "w") as f:
            json.dump(data, f)
        names.append(name.replace("/", "+"))
    random.Random(2026).shuffle(names)
    with open(os.path.join(out, "sample.txt"), "w") as f:
        f.write("\n".join(names[:int(size)]) + "\n")
    print("%d programs with data, %s in the sample" % (len(names), size))


if __name__ == "__main__":
    main(*sys.argv[1:])
