"""Calls every plot of ArviZ that takes a posterior on runs of ppl, and prints the results as JSON:

    python plots.py '[{"run": "a.run", "prior": "prior.run", "names": ["mu", "tau"], "array": "theta", "outcome": "y"}]'
    {"version": "0.23.4", "all": ["plot_trace", …], "runs": [{"run": "a.run", "plots": {"plot_trace": "", …}, …}]}

The value of a plot is its error, or empty if it was drawn. Plots that are not in the tables below are called with variables
only, so that plots of later versions are tried, too.
"""
import inspect
import json
import sys
import warnings

import matplotlib

matplotlib.use("Agg")
warnings.simplefilter("ignore")
import arviz as az
import matplotlib.pyplot as plt
import xarray as xr

NEW = int(az.__version__.split(".")[0]) >= 1  # works on data trees


def opened(run):
    tree = xr.open_datatree(run, engine="zarr")
    return tree if NEW else az.InferenceData.from_datatree(tree)


az.rcParams["plot.max_subplots"] = 60  # one for each element of a ragged array and more


class Case:
    """A run, and the arguments for plots."""

    def __init__(self, case):
        self.data, self.names, self.array, self.outcome = (
            opened(case["run"]), case["names"], case["array"], case["outcome"])
        self.binary, self.predictor, self.count = case.get("binary"), case.get("predictor"), case.get("count")
        self.outcomes = [name for name in (self.outcome, self.binary, self.count) if name]
        self.prior = opened(case["prior"]) if case.get("prior") else None
        self.one, self.all = self.names[0], [*self.names, self.array]

    @property
    def both(self):
        """The run, and the groups of a run from the prior."""
        both = self.data.copy()
        if NEW:
            both["prior"], both["prior_predictive"] = self.prior["prior"], self.prior["prior_predictive"]
        else:
            both.extend(self.prior)
        return both

    def values(self, name=None):
        return self.data["posterior"][name or self.one].values

    def loo(self):
        return az.loo(self.data, var_name=self.outcome, pointwise=True)


def has(group):
    return lambda c: group in (c.data.children if NEW else c.data.groups())


predictive, likelihood, stats = has("posterior_predictive"), has("log_likelihood"), has("sample_stats")
log_prior = lambda c: likelihood(c) and has("log_prior")(c)
energy = lambda c: stats(c) and "energy" in c.data["sample_stats"]
with_prior = lambda c: c.prior is not None
one_outcome = lambda c: predictive(c) and likelihood(c) and len(c.outcomes) == 1
count = lambda c: predictive(c) and c.count
binary = lambda c: predictive(c) and c.binary
predictor = lambda c: predictive(c) and c.predictor
several = lambda c: c.data["posterior"].sizes["chain"] > 1
always = lambda c: True


def not_one_divergence(c):
    """Reports whether the number of divergent draws is not 1, for which ArviZ 1.3 cannot draw parallel lines."""
    return "diverging" not in c.data["sample_stats"] or int(c.data["sample_stats"]["diverging"].sum()) != 1


def curve(c, **more):
    """Calls plot_lm with the predictor as the x axis."""
    data = c.data
    x, y = data["constant_data"][c.predictor], data["observed_data"][c.outcome]
    return az.plot_lm(y=y, x=x, idata=data, y_hat=data["posterior_predictive"][c.outcome], **more)


# Maps a plot to the condition for runs that it can show, and its call.
OLD_TABLE = {
    "plot_bf": (with_prior, lambda c: az.plot_bf(c.both, var_name=c.one, ref_val=float(c.values().ravel()[0]))),
    "plot_bpv": (predictive, lambda c: az.plot_bpv(c.data, var_names=[c.outcome])),
    "plot_compare": (likelihood, lambda c: az.plot_compare(
        az.compare({"one": c.data, "other": c.data}, var_name=c.outcome))),
    "plot_dist": (always, lambda c: az.plot_dist(c.values())),
    "plot_dist_comparison": (with_prior, lambda c: az.plot_dist_comparison(c.both, var_names=c.all)),
    "plot_dot": (always, lambda c: az.plot_dot(c.values().ravel())),
    "plot_ecdf": (always, lambda c: az.plot_ecdf(c.values().ravel())),
    "plot_elpd": (likelihood, lambda c: az.plot_elpd({"one": c.loo(), "other": c.loo()})),
    "plot_energy": (energy, lambda c: az.plot_energy(c.data)),
    "plot_hdi": (predictor, lambda c: az.plot_hdi(
        c.data["constant_data"][c.predictor], c.data["posterior_predictive"][c.outcome])),
    "plot_kde": (always, lambda c: az.plot_kde(c.values(), c.values(c.names[1]))),
    "plot_khat": (likelihood, lambda c: az.plot_khat(c.loo())),
    "plot_lm": (predictor, lambda c: curve(c, num_samples=20)),
    "plot_loo_pit": (lambda c: predictive(c) and likelihood(c), lambda c: az.plot_loo_pit(
        c.data, y=c.outcome, log_weights=None)),
    "plot_pair": (always, lambda c: az.plot_pair(
        c.data, var_names=c.names, marginals=True, divergences=stats(c))),
    "plot_ppc": (predictive, lambda c: az.plot_ppc(c.data, num_pp_samples=20)),
    "plot_separation": (binary, lambda c: az.plot_separation(c.data, y=c.binary)),
    "plot_trace": (always, lambda c: az.plot_trace(c.data, var_names=c.names, divergences="bottom")),
    "plot_ts": (predictive, lambda c: az.plot_ts(c.data, y=c.outcome, y_hat=c.outcome, num_samples=5)),
}

