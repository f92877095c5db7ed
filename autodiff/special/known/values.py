# python3 values.py writes the values of functions at float64 arguments into values.txt, by mpmath 1.3.0 at 60 digits and
# rounded to 20. A line "= name = expression of x = arguments" of that file describes a function. Arguments are pairs, of
# which each gives 12 numbers uniform in it, pairs of exponents "e-300,300", which give numbers uniform in the exponent,
# and single numbers. Add new lines at the end: the arguments of a function depend on how many numbers were drawn before.
from random import Random
from mpmath import *
mp.dps = 60

def lognormcdf(x): return log(erfc(-x / sqrt(2)) / 2) if x < 5 else log1p(-erfc(x / sqrt(2)) / 2)
def normquantile(p):
    if p > 0.5: return -normquantile(1 - p)
    x = -sqrt(-2 * log(p)) if p < 0.1 else mpf(-1)
    for _ in range(200): # Newton on log Φ(x) = log p
        x -= (lognormcdf(x) - log(p)) * exp(lognormcdf(x) + x * x / 2) * sqrt(2 * pi)
    return x

r = Random(1)
def arguments(span):
    if isinstance(span, str):
        low, high = span[1:].split(",")
        return [10 ** r.uniform(float(low), float(high)) for _ in range(12)]
    if isinstance(span, tuple):
        return [r.uniform(*span) for _ in range(12)]
    return [float(span)]

def value(function, x): # nan where the function has no value, or one that is not real
    try:
        y = eval(function, globals(), {"x": mpf(x)})
    except ValueError:
        return "nan"
    return nstr(y.real if im(y) == 0 else nan, 20)

lines = [line for line in open("values.txt") if line.startswith("=")]
with open("values.txt", "w") as out:
    for line in lines:
        out.write(line)
        name, function, spans = [part.strip() for part in line[1:].split("=")]
        for span in eval("[" + spans + "]"):
            for x in arguments(span):
                print(name, x.hex(), value(function, x), file=out)
