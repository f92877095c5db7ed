"""Computes log densities by Stan for the models of this folder, which stan_test.go compares with those of ppl.

For each posterior: builds posteriordb's Stan program with PyStan, takes points u ~ Normal(0, SCALE) in Stan's unconstrained
coordinates, and writes NAME.data.json (the data, cut down where they are long) and NAME.points.json: parameter values v by
ppl's names, Stan's log density at them, without the log-Jacobian of Stan's transforms, plus what MODELS says is between the
parameters of Stan's program and those of the model here (a non-centred vector, a Cholesky factor), and its gradient in v. Stan
omits constants, so only differences between points can be compared.

Stan's gradient is in u. That in v is the shortest g with Jᵀ g = Stan's, where J = dv/du by central differences of eighth order.
Where J is square that is the gradient. Where v is a simplex, sums to zero or is a correlation matrix, it is the gradient's
projection on the directions in which v can move.

    python3 reference.py POSTERIOR_DATABASE OUT SEED [NAME…]

POSTERIOR_DATABASE is the folder of that name in a checkout of github.com/stan-dev/posteriordb; OUT where the files go; SEED 1
gives those of this folder. Needs pystan 3, numpy and scipy.
"""
import json
import pathlib
import re
import sys
import zipfile

import httpstan.models
import numpy as np
import scipy.sparse.csgraph
import stan

POINTS = 20
SCALE = 0.6


def rbf(x, alpha, rho):
    """The squared-exponential covariance of x."""
    x = np.asarray(x, float)
    return alpha**2 * np.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * rho**2))


def half_logdet(C):
    return np.log(np.diag(np.linalg.cholesky(C))).sum()


def rows(n, *names):
    """A cut of data: the first n of the arrays' rows; n as (name, value) also sets the size."""
    name, count = n

    def cut(d):
        for k in names:
            d[k] = d[k][:count]
        d[name] = count
        return d

    return cut


def thin(n, count, *names):
    """A cut of data: `count` rows, evenly spaced, so that every group keeps some."""

    def cut(d):
        keep = np.linspace(0, d[n] - 1, count).astype(int)
        for k in names:
            d[k] = [d[k][i] for i in keep]
        d[n] = count
        return d

    return cut


def words(count):
    """A cut for LDA: words evenly spaced in the text, renumbered together with the documents."""

    def cut(d):
        d = thin("N", count, "w", "doc")(d)
        for ids, size, prior in (("w", "V", "beta"), ("doc", "M", None)):
            used = sorted(set(d[ids]))
            d[ids] = [used.index(i) + 1 for i in d[ids]]
            d[size] = len(used)
            if prior:
                d[prior] = d[prior][: len(used)]
        return d

    return cut


def columns(n, d_, x, rows_, cols, *others):
    """A cut of a regression: rows_ rows and cols columns of x, evenly spaced."""

    def cut(d):
        d = thin(n, rows_, x, *others)(d)
        keep = np.linspace(0, d[d_] - 1, cols).astype(int)
        d[x] = [[row[j] for j in keep] for row in d[x]]
        d[d_] = cols
        return d

    return cut


def neighbours(count):
    """A cut of a map: the first areas and the edges between them."""

    def cut(d):
        edges = [(a, b) for a, b in zip(d["node1"], d["node2"]) if max(a, b) <= count]
        d["node1"], d["node2"] = [a for a, _ in edges], [b for _, b in edges]
        for k in ("y", "E"):
            d[k] = d[k][:count]
        d["N"], d["N_edges"] = count, len(edges)
        return d

    return cut


def digits(labels, rows_, pixels):
    """A cut of MNIST: rows of the first labels, and some pixels from the middle of the image."""

    def cut(d):
        keep = [i for i, y in enumerate(d["y"]) if y <= labels][:rows_]
        middle = range(14 * 28 + 8, 14 * 28 + 8 + 3 * pixels, 3)
        return {"N": rows_, "M": pixels, "K": labels, "y": [d["y"][i] for i in keep],
                "x": [[d["x"][i][j] for j in middle] for i in keep]}

    return cut


def grid(count):
    def cut(d):
        return {"n1": count, "n2": count, "x1": d["x1"][:count], "x2": d["x2"][:count], "y": [r[:count] for r in d["y"][:count]]}

    return cut


