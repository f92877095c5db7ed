# Writes extremes.txt: log P(lo <= X <= hi) of scalar distributions at extreme arguments, with the derivative in every
# argument, the log density at the finite end, and a condition number: the sum of |v d log P / d v| over arguments and
# ends, which is what rounding of the inputs alone does to the result. By mpmath 1.4.1 at 400 digits: closed forms,
# and sums of probabilities for counts. python3 extremes.py > extremes.txt
import random
import mpmath as mp

mp.mp.dps = 400
r = random.Random(11)
M = mp.mpf
inf = mp.inf

def series(term):
    t = s = term(0, None)
    n = 1
    while True:
        last, t = t, term(n, t)
        s += t
        if t < last and t < s * M(10) ** -390:
            return s
        n += 1
        if n > 40000:
            raise ArithmeticError

def gamma_lower(a, x):
    if x <= 0:
        return M(0)
    if x > a + 300 and x > 3 * a:
        return 1 - mp.gammainc(a, x, regularized=True)
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a)) * series(lambda n, t: t * x / (a + n) if n else 1 / a)

def beta_lower(a, b, x):
    if x <= 0 or x >= 1:
        return M(x >= 1)
    if x > a / (a + b):
        return 1 - beta_lower(b, a, 1 - x)
    core = mp.exp(a * mp.log(x) + b * mp.log1p(-x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))
    return core * series(lambda n, t: t * (a + b + n - 1) * x / (a + n) if n else 1 / a)

def Phi(z): return mp.erfc(-z / mp.sqrt(2)) / 2
def sig(z): return 1 / (1 + mp.exp(-z))
def logit(p): return mp.log(p) - mp.log(1 - p)

# Continuous: P(X <= x), by arguments. The upper tail is the difference to 1 unless it is given.
def student(nu, mu, sd, x):
    z = (x - mu) / sd
    half = beta_lower(nu / 2, M(1) / 2, nu / (nu + z * z)) / 2
    return half if z < 0 else 1 - half
def half_student(nu, sd, x): return beta_lower(M(1) / 2, nu / 2, (x / sd) ** 2 / (nu + (x / sd) ** 2))
def gennorm(loc, scale, shape, x):
    z = (x - loc) / scale
    half = gamma_lower(1 / shape, abs(z) ** shape) / 2
    return M(1) / 2 + (half if z > 0 else -half)
def laplace(loc, scale, x):
    z = (x - loc) / scale
    return mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2
def wald(mean, shape, x):
    s = mp.sqrt(shape / x)
    return Phi(s * (x / mean - 1)) + mp.exp(2 * shape / mean) * Phi(-s * (x / mean + 1))
def expmod(mu, sd, rate, x):
    z, t = (x - mu) / sd, rate * sd
    return Phi(z) - mp.exp(t * t / 2 - t * z) * Phi(z - t)
def asym(left, right, z):
    return right / (left + right) * mp.exp(left * z) if z < 0 else 1 - left / (left + right) * mp.exp(-right * z)
def power_law(alpha, lo, hi, x):
    b = alpha + 1
    return (x ** b - lo ** b) / (hi ** b - lo ** b)

