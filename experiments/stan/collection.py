"""Counts the programs of a collection that ppl can translate and evaluate.

    python collection.py PPL PROGRAMS DATA OUT [NAME...]

runs `ppl check` and the density with its gradient at two points for each PROGRAMS/NAME.stan, with the data of
DATA/NAME.data.json or .data.R, or simulated data if there are none or if they lack variables that the program declares. A command
may use 60 s of processor time and 4 GB. The result is written to OUT/NAME.json. Programs with such a file are skipped, so
the script can be interrupted and restarted. `ppl import --verify` compares the density of the model with that of the
Stan program, which it interprets. At the end the script prints the shares, and the failures by reason.
"""
import collections, json, os, random, re, resource, struct, subprocess, sys, time

SECONDS, BYTES = 60, 4 << 30

# Codes of errors if the data do not fit the program: a name is missing, or has another size or other axes.
LACKING = ["E83", "E47", "E42"]


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


class Refused(Exception):
    pass


def run(command, given=b""):
    """Returns the output of a command; raises Refused with the error if it fails."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, preexec_fn=limited, timeout=6 * SECONDS)
    except subprocess.TimeoutExpired:
        raise Refused("more than %d s" % SECONDS)
    if done.returncode < 0 or b"out of memory" in done.stderr:
        raise Refused("more than %d s or 4 GB" % SECONDS)
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace")[:2000])
    return done.stdout


def block(text, name):
    """Returns the text of a program's block, empty if there is none."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"(?m)#(?!include).*$", "", text)
    found = re.search(r"(?<!transformed )\b%s\s*\{" % name, text)
    if not found:
        return ""
    depth, end = 1, found.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[found.end():end - 1]


def split(text):
    """Splits a text at commas outside brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


DECLARATION = re.compile(r"(?:array\s*\[(?P<array>[^\]]*)\]\s*)?(?P<type>\w+)\s*(?:<(?P<bounds>.*?)>(?!=))?\s*"
                         r"(?:\[(?P<dims>.*?)\])?\s*(?P<name>\w+)\s*(?:\[(?P<old>.*)\])?$", re.S)


def simulated(text):
    """Returns values for the variables of a program's data block, within their bounds."""
    chance, known = random.Random(3), {}
    for statement in block(text, "data").split(";"):
        if not statement.strip():
            continue
        d = DECLARATION.match(re.sub(r"\s*([\[<>,])\s*", r"\1", statement.strip()).replace("]", "] ").strip())
        if not d:
            raise Refused("no data are simulated for " + statement.strip())
        value = lambda e: eval(e, {"inf": float("inf")}, dict(known))
        bounds = {b.split("=", 1)[0].strip(): value(b.split("=", 1)[1]) for b in split(d["bounds"] or "")}
        sizes = [int(value(e)) for e in split(d["array"] or "") + split(d["old"] or "")]
        dims = [int(value(e)) for e in split(d["dims"] or "")]
        known[d["name"]] = nested(sizes, lambda: one(d["type"], dims, bounds, chance, bool(sizes), d["name"]))
    return known


def nested(sizes, make):
    return [nested(sizes[1:], make) for _ in range(sizes[0])] if sizes else make()


def one(word, dims, bounds, chance, in_array, named):
    """Returns a value of a type. Sizes and trials are larger than counts and indices."""
    low, high = bounds.get("lower"), bounds.get("upper")
    if word == "int":
        if low is None or high is None and not named.startswith("n") and in_array:
            return 5 if named.startswith("n") else max(low or 1, chance.randint(1, 2))
        return low + 4 if high is None else chance.randint(low, min(high, low + 4))
    if word in ("cov_matrix", "corr_matrix", "cholesky_factor_cov", "cholesky_factor_corr"):
        return [[float(i == j) for j in range(dims[0])] for i in range(dims[0])]
    if word == "simplex":
        return [1 / dims[0]] * dims[0]

    def number():
        if low is not None and high is not None:
            return chance.uniform(low, high)
        if low is not None:
            return low + chance.expovariate(1)
        return high - chance.expovariate(1) if high is not None else chance.gauss(0, 1)
    values = nested(dims, number)
    return sorted(values) if "ordered" in word else values