def countries(count):
    def cut(d):
        for k in ("N", "X", "EpidemicStart", "pop"):
            d[k] = d[k][:count]
        for k in ("cases", "deaths", "f"):
            d[k] = [row[:count] for row in d[k]]
        d["M"] = count
        return d

    return cut


def same(*names):
    return lambda v, d: {n: v[n] for n in names}


def nothing(v, d):
    return 0.0


def hsgp(v, d):
    """Scales of the coefficients of the two Hilbert-space GPs: the square root of the spectral density at the frequencies."""
    out = []
    for s in ("", "_sigma"):
        w = np.asarray(d[f"slambda{s}_1"])[:, 0]
        sd, l = v[f"sdgp{s}_1"], v[f"lscale{s}_1"]
        out.append(np.sqrt(sd**2 * np.sqrt(2 * np.pi) * l * np.exp(-0.5 * l**2 * w**2)))
    return out


def accel_gp(v, d):
    a, b = hsgp(v, d)
    return {
        "Intercept": v["Intercept"], "Intercept_sigma": v["Intercept_sigma"],
        "f.sdgp": v["sdgp_1"], "f.lscale": v["lscale_1"], "f.z": a * v["zgp_1"],
        "g.sdgp": v["sdgp_sigma_1"], "g.lscale": v["lscale_sigma_1"], "g.z": b * v["zgp_sigma_1"],
    }


def accel_splines(v, d):
    return {
        "Intercept": v["Intercept"], "Intercept_sigma": v["Intercept_sigma"],
        "f.b": v["bs"], "f.sds": v["sds_1_1"], "f.s": v["s_1_1"],
        "g.b": v["bs_sigma"], "g.sds": v["sds_sigma_1_1"], "g.s": v["s_sigma_1_1"],
    }


def hierarchical_gp(v, d):
    return {
        "mu": v["mu"], "tot_var": v["tot_var"], "prop_var": v["prop_var"],
        "long_region": v["length_GP_region_long"], "long_state": v["length_GP_state_long"],
        "short_region": v["length_GP_region_short"], "short_state": v["length_GP_state_short"],
        "f_region": v["GP_region"].T, "f_state": v["GP_state"].T,
        "year_re": v["year_re"], "region_re": v["region_re"], "state_re": v["state_re"],
    }


def hierarchical_gp_scales(v, d):
    s = np.sqrt(v["vars"])
    years = np.arange(1, d["N_years"] + 1)
    nugget = 1e-6 * np.eye(d["N_years"])
    region = rbf(years, s[12], v["length_GP_region_long"]) + rbf(years, s[14], v["length_GP_region_short"]) + nugget
    state = rbf(years, s[13], v["length_GP_state_long"]) + rbf(years, s[15], v["length_GP_state_short"]) + nugget
    groups = np.asarray(d["state_region_ind"])
    return -(
        d["N_regions"] * half_logdet(region) + d["N_states"] * half_logdet(state)
        + d["N_years_obs"] * np.log(s[0]) + d["N_regions"] * np.log(s[1]) + np.log(s[1 + groups]).sum()
    )


def shrinkage(v, d):
    """The scales of the regularised horseshoe's coefficients."""
    c2 = d["slab_scale"] ** 2 * v["caux"]
    return v["tau"] * np.sqrt(c2 * v["lambda"] ** 2 / (c2 + v["tau"] ** 2 * v["lambda"] ** 2))


def multi_occupancy(v, d):
    return {**same("alpha", "beta", "Omega", "sigma_uv", "uv")(v, d), "r": (v["rho_uv"] + 1) / 2}


def nn_rbm(v, d):
    return {"s2_alpha": v["sigma2_alpha"], "s2_beta": v["sigma2_beta"],
            "score.dense1.w": v["alpha"].T, "score.dense1.b": v["alpha1"],
            "score.dense2.w": v["beta"].T, "score.dense2.b": v["beta1"]}


def hier_2pl(v, d):
    return {**same("theta", "mu", "tau", "xi")(v, d), "Omega": v["L_Omega"] @ v["L_Omega"].T}


def kronecker_gp(v, d):
    return {**same("var1", "sigma1", "bw1")(v, d), "Lambda": v["L"] @ v["L"].T}