continuous = {
    "Normal(mu, sd)": (lambda mu, sd, x: Phi((x - mu) / sd), "rp"),
    "StudentT(nu, mu, sd)": (student, "srp"),
    "Cauchy(loc, scale)": (lambda l, s, x: mp.atan2(s, l - x) / mp.pi, "rp"),
    "Laplace(loc, scale)": (laplace, "rp"),
    "Logistic(loc, scale)": (lambda l, s, x: sig((x - l) / s), "rp"),
    "Gumbel(loc, scale)": (lambda l, s, x: mp.exp(-mp.exp((l - x) / s)), "rp"),
    "GeneralizedNormal(loc, scale, shape)": (gennorm, "rpg"),
    "ExpModNormal(mu, sd, rate)": (expmod, "rpp"),
    "AsymmetricLaplace(loc, scale, asymmetry)": (lambda l, s, k, x: asym(1 / k, k, (x - l) / s), "rpp"),
    "AsymmetricLaplace(loc, scale, quantile)": (lambda l, s, q, x: asym(1 - q, q, (x - l) / s), "rpu"),
    "SoftLaplace(loc, scale)": (lambda l, s, x: 2 / mp.pi * mp.atan(mp.exp((x - l) / s)), "rp"),
    "HalfNormal(sd)": (lambda s, x: mp.erf(x / s / mp.sqrt(2)), "p"),
    "HalfStudentT(nu, sd)": (half_student, "sp"),
    "HalfCauchy(scale)": (lambda s, x: 2 / mp.pi * mp.atan(x / s), "p"),
    "LogNormal(mu, sd)": (lambda mu, sd, x: Phi((mp.log(x) - mu) / sd), "lp"),
    "Exponential(rate)": (lambda l, x: -mp.expm1(-l * x), "p"),
    "Gamma(shape, rate)": (lambda a, b, x: gamma_lower(a, b * x), "sp"),
    "InverseGamma(shape, scale)": (lambda a, b, x: 1 - gamma_lower(a, b / x), "sp"),
    "Weibull(shape, scale)": (lambda a, s, x: -mp.expm1(-(x / s) ** a), "gp"),
    "Pareto(scale, shape)": (lambda s, a, x: 1 - (s / x) ** a, "pg"),
    "LogLogistic(scale, shape)": (lambda s, a, x: 1 / (1 + (s / x) ** a), "pg"),
    "Frechet(shape, scale)": (lambda a, s, x: mp.exp(-(s / x) ** a), "gp"),
    "Rayleigh(scale)": (lambda s, x: -mp.expm1(-(x / s) ** 2 / 2), "p"),
    "Gompertz(concentration, rate)": (lambda c, b, x: -mp.expm1(-c * mp.expm1(b * x)), "pp"),
    "ParetoType2(loc, scale, shape)": (lambda l, s, a, x: 1 - (1 + (x - l) / s) ** -a, "rpg"),
    "Levy(loc, scale)": (lambda l, s, x: mp.erfc(mp.sqrt(s / (x - l) / 2)), "rp"),
    "InverseGaussian(mean, shape)": (wald, "pp"),
    "ChiSquare(nu)": (lambda nu, x: gamma_lower(nu / 2, x / 2), "s"),
    "InverseChiSquare(nu)": (lambda nu, x: 1 - gamma_lower(nu / 2, 1 / x / 2), "s"),
    "ScaledInverseChiSquare(nu, scale)": (lambda nu, s, x: 1 - gamma_lower(nu / 2, nu * s * s / x / 2), "sp"),
    "Beta(a, b)": (beta_lower, "ss"),
    "Beta(mean, concentration)": (lambda m, c, x: beta_lower(m * c, (1 - m) * c, x), "us"),
    "Kumaraswamy(a, b)": (lambda a, b, x: 1 - (1 - x ** a) ** b, "gg"),
    "LogitNormal(mu, sd)": (lambda mu, sd, x: Phi((logit(x) - mu) / sd), "lp"),
    "TruncatedPowerLaw(alpha, lo, hi)": (power_law, "gab"),
    "LogUniform(lo, hi)": (lambda lo, hi, x: mp.log(x / lo) / mp.log(hi / lo), "ab"),
    "Uniform(lo, hi)": (lambda lo, hi, x: (x - lo) / (hi - lo), "ab"),
    "RelaxedBernoulli(temperature, logits)": (lambda t, l, x: sig(t * logit(x) - l), "gl"),
}

# Counts: log P(X = x).
def lchoose(n, x): return mp.loggamma(n + 1) - mp.loggamma(x + 1) - mp.loggamma(n - x + 1)
def lbeta(a, b): return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
def xlog(x, y): return x * mp.log(y) if x else M(0)
def poisson(l, x): return xlog(x, l) - l - mp.loggamma(x + 1)
def negbin(m, s, x):
    return mp.loggamma(x + s) - mp.loggamma(s) - mp.loggamma(x + 1) - s * mp.log1p(m / s) + xlog(x, m / (m + s))
def inflated(p): # P, not its log
    return lambda g, *a: mp.log((g if a[-1] == 0 else 0) + (1 - g) * mp.exp(p(*a)))
def betabin(n, a, b, x): return lchoose(n, x) + lbeta(x + a, n - x + b) - lbeta(a, b)
def bnb(s, a, b, x):
    return mp.loggamma(x + s) - mp.loggamma(s) - mp.loggamma(x + 1) + lbeta(a + s, b + x) - lbeta(a, b)

