"""Evaluates log densities of Stan programs by Stan, for tests of their translations.

    python oracle.py PROGRAMS DATA OUT NAME...

compiles each program PROGRAMS/NAME.stan by PyStan 3.10 (some 30 s of processor time), with the data of
DATA/NAME.data.json, and writes OUT/NAME.json: 20 points, each with the parameters on their own scale, the log density
without and with the Jacobian of the constraints, the unconstrained coordinates, and the gradient of the density
with Jacobian with respect to them. Programs that have a file are skipped, so the script can be interrupted and
restarted. A program that fails gets a file NAME.failed.
"""
import json, os, random, re, signal, sys

import stan


def parameters(text):
    """Returns the names of a program's parameters."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    at = re.search(r"(?<!transformed )(?<!transformed\n)\bparameters\s*\{", text)
    depth, end = 1, at.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    names = []
    for statement in text[at.end():end - 1].split(";"):
        found = re.search(r"(\w+)\s*(\[[^\]]*\])?\s*$", statement.strip())
        if found:
            names.append(found[1])
    return names


def number(v):
    """Returns a number for JSON: infinities, NaN and values of at least 1e300 become text."""
    return v if v == v and abs(v) < 1e300 else str(v)


def points(model, seed):
    """Returns up to 20 random points at which the log density is finite."""
    chance, out = random.Random(seed), []
    size = sum(1 for _ in model.constrained_param_names)
    for turn in range(200):
        if len(out) == 20:
            break
        theta = None
        for n in range(size, -1, -1):  # the number of unconstrained parameters is not given
            try:
                theta = [chance.gauss(0, 0.5) for _ in range(n)]
                own = model.constrain_pars(theta, include_tparams=False, include_gqs=False)
                plain = model.log_prob(theta, adjust_transform=False)
                break
            except Exception:
                theta = None
        if theta is None:
            continue
        size = len(theta)
        jacobian = model.log_prob(theta, adjust_transform=True)
        if abs(plain) < 1e300:
            gradient = model.grad_log_prob(theta)
            out.append((own, plain, jacobian, theta, gradient))
    return out


def shaped(names, values):
    """Converts Stan's flat list, in which the first axis varies fastest, to arrays by name."""
    flat = {}
    for name, v in zip(names, values):
        base, *index = name.split(".")
        flat.setdefault(base, {})[tuple(int(i) for i in index)] = v
    out = {}
    for base, elements in flat.items():
        if () in elements:
            out[base] = elements[()]
            continue
        dims = [max(k[i] for k in elements) for i in range(len(next(iter(elements))))]

        def build(prefix):
            if len(prefix) == len(dims):
                return elements[tuple(prefix)]
            return [build(prefix + [i + 1]) for i in range(dims[len(prefix)])]

        out[base] = build([])
    return out


SECONDS = 240  # of processor time for the points of a program


def too_long(*_):
    raise TimeoutError("more than %d s" % SECONDS)


def main(programs, data, out, names):
    signal.signal(signal.SIGVTALRM, too_long)
    for i, name in enumerate(names):
        target = os.path.join(out, name.replace("/", "+") + ".json")
        if os.path.exists(target) or os.path.exists(target + ".failed"):
            continue
        try:
            text = open(os.path.join(programs, name + ".stan")).read()
            given = json.load(open(os.path.join(data, name + ".data.json")))
            model = stan.build(text, data=given, random_seed=1)
            wanted = set(parameters(text))
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            columns = [n for n in model.constrained_param_names if n.split(".")[0] in wanted]
            found = [{"at": shaped(columns, own), "plain": number(p), "jacobian": number(j), "free": free,
                      "gradient": [number(v) for v in g]} for own, p, j, free, g in points(model, 7)]
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            json.dump(found, open(target + ".part", "w"))
            os.rename(target + ".part", target)
            print(name, len(found), flush=True)
        except BaseException as e:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            why = str(e)[:300].replace("\n", " ")
            print(name, "failed:", why, flush=True)
            if isinstance(e, Exception):
                open(target + ".failed", "w").write(why)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