def cholesky_to_correlation(v, d):
    """Log density of the correlation matrix from that of its factor L: the Jacobian is prod_k L[k, k]^(K-k)."""
    K = len(v["L"])
    return -sum((K - 1 - k) * np.log(v["L"][k, k]) for k in range(K))


# The posteriors: data set, parameters by ppl's names, what is added to Stan's log density, cut of the data, and scale and centre
# (where not 0, by coordinate) of the points.
def row(data, params, adjust=nothing, cut=None, scale=SCALE, centre={}):
    return data, params, adjust, cut, scale, centre


MODELS = {
    "2pl_latent_reg_irt": row("fims_Aus_Jpn_irt", same("alpha", "beta", "lambda_adj", "theta"),
                              cut=thin("N", 1500, "ii", "jj", "y")),
    "GLMM1_model": row("GLMM_data", same("mu_alpha", "sd_alpha", "alpha")),
    "Mb_model": row("Mb_data", same("omega", "p", "c")),
    "Mt_model": row("Mt_data", same("omega", "p")),
    "Mtbh_model": row("Mtbh_data", same("omega", "mean_p", "gamma", "sigma", "eps"), lambda v, d: -d["M"] * np.log(v["sigma"])),
    "Rate_4_model": row("Rate_4_data", same("theta", "thetaprior")),
    "Survey_model": row("Survey_data", same("theta")),
    "accel_gp": row("mcycle_gp", accel_gp, lambda v, d: -sum(np.log(s).sum() for s in hsgp(v, d)),
                    thin("N", 40, "Y", "Xgp_1", "Xgp_sigma_1"), scale=0.3, centre={2: -4, 45: -4}),  # short length scales
    "accel_splines": row("mcycle_splines", accel_splines,
                         lambda v, d: -d["knots_1"] * np.log(v["sds_1_1"]) - d["knots_sigma_1"] * np.log(v["sds_sigma_1_1"]),
                         thin("N", 40, "Y", "Xs", "Zs_1_1", "Xs_sigma", "Zs_sigma_1_1"), scale=0.15),  # farther out the scale is 1e-9
    "arK": row("arK", same("alpha", "beta", "sigma")),
    "arma11": row("arma", same("mu", "phi", "theta", "sigma")),
    "blr": row("sblrc", same("beta", "sigma")),
    "bones_model": row("bones_data", same("theta")),
    "bym2_offset_only": row("traffic_accident_nyc", same("beta0", "sigma", "rho", "theta", "phi"), cut=neighbours(200)),
    "covid19imperial_v2": row("ecdc0401", same("tau", "y", "phi", "kappa", "mu", "alpha_hier", "ifr_noise"), cut=countries(2)),
    "diamonds": row("diamonds", same("b", "Intercept", "sigma"), cut=thin("N", 120, "Y", "X")),
    "dogs_hierarchical": row("dogs", same("a", "b")),
    "dugongs_model": row("dugongs_data", same("alpha", "beta", "lambda", "tau")),
    "eight_schools_noncentered": row("eight_schools", same("mu", "tau", "theta"), lambda v, d: -d["J"] * np.log(v["tau"])),
    "election88_full": row("election88", same("beta", *("sigma_" + c for c in "abcde"), *"abcde"), cut=thin(
        "N", 1200, "age", "edu", "age_edu", "state", "region_full", "black", "female", "v_prev_full", "y")),
    "garch11": row("garch", same("mu", "alpha0", "alpha1", "beta1")),
    "gp_pois_regr": row("gp_pois_regr", same("rho", "alpha", "f"), lambda v, d: -half_logdet(
        rbf(d["x"], v["alpha"], v["rho"]) + 1e-10 * np.eye(d["N"])), scale=0.4, centre={0: -0.5}),  # for longer rho its condition is 1e10
    "gp_regr": row("gp_pois_regr", same("rho", "alpha", "sigma")),
    "gpcm_latent_reg_irt": row("timssAusTwn_irt", same("alpha", "beta", "lambda_adj", "theta")),
    "grsm_latent_reg_irt": row("science_irt", same("alpha", "beta", "kappa", "lambda_adj", "theta")),
    "hier_2pl": row("sat", hier_2pl, cut=thin("N", 3000, "ii", "jj", "y")),
    "hierarchical_gp": row("state_wide_presidential_votes", hierarchical_gp, hierarchical_gp_scales),
    "hmm_drive_1": row("bball_drive_event_1", same("theta", "phi", "lambda")),
    "hmm_example": row("hmm_example", same("theta", "mu")),
    "hmm_gaussian": row("hmm_gaussian_simulated", same("pi1", "A", "mu", "sigma")),
    "iohmm_reg": row("iohmm_reg_simulated", same("pi1", "w", "b", "sigma")),
    "irt_2pl": row("irt_2pl", same("sigma_theta", "sigma_a", "sigma_b", "mu_b", "theta", "a", "b")),
    "kidscore_interaction_z": row("kidiq_with_mom_work", same("beta", "sigma")),
    "kronecker_gp": row("synthetic_grid_RBF_kernels", kronecker_gp, cholesky_to_correlation, grid(8)),
    "ldaK5": row("prideprejudice_chapter", same("theta", "phi"), cut=words(120)),
    "logistic_regression_rhs": row("ovarian", same("beta0", "tau", "caux", "lambda", "beta"),
                                   lambda v, d: -np.log(shrinkage(v, d)).sum(), columns("n", "d", "x", 30, 40, "y")),
    "losscurve_sislob": row("loss_curves", same("mu_LR", "sd_LR", "omega", "theta", "loss_sd", "LR")),
    "lotka_volterra": row("hudson_lynx_hare", lambda v, d: {
        **dict(zip(("alpha", "beta", "gamma", "delta"), v["theta"])), "z_init": v["z_init"], "sigma": v["sigma"]},
        scale=0.2, centre=dict(enumerate([-0.6, -3.6, -0.2, -3.7, 3.5, 1.8, -1.4, -1.4]))),  # about the posterior's mean
    "low_dim_gauss_mix": row("low_dim_gauss_mix", same("mu", "sigma", "theta")),
    "lsat_model": row("lsat_data", same("alpha", "beta", "theta")),
    "multi_occupancy": row("butterfly", multi_occupancy),
    "nn_rbm1bJ100": row("mnist_100", nn_rbm, cut=digits(3, 20, 4)),
    "normal_mixture_k": row("normal_5", same("theta", "mu", "sigma")),
    "one_comp_mm_elim_abs": row("one_comp_mm_elim_abs", same("k_a", "K_m", "V_m", "sigma")),
    "prophet": row("rstan_downloads", same("k", "m", "delta", "sigma_obs", "beta"), cut=thin(
        "T", 150, "t", "cap", "y", "X"), scale=0.1),
    "radon_variable_intercept_slope_noncentered": row(
        "radon_mn", same("sigma_y", "sigma_alpha", "sigma_beta", "mu_alpha", "mu_beta", "alpha", "beta"),
        lambda v, d: -d["J"] * (np.log(v["sigma_alpha"]) + np.log(v["sigma_beta"]))),
    "rats_model": row("rats_data", same("mu_alpha", "mu_beta", "sigma_y", "sigma_alpha", "sigma_beta", "alpha", "beta")),
    "seeds_stanified_model": row("seeds_data", same("alpha0", "alpha1", "alpha2", "alpha12", "sigma", "b")),
    "sir": row("sir", same("beta", "gamma", "xi", "delta"), scale=0.1, centre=dict(enumerate([-0.4, -2.3, 0.3, -1.6]))),
    "soil_incubation": row("soil_carbon", same("k1", "k2", "alpha21", "alpha12", "gamma", "sigma"),
                           scale=0.3, centre=dict(enumerate([-1, -1, -1.5, -1.5]))),
    "state_space_stochastic_level_stochastic_seasonal": row("uk_drivers", same("beta", "lambda", "sigma", "mu", "seasonal")),
    "surgical_model": row("surgical_data", same("mu", "sigmasq", "b")),
}


