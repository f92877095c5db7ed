# Writes loo.json, for TestLOOAgainstArviZ. Needs arviz 0.23 as arviz (python loo.py) and, for sensitivity and PIT,
# arviz 1.3 (python loo.py sense); each run renews its own part of the file. Draws come from a generator that the test
# repeats: a linear congruential one, and sums of twelve uniforms for normals.
import json, os, sys
import numpy as np, xarray as xr

state = 12345
def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) / 2**53
def normal(): return sum(uniform() for _ in range(12)) - 6

chains, draws = 4, 250
mu = np.array([[0.25 * normal() for _ in range(draws)] for _ in range(chains)])
mu[0] += 0.1
y = np.array([-1.5, -0.5, 0.0, 0.25, 1.0, 2.0, 3.5, 9.0])
predicted = np.array([[[m + normal() for _ in y] for m in chain] for chain in mu])
models = {}
for name, scale in {"narrow": 1.0, "wide": 2.0, "shifted": 1.5}.items():
    at = mu + (0.5 if name == "shifted" else 0.0)
    models[name] = -0.5 * ((y - at[..., None]) / scale) ** 2 - np.log(scale) - 0.5 * np.log(2 * np.pi)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "loo.json")
out = json.load(open(path)) if os.path.exists(path) else {}
if sys.argv[1:] != ["sense"]:
    import arviz as az
    data = {k: az.from_dict(posterior={"mu": mu}, log_likelihood={"y": ll}) for k, ll in models.items()}
    for name, d in data.items():
        loo, waic = az.loo(d, pointwise=True), az.waic(d, pointwise=True)
        out[name] = {"elpd": loo.elpd_loo, "se": loo.se, "p": loo.p_loo, "k": loo.pareto_k.values.tolist(),
                     "waic": waic.elpd_waic, "waic_se": waic.se, "p_waic": waic.p_waic}
    table = az.compare(data, ic="loo", method="stacking")
    out["compare"] = {k: {c: float(table.loc[k, c]) for c in ["elpd_diff", "dse", "weight"]} for k in models}
    w, _ = az.psislw(-xr.DataArray(models["narrow"], dims=["chain", "draw", "i"]).stack(__sample__=["chain", "draw"]),
                     reff=float(az.ess(mu, method="mean")) / mu.size)
    out["pit"] = [float(np.exp(w.values[i])[predicted[..., i].ravel() < y[i]].sum()) for i in range(len(y))]
else:
    import arviz as az
    dt = az.from_dict({"posterior": {"mu": mu, "cube": mu**3},
                       "log_likelihood": {"y": models["narrow"]}, "log_prior": {"mu": -2 * mu**2}})
    out["sensitivity"] = {g: {v: float(d) for v, d in az.psense(dt, group=g).data_vars.items()}
                          for g in ["prior", "likelihood"]}
json.dump(out, open(path, "w"), indent=1)