NEW_TABLE = {
    "plot_bf": (with_prior, lambda c: az.plot_bf(c.both, var_names=c.one, ref_val=float(c.values().ravel()[0]))),
    "plot_compare": (likelihood, lambda c: az.plot_compare(
        az.compare({"one": c.data, "other": c.data}, var_name=c.outcome))),
    "plot_energy": (energy, lambda c: az.plot_energy(c.data)),
    "plot_khat": (likelihood, lambda c: az.plot_khat(c.loo())),
    "plot_lm": (predictor, lambda c: az.plot_lm(c.data, x=c.predictor, y=c.outcome)),
    "plot_dgof_dist": (always, lambda c: az.plot_dgof_dist(c.data, var_names=c.names)),
    "plot_ecdf_pit": None,  # needs ranks of simulation-based calibration, which no run has
    "plot_pair": (always, lambda c: az.plot_pair(c.data, var_names=c.names)),
    "plot_pair_focus": (always, lambda c: az.plot_pair_focus(c.data, focus_var=c.one, var_names=c.all)),
    "plot_prior_posterior": (with_prior, lambda c: az.plot_prior_posterior(c.both, var_names=c.all)),
    "plot_ppc_pava_residuals": (lambda c: binary(c) and c.predictor, lambda c: az.plot_ppc_pava_residuals(
        c.data, x_var=c.predictor, var_names=c.binary)),
    "plot_loo_pava": (lambda c: binary(c) and likelihood(c), lambda c: az.plot_loo_pava(c.data, var_names=c.binary)),
    "plot_ppc_pava": (binary, lambda c: az.plot_ppc_pava(c.data, var_names=c.binary)),
    "plot_psense_dist": (log_prior, lambda c: az.plot_psense_dist(
        c.data, var_names=c.names, likelihood_var_names=c.outcome)),
    "plot_psense_quantities": (log_prior, lambda c: az.plot_psense_quantities(
        c.data, var_names=c.names, likelihood_var_names=c.outcome)),
    **{name: (predictive, lambda c, name=name: getattr(az, name)(c.data, var_names=c.outcome))
       for name in ["plot_ppc_dist", "plot_ppc_dist_pit", "plot_ppc_interval", "plot_ppc_pit", "plot_ppc_tstat",
                    "plot_ppc_censored"]},
    "plot_parallel": (not_one_divergence, lambda c: az.plot_parallel(c.data, var_names=c.all)),
    "plot_rank": (several, lambda c: az.plot_rank(c.data, var_names=c.all)),
    "plot_rank_dist": (several, lambda c: az.plot_rank_dist(c.data, var_names=c.all)),
    "plot_ppc_rootogram": (count, lambda c: az.plot_ppc_rootogram(c.data, var_names=c.count)),
    "plot_loo_pit": (lambda c: predictive(c) and likelihood(c), lambda c: az.plot_loo_pit(c.data, var_names=c.outcome)),
    "plot_loo_interval": (one_outcome, lambda c: az.plot_loo_interval(c.data)),  # of all outcomes, or it fails
}


def by_names(plot):
    return always, lambda c: plot(c.data, var_names=c.all)


ONE_CHAIN = {"plot_rank", "plot_rank_dist"}  # compare chains, of which draws from the prior have one
REPLICATES = {"plot_ppc", "plot_ppc_dist", "plot_ppc_interval", "plot_ppc_tstat"}


def of_prior(name, plot, rows):
    """Returns the condition and the call of a plot of a run from the prior; None if the plot cannot show one."""
    if "group" not in inspect.signature(plot).parameters or name in ONE_CHAIN:
        return None
    if name in REPLICATES:
        group = "prior_predictive" if NEW else "prior"
        return always, lambda c: plot(c.data, group=group, var_names=[c.outcome])
    if name in rows and name != "plot_pair":
        return None  # compares with data or with a posterior
    return always, lambda c: plot(c.data, group="prior", var_names=c.names)


def table(drawn_from_prior):
    """Returns all plots of ArviZ, with the condition and the call of each."""
    rows = NEW_TABLE if NEW else OLD_TABLE
    plots = {name: plot for name in dir(az) if name.startswith("plot_") and callable(plot := getattr(az, name))}
    unknown = set(rows) - set(plots)
    assert not unknown, f"ArviZ {az.__version__} has no {unknown}"
    if drawn_from_prior:
        return {name: of_prior(name, plot, rows) for name, plot in plots.items()}
    return {name: rows[name] if name in rows else by_names(plot) for name, plot in plots.items()}


def tried(call, case):
    """Draws a plot completely, and returns the error, or an empty text."""
    try:
        call(case)
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
        return ""
    except Exception as e:
        return f"{type(e).__name__}: {e}".split("\n")[0]
    finally:
        plt.close("all")


def facts(c):
    """Returns the types and attributes of a run's sample_stats, as ArviZ reads them."""
    if not stats(c):
        return {}
    s = c.data["sample_stats"]
    return {
        "kinds": {str(name): s[name].dtype.kind for name in s.data_vars},
        "attributes": {name: value if isinstance(value, (int, float, str)) else list(value) for name, value in s.attrs.items()},
        "divergences": int(s["diverging"].sum()) if "diverging" in s else 0,
    }


def main():
    out = []
    for case in json.loads(sys.argv[1]):
        c, plots = Case(case), {}
        rows = table("prior" in (c.data.children if NEW else c.data.groups()))
        for name, row in rows.items():
            if row and row[0](c):
                plots[name] = tried(row[1], c)
        out.append({"run": case["run"], "plots": plots, **facts(c)})
    json.dump({"version": az.__version__, "all": sorted(rows), "runs": out}, sys.stdout)


main()