counts = {
    "Poisson(rate)": (poisson, "c"),
    "Poisson(log)": (lambda l, x: poisson(mp.exp(l), x), "l"),
    "Binomial(n, p)": (lambda n, p, x: lchoose(n, x) + xlog(x, p) + (n - x) * mp.log1p(-p), "nu"),
    "Binomial(n, logits)": (lambda n, l, x: lchoose(n, x) + x * mp.log(sig(l)) + (n - x) * mp.log(sig(-l)), "nl"),
    "BetaBinomial(n, a, b)": (betabin, "nss"),
    "NegBinomial(mean, size)": (negbin, "cs"),
    "NegBinomial(log, size)": (lambda l, s, x: negbin(mp.exp(l), s, x), "ls"),
    "NegBinomial(shape, rate)": (lambda s, b, x: negbin(s / b, s, x), "sp"),
    "NegBinomial(size, p)": (lambda s, p, x: negbin(s * (1 - p) / p, s, x), "su"),
    "NegBinomial(size, logits)": (lambda s, l, x: negbin(s * mp.exp(-l), s, x), "sl"),
    "Geometric(p)": (lambda p, x: mp.log(p) + x * mp.log1p(-p), "u"),
    "Geometric(logits)": (lambda l, x: mp.log(sig(l)) + x * mp.log(sig(-l)), "l"),
    "BetaNegBinomial(size, a, b)": (bnb, "sss"),
    "ZeroInflatedPoisson(gate, rate)": (inflated(poisson), "uc"),
    "ZeroInflatedNegBinomial(gate, mean, size)": (inflated(negbin), "ucs"),
    "Bernoulli(p)": (lambda p, x: mp.log(p if x else 1 - p), "u"),
}

def argument(kind):
    e = r.uniform
    return {
        "r": lambda: r.choice([0.0, e(-5, 5), e(-1e3, 1e3)]),
        "l": lambda: r.choice([e(-5, 5), e(-40, 40), e(-200, 3)]),
        "p": lambda: 10 ** r.choice([e(-1, 1), e(-9, 6)]),
        "g": lambda: 10 ** r.choice([e(-0.5, 0.5), e(-2, 1.5)]),
        "s": lambda: 10 ** r.choice([e(-1, 1), e(-15, 3), e(-4, 2)]),
        "c": lambda: 10 ** r.choice([e(-1, 2), e(-20, 3), e(-4, 1)]),
        "u": lambda: r.choice([e(0, 1), 10 ** e(-18, -1), 1 - 10 ** e(-15, -1)]),
        "n": lambda: float(r.choice([1, 3, 20, 400])),
        "a": lambda: 10 ** e(-4, 0), "b": lambda: 10 ** e(0.2, 5),
    }[kind]()

def place(form, kinds, a): # a point of the support
    z = r.choice([-1, 1]) * 10 ** r.choice([r.uniform(-1, 1), r.uniform(-6, 3)])
    if kinds[0] == "r" or form.startswith("StudentT"):
        loc, scale = (a[1], a[2]) if form.startswith("StudentT") else (a[0], a[1])
        return loc + (abs(z) if form[:4] in ("Levy", "Pare") else z) * scale
    if kinds[-2:] == "ab":
        lo, hi = a[-2:]
        return lo + (hi - lo) * r.choice([r.uniform(0, 1), 10 ** r.uniform(-9, 0), 1 - 10 ** r.uniform(-9, 0)])
    if form[:4] in ("Beta", "Kuma", "Logi", "Rela"):
        return r.choice([r.uniform(0, 1), 10 ** r.uniform(-12, 0), 1 - 10 ** r.uniform(-9, 0)])
    if form.startswith("LogNormal"):
        return float(mp.exp(a[0] + z * a[1])) if abs(a[0] + z * a[1]) < 600 else 1.0
    if form.startswith("Pareto("):
        return a[0] * (1 + abs(z))
    scale = {"Exponential": 1 / a[0], "Gamma": 1 / a[-1], "Gompertz": 1 / a[-1], "ChiSquare": 2, "InverseChiSquare": 0.5}
    return float(scale.get(form.split("(")[0], a[0] if len(a) == 1 or form[:3] in ("Log", "Inv") else a[-1])) * abs(z)