# Errors and coarse tolerances of the Stan programs, corrected before they are built: a pattern and its replacement.
PRECEDENCE = (r"= (\w+) \+ (.* \|\| .*);", r"= \1 + (\2);")  # n + a == b || c, which takes no column for binary
TIGHT = (r"(integrate_ode_\w+\([^;]*?x_i)\)", r"\1, 1e-11, 1e-11, 1e7)")  # tolerances, so that solvers can be compared
MENDED = {
    "2pl_latent_reg_irt": PRECEDENCE,
    "gpcm_latent_reg_irt": PRECEDENCE,
    "grsm_latent_reg_irt": PRECEDENCE,
    "lotka_volterra": (r"1e-5, 1e-3, 5e2", "1e-11, 1e-11, 1e7"),
    "one_comp_mm_elim_abs": TIGHT,
    "soil_incubation": TIGHT,
    "sir": (TIGHT[0], r"\1, 1e-10, 1e-7, 1e7)"),  # its states are thousands
    "iohmm_reg": (r"logA\[t\]\[i\]", "logA[t][j]"),  # the probability of a state at the index of the state before it
}


def program(db, name):
    text = (db / "models" / "stan" / f"{name}.stan").read_text()
    if name in MENDED:
        text, n = re.subn(*MENDED[name], text)
        assert n, "nothing to mend"
    return text