def density(ppl, program, data):
    """Returns the number of coordinates, and the density and gradient at two points, from `ppl logprob --serve`."""
    head = run([ppl, "logprob", program, "--serve", "--device", "host", *data]).split(b"\n", 1)[0]
    size = json.loads(head)["dimension"]
    chance = random.Random(5)
    at = [chance.gauss(0, 0.3) for _ in range(2 * size)]
    out = run([ppl, "logprob", program, "--serve", "--device", "host", *data],
              struct.pack("<3Q%dd" % len(at), 0, 1, 2, *at))
    numbers = struct.unpack("<%dd" % (2 + 2 * size), out.split(b"\n", 1)[1])
    return size, numbers[:2], numbers[2:]


def verified(ppl, program, data):
    """Returns "agrees" if `ppl import --verify` finds the same density for the Stan program and the model, else its error."""
    try:
        run([ppl, "import", program, "--data", data, "--verify", data, "-o", os.devnull])
        return "agrees"
    except Refused as e:
        return str(e).strip().split("\n")[-1][:300]


def tried(ppl, programs, data, out, name):
    """Returns the result for one program."""
    program, text = os.path.join(programs, name + ".stan"), None
    given = [os.path.join(data, name + e) for e in (".data.json", ".data.R")]
    given = [path for path in given if os.path.exists(path)][:1]
    came, began = {"name": name, "data": "its own" if given else "simulated"}, time.time()
    try:
        try:
            flags = given and ["--data", given[0]]
            if given:
                run([ppl, "check", program, *flags])
        except Refused as e:
            if not any("[%s]" % code in str(e) for code in LACKING):
                raise
            given, came["data"] = [], "simulated"
        if not given:
            flags = ["--data", os.path.join(out, name.replace("/", "+") + ".data.json")]
            with open(program) as f:
                values = simulated(f.read())
            with open(flags[1], "w") as f:
                json.dump(values, f)
            run([ppl, "check", program, *flags])
        came["check"] = round(time.time() - began, 2)
        size, values, gradient = density(ppl, program, flags)
        finite = all(abs(v) < 1e300 for v in values + gradient)
        came.update(dimension=size, density=[str(v) for v in values], finite=finite)
        came["seconds"] = round(time.time() - began, 2)
        came["verified"] = verified(ppl, program, flags[1])
    except Refused as e:
        came["failed"] = str(e)
    except Exception as e:
        came["failed"] = repr(e)
    return came


def main(ppl, programs, data, out, names):
    if not names:
        for root, _, files in os.walk(programs):
            names += [os.path.relpath(os.path.join(root, f), programs)[:-5] for f in files if f.endswith(".stan")]
        names.sort()
    os.makedirs(out, exist_ok=True)
    results = []
    for name in names:
        path = os.path.join(out, name.replace("/", "+") + ".json")
        if not os.path.exists(path):
            came = tried(ppl, programs, data, out, name)
            with open(path + ".part", "w") as f:
                json.dump(came, f)
            os.rename(path + ".part", path)
        with open(path) as f:
            results.append(json.load(f))
    good = [r for r in results if "failed" not in r]
    print("%d of %d programs pass check and are evaluated, %d of them finite at both points; %d with simulated data"
          % (len(good), len(results), sum(r["finite"] for r in good), sum(r["data"] == "simulated" for r in good)))
    print("%d of them have the density of the program itself" % sum(r.get("verified") == "agrees" for r in good))
    for r in good:
        if r.get("verified", "agrees") != "agrees":
            print("      %s: %s" % (r["name"], r["verified"]))
    reasons = collections.defaultdict(list)
    for r in results:
        if "failed" in r:
            reasons[reason(r["failed"])].append(r["name"])
    for why, those in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print("%4d  %s\n      %s" % (len(those), why, ", ".join(those)))
    slow = sorted((r for r in good), key=lambda r: -r["seconds"])[:8]
    print("slowest:", ", ".join("%s %.1f s" % (r["name"], r["seconds"]) for r in slow))


def reason(message):
    """Returns the first error in a message, without file and position."""
    lines = [line for line in message.split("\n") if "error" in line] or message.split("\n")
    return re.sub(r"^\S+:\d+:\d+: ", "", lines[0]).strip()[:140]


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