def report(form, a, lo, hi, prob, density):
    def log_p(v): return mp.log(prob(v[:len(a)], v[len(a)], v[len(a) + 1]))
    v = [M(x) for x in a] + [lo, hi]
    value = log_p(v)
    if mp.im(value) != 0 or not mp.isfinite(value) or value < -600:
        return
    grads, cond = [], M(0)
    continuous_form = form in continuous
    for k in range(len(v)):
        whole = k < len(a) and form.startswith(("Binomial", "BetaBin")) and k == 0
        if k >= len(a) and (not mp.isfinite(v[k]) or not continuous_form) or whole:
            if k < len(a):
                grads.append(M(0))
            continue
        h = M(10) ** -120 * (abs(v[k]) or 1)
        up, down = (log_p(v[:k] + [v[k] + s * h] + v[k + 1:]) for s in (1, -1))
        d = (up - down) / (2 * h)
        if k < len(a):
            grads.append(d)
        cond += abs(d * v[k])
    nums = [float(x).hex() for x in a] + [mp.nstr(lo, 18), mp.nstr(hi, 18)]
    print(form.replace(" ", ""), *nums, *[mp.nstr(x, 18) for x in [value, density(v)] + grads], mp.nstr(cond, 3))

def continuous_rows(form, cdf, kinds, n):
    done = 0
    while done < n:
        a = [argument(k) for k in kinds]
        x = place(form, kinds, a)
        if kinds[-2:] == "ab" and not a[-2] < x < a[-1] or x <= 0 and kinds[0] != "r" and form[:8] != "StudentT":
            continue
        if form[:4] in ("Beta", "Kuma", "Logi", "Rela") and form[:8] != "Logistic" and not 0 < x < 1:
            continue
        lo, hi = [(M(x), inf), (-inf, M(x)), (M(x), None)][done % 3]
        if hi is None:
            y = x + abs(x - (a[0] if kinds[0] == "r" else 0)) * 10 ** r.uniform(-2, 1)
            if kinds[-2:] == "ab" and y >= a[-1]: # a kink
                continue
            hi = M(min(y, 1.0) if form[:4] in ("Beta", "Kuma", "Rela") or form[:6] == "LogitN" else y)
        if not lo < hi:
            continue
        def prob(v, l, h):
            below = cdf(*v, l) if mp.isfinite(l) else M(0)
            above = 1 if not mp.isfinite(h) or form[:4] in ("Beta", "Kuma", "Rela", "Logi") and h == 1 else cdf(*v, h)
            return above - below
        try:
            at = lo if mp.isfinite(lo) else hi
            def density(v):
                s = M(10) ** -130 * (abs(at) or 1)
                return mp.log((cdf(*v[:len(a)], at + s) - cdf(*v[:len(a)], at - s)) / (2 * s))
            report(form, a, lo, hi, prob, density)
            done += 1
        except (ArithmeticError, ValueError, ZeroDivisionError, OverflowError):
            continue

def count_rows(form, log_p, kinds, n):
    done = 0
    while done < n:
        a = [argument(k) for k in kinds]
        top = int(a[0]) if kinds[0] == "n" else 1 if form.startswith("Bern") else 10 ** 6
        k = min(r.choice([1, 1, 1, 2, 5, r.randrange(1, 60)]), top)
        lo, hi = [(k, inf), (k, min(k + r.choice([0, 3, 30]), top)), (0, k)][done % 3]
        if hi == inf and top < 10 ** 6:
            hi = top
        def prob(v, l, h):
            if h == inf:
                return 1 - sum(mp.exp(log_p(*v, M(j))) for j in range(int(l)))
            return sum(mp.exp(log_p(*v, M(j))) for j in range(int(l), int(h) + 1))
        try:
            report(form, a, M(lo), M(hi), prob, lambda v: log_p(*v[:len(a)], M(lo)))
            done += 1
        except (ArithmeticError, ValueError, ZeroDivisionError, OverflowError):
            continue

for form, (cdf, kinds) in continuous.items():
    continuous_rows(form, cdf, kinds, 12)
for form, (log_p, kinds) in counts.items():
    count_rows(form, log_p, kinds, 24)