def arrays(names, flat):
    """The values Stan writes out, as arrays by name; elements are named a.1.2."""
    sizes, at = {}, []
    for name, x in zip(names, flat):
        base, *index = name.split(".")
        index = tuple(int(i) - 1 for i in index)
        at.append((base, index, x))
        sizes[base] = tuple(max(a, b + 1) for a, b in zip(sizes.get(base, index), index))
    out = {base: np.zeros(shape) for base, shape in sizes.items()}
    for base, index, x in at:
        out[base][index] = x
    return {k: v if v.shape else float(v) for k, v in out.items()}


def plain(x):
    return x.tolist() if hasattr(x, "tolist") else x


class Stan:
    """A Stan program with its data. PyStan's own methods return the gradient including the log-Jacobian, so this calls httpstan."""

    def __init__(self, text, data):
        self.model = stan.build(text, data=dict(data))
        self.module = httpstan.models.import_services_extension_module(self.model.model_name)
        self.names = self.model.constrained_param_names

    def log_prob(self, u):
        return self.module.log_prob(self.model.data, list(u), False)

    def gradient(self, u):
        return np.array(self.module.log_prob_grad(self.model.data, list(u), False))

    def values(self, u):
        """Parameters and transformed parameters; the latter only if all are finite (those of Survey_model are not)."""
        v = self.module.write_array(self.model.data, list(u), True, False)
        if not np.isfinite(v).all():
            v = self.module.write_array(self.model.data, list(u), False, False)
        return arrays(self.names, v)

    def rounded(self, u):
        """Returns a point near u whose parameters have four digits, which keeps the files short, or u if it violates the constraints."""
        v = [float(f"{x:.4g}") for x in self.module.write_array(self.model.data, list(u), False, False)]
        given = {k: plain(x) for k, x in arrays(self.names, v).items()}
        for k, x in given.items():
            if self.simplex(k):
                given[k] = closed(np.array(x)).tolist()
        try:
            return self.module.transform_inits(self.model.data, given)
        except Exception:  # what the extension raises has no common class
            return list(u)

    def simplex(self, name):
        return re.search(rf"simplex\s*\[[^;]*\]\s*{name}\s*;", self.model.program_code)


def closed(x):
    """Rows that sum to one."""
    x[..., -1] = 1 - x[..., :-1].sum(-1)
    return x


STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
STEP = 0.02


def colours(f, u):
    """Returns which values each coordinate changes, and groups of coordinates of which no two change the same value."""
    here = f(u)
    moves = np.array([f(u + STEP * e) != here for e in np.eye(len(u))])
    groups, taken = [], []
    for i, rows_ in enumerate(moves):
        k = next((k for k, t in enumerate(taken) if not (t & rows_).any()), len(groups))
        if k == len(groups):
            groups.append([])
            taken.append(np.zeros_like(rows_))
        groups[k].append(i)
        taken[k] |= rows_
    return moves, groups


def jacobian(f, u, moves, groups):
    """Derivatives of f: one row for each coordinate of u. The error is STEP^8/630 of the ninth derivative."""
    J = np.zeros(moves.shape)
    for group in groups:
        e = np.isin(np.arange(len(u)), group) * STEP
        d = sum(c * (f(u + k * e) - f(u - k * e)) for k, c in STENCIL) / STEP
        J[group] = np.where(moves[group], d, 0)
    return J


