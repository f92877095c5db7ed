# Writes incomplete.txt: log P(a, x) and log Q(a, x), log I_x(a, b) and log(1 - I_x(a, b)), and the derivatives of both in every argument
# (central differences at 400 digits), by the power series and the continued fraction of NIST DLMF 8.11.4, 8.9.2 and 8.17.8 with mpmath 1.4.1.
# python3 incomplete.py > incomplete.txt
import random
import mpmath as mp

r = random.Random(7)

def series(term): # sum of term(n, last), until it stops growing and changing
    t = s = term(0, None)
    n = 1
    while True:
        last, t = t, term(n, t)
        s += t
        if t < last and t < s * mp.mpf(10) ** -45:
            return s
        n += 1

def fraction(a, x): # Q(a, x) Γ(a) exp(x) / x^a, by Lentz's algorithm
    b, i = x + 1 - a, 1
    c, d = mp.mpf(10) ** 400, 1 / b
    h = d
    while True:
        k = -i * (i - a)
        b += 2
        d = 1 / (k * d + b)
        c = b + k / c
        h *= c * d
        if abs(c * d - 1) < mp.mpf(10) ** -45:
            return h
        i += 1

def gamma(a, x):
    core = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
    if x <= a + 1:
        low = core * series(lambda n, t: t * x / (a + n) if n else 1 / a)
        return low, 1 - low
    up = core * fraction(a, x)
    return 1 - up, up

def beta(a, b, x):
    if x > a / (a + b):
        return beta(b, a, 1 - x)[::-1]
    core = mp.exp(a * mp.log(x) + b * mp.log1p(-x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))
    low = core * series(lambda n, t: t * (a + b + n - 1) * x / (a + n) if n else 1 / a)
    return low, 1 - low

def logs(f, v): return [mp.log(p) for p in f(*v)]

def slopes(f, v, k):
    h = mp.mpf(10) ** -15 * (min(v[k], 1 - v[k]) if f is beta and k == 2 else v[k])
    up, down = (logs(f, v[:k] + [v[k] + s * h] + v[k + 1:]) for s in (1, -1))
    return [(p - q) / (2 * h) for p, q in zip(up, down)]

def row(f, *v):
    mp.mp.dps = 400
    exact = [mp.mpf(x) for x in v]
    out = logs(f, exact)
    for k in range(len(v)):
        out += slopes(f, exact, k)
    print(f.__name__, *[float(x).hex() for x in v], *[mp.nstr(x, 18) for x in out])

for i in range(90):
    a = 10 ** r.uniform(-2, [1, 2, 4][i % 3])
    row(gamma, a, [a * 10 ** r.uniform(-3, 0), a * 10 ** r.uniform(0, 1.3), a + a ** 0.5 * abs(r.gauss(0, 2)), a * r.uniform(0.7, 1.3),
                   10 ** r.uniform(-2, 1)][i % 5])
for i in range(120):
    a, b = 10 ** r.uniform(-2, [1, 2, 3.5][i % 3]), 10 ** r.uniform(-2, [1, 2, 3.5][i % 2])
    p = a / (a + b)
    row(beta, a, b, min(1 - 1e-6, [p * 10 ** r.uniform(-3, 0), 1 - (1 - p) * 10 ** r.uniform(-3, 0),
                                   p + (p * (1 - p) / (a + b + 1)) ** 0.5 * abs(r.gauss(0, 2)), r.uniform(0, 1)][i % 4]))
for v in [(1e6, 1e6), (1e6, 1.004e6), (1e6, 9.9e5), (1e6, 5e5), (50, 50.5), (49.9, 20), (1.01, 1.2)]:
    row(gamma, *v)
for v in [(1e5, 1e5, 0.5), (1e5, 2e5, 0.334), (1e5, 1e5, 0.45), (60, 3e4, 0.002)]:
    row(beta, *v)
