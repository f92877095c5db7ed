# Prints the `want` of the cases here whose models are about modifiers, factors and compound distributions, by SciPy.
# python3 oracle.py
import numpy as np
from scipy import stats
from scipy.special import expit, gammaln

N, L = stats.norm, np.log

def case(name, prior, likelihood):
    print(f"{name}: prior {float(prior)!r} likelihood {float(likelihood)!r}")

def factors(mu=0.5):
    y = np.array([1, 2, 1.5])
    case("factors", N.logpdf(mu) - (mu - 1) ** 2, N.logpdf(y, mu).sum() - ((y - mu) ** 2 / 2).sum())

def recorded(a=0.3, s=1.7):
    y, w = np.array([1, 2, 1.5, 1.8]), np.array([1, 2, 1, 0.5])
    lik = (w * N.logpdf(y, a)).sum()
    W, E = stats.weibull_min(1.5, scale=s), stats.expon(scale=s)
    for lo, hi in zip([1, 2, 0, 3, 2.5], [2, 3, 4, 3, np.inf]):
        lik += W.logpdf(lo) if lo == hi else L(W.cdf(hi) - W.cdf(lo))
    for r in [0, 0.5, 1.5]:
        lik += L(E.cdf(r + 0.25) - E.cdf(r - 0.25))
    P = stats.poisson(s)
    for lo, hi in zip([1, 3], [4, 3]):
        lik += L(P.cdf(hi) - P.cdf(lo - 1))
    case("recorded", N.logpdf(a) + stats.halfnorm.logpdf(s), lik)

def nb(k, mean, size): return stats.nbinom.pmf(k, size, size / (size + mean))

def compounds(w=0.3, m=(0.2, -0.4), v=(0.2, 0.3, 0.5)):
    prior = N.logpdf(m).sum() + L(2)
    lik = L(w * N.pdf([3, 1, 2], m[0]) + (1 - w) * stats.t.pdf(np.array([3, 1, 2]) - m[1], 3)).sum()
    for k in [0, 3, 1]:
        lik += L((w if k == 0 else 0) + (1 - w) * nb(k, np.exp(m[0]), 2))
        p = stats.poisson(np.exp(m[1]))
        lik += L(w if k == 0 else (1 - w) * p.pmf(k) / p.sf(0))
        lik += L(v[0] * stats.poisson.pmf(k, 1) + v[1] * stats.binom.pmf(k, 5, w) + v[2] * 0.3 * 0.7 ** k)
    for h in [0, 2.5, 0.1]:
        lik += L(w if h == 0 else (1 - w) * stats.gamma.pdf(h, 2, scale=np.exp(-m[0])))
    def below(x): return w * N.cdf(x, m[0]) + (1 - w) * stats.t.cdf(x - m[1], 3)
    lik += L(w * N.pdf(1, m[0]) + (1 - w) * stats.t.pdf(1 - m[1], 3)) - L(below(2.5) - below(0.5))
    lik += L(1 - below(1.5))
    p = stats.poisson(np.exp(m[1]))
    lik += L((1 - w) * p.pmf(2) / p.sf(0)) - L((1 - w) * (p.cdf(4) - p.cdf(0)) / p.sf(0))
    case("compounds", prior, lik)

def bounds(a=0.3, b=0.9, c=(0.5, 1.2, 0.35), d=-0.2, e=2.0):
    prior = N.logpdf(a) + N.logpdf(b) - N.logsf(a)
    for t in range(3):
        prior += N.logpdf(c[t], b) - N.logsf(a, b)
    s, u = (0.1, 0.5, 1.2), (0.4, 0.7, 1.9)
    prior += N.logpdf(s).sum() - N.logsf(s[:2]).sum() - L(2 - u[0]) - L(2 - u[1])
    prior += N.logpdf(d) - N.logcdf(a) + stats.gamma.logpdf(e, 2) - L(stats.gamma.cdf(10, 2) - stats.gamma.cdf(a, 2))
    y = np.array([1, 2, 3])
    case("bounds_of_parameters", prior, N.logpdf(y, np.array(c) + np.array(s) + np.array(u) + b + d + e).sum())

def pulses(k=0.5, rate=0.8):
    t, y = np.array([5, 9.9, 10.2, 12, 20.0]), np.array([0, 0, 8, 3, 1])
    def driven(start, stop, r): # u' = r from start to stop, - k u
        end = np.minimum(np.maximum(t, start), stop)
        return np.where(t <= start, 0, r / k * (np.exp(-k * (t - end)) - np.exp(-k * (t - start))))
    u = driven(10, 10.1, 100 * rate)
    v = driven(10, 10 + 0.1, 100 * rate) + driven(15, 15 + 0.1, 100 * rate)
    w = np.exp(-k * t) + sum(driven(i, i + 1, f) for i, f in [(1, 3), (4, 1), (13, 2)])
    case("pulses", stats.halfnorm.logpdf([k, rate]).sum(), N.logpdf(y, u + v + w).sum())

for f in (factors, recorded, compounds, bounds, pulses):
    f()