def in_values(J, g):
    """Returns the shortest x with J x = g, solved separately for each block of J."""
    n, m = J.shape
    sparse = scipy.sparse.csr_matrix(J)
    joined = scipy.sparse.bmat([[None, sparse], [sparse.T, None]])
    count, label = scipy.sparse.csgraph.connected_components(joined, directed=False)
    order = np.argsort(label, kind="stable")
    x = np.zeros(m)
    for block in np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1]):
        r, c = block[block < n], block[block >= n] - n
        if len(r) == 0:
            continue
        x[c] = np.linalg.lstsq(J[np.ix_(r, c)], g[r], rcond=None)[0]
    assert np.allclose(J @ x, g, rtol=1e-9, atol=1e-9 * np.abs(g).max()), "the values do not carry the gradient"
    return x


def short(x):
    """Rounds numbers in nested lists to thirteen digits."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    return [short(e) for e in x] if isinstance(x, list) else float(f"{x:.13g}")


def write(out, name, what, value):
    (out / f"{name}.{what}.json").write_text(json.dumps(value, separators=(",", ":"), allow_nan=False) + "\n")


class Points:
    """The map from Stan's unconstrained coordinates to the values of the model here, and what is added to the log density."""

    def __init__(self, model, params, adjust, data):
        self.model, self.params, self.adjust, self.data = model, params, adjust, data
        self.pattern = None

    def flat(self, u):
        v = self.model.values(u)
        return np.concatenate([*(np.ravel(x) for x in self.params(v, self.data).values()), [float(self.adjust(v, self.data))]])

    def at(self, u):
        """Values, log density and gradient at u."""
        u = np.array(u)
        self.pattern = self.pattern or colours(self.flat, u + 1)  # at a point at which no length scale is so short that covariances vanish
        J = jacobian(self.flat, u, *self.pattern)
        g = in_values(J[:, :-1], self.model.gradient(u) + J[:, -1])
        at = self.params(self.model.values(u), self.data)
        ends = np.cumsum([np.size(x) for x in at.values()])
        return {
            "at": {k: short(x) for k, x in at.items()},
            "logp": self.model.log_prob(u) + self.flat(u)[-1],
            "gradient": {k: short(x) for k, x in zip(at, np.split(g, ends[:-1]))},
        }


def reference(db, out, seed, name):
    data_name, params, adjust, cut, scale, centre = MODELS[name]
    with zipfile.ZipFile(db / "data" / "data" / f"{data_name}.json.zip") as z:
        data = json.loads(z.read(z.namelist()[0]))
    if cut:
        data = cut(data)
    model = Stan(program(db, name), data)
    rng = np.random.default_rng(seed)
    dim = free(model)
    at, points = Points(model, params, adjust, data), []
    while len(points) < POINTS:
        u = rng.normal([centre.get(i, 0) for i in range(dim)], scale).tolist()
        try:
            u = model.rounded(u)
            if not np.isfinite(model.log_prob(u)):
                continue
        except (RuntimeError, ValueError):  # an exception in the model, or no number
            continue
        points.append(at.at(u))
    write(out, name, "data", data)
    origin = f"PyStan {stan.__version__}, posteriordb {data_name}-{name}{', mended' * (name in MENDED)}"
    write(out, name, "points", {"origin": origin, "points": points})


def free(model):
    """The number of unconstrained coordinates: the largest that Stan accepts, at most the number of the parameters' values."""
    built = model.model
    block = re.search(r"^parameters \{(.*?)^\}", built.program_code, re.S | re.M).group(1)
    size = sum(int(np.prod(d)) for n, d in zip(built.param_names, built.dims) if re.search(rf"\b{n}\s*;", block))
    for dim in range(size, 0, -1):
        try:
            model.module.write_array(built.data, [0.1] * dim, False, False)
            return dim
        except RuntimeError:
            continue
    raise ValueError("no number of coordinates fits")


if __name__ == "__main__":
    db, out = map(pathlib.Path, sys.argv[1:3])
    for name in sys.argv[4:] or MODELS:
        reference(db, out, int(sys.argv[3]), name)
