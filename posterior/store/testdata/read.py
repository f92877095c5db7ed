"""Reads a run as a user of ArviZ would, and prints what it finds as JSON for the Go test: python read.py RUN"""
import json
import sys
import warnings

warnings.simplefilter("ignore")
import arviz as az
import numpy as np
import xarray as xr
import zarr

run = sys.argv[1]
out = {}

tree = xr.open_datatree(run, engine="zarr")
if not hasattr(az, "InferenceData"):  # ArviZ 1 works on data trees
    data, groups = az.from_zarr(run), {name: node.to_dataset() for name, node in tree.children.items()}
elif zarr.__version__ < "3":
    data = groups = az.InferenceData.from_zarr(run)
else:  # ArviZ 0.x refuses from_zarr with zarr 3 and names this way round
    data = groups = az.InferenceData.from_datatree(tree)


def facts(group):
    return {
        name: {
            "dims": list(map(str, v.dims)),
            "kind": v.dtype.kind,
            "shape": list(v.shape),
            "sum": float(np.nansum(v.values.astype(float))) if v.dtype.kind in "fib" else None,
            "last": str(v.values.ravel()[-1]) if v.size else None,
        }
        for name, v in groups[group].variables.items()
    }


names = ["posterior", "posterior_predictive", "sample_stats", "observed_data"]
out["groups"] = {name: facts(name) for name in names}
out["inference_library"] = groups["posterior"].attrs["inference_library"]

# The other doors: xarray's own, with and without the consolidated metadata.
for consolidated in (True, False):
    for name in names:
        d = xr.open_zarr(run, group=name, consolidated=consolidated).load()
        if not d.identical(groups[name].load()):
            raise SystemExit(f"{name}, consolidated={consolidated}: other than what ArviZ reads")
if sorted(tree.children) != sorted(names):
    raise SystemExit(f"open_datatree finds {sorted(tree.children)}")

# plot_ppc lays replicates over the data: their axes must be those of the data.
replicate, data_y = groups["posterior_predictive"]["y"], groups["observed_data"]["y"]
if replicate.dims[2:] != data_y.dims or not all(replicate[d].equals(data_y[d]) for d in data_y.dims):
    raise SystemExit(f"replicates over {replicate.dims}, data over {data_y.dims}")

out["summary_rows"] = len(az.summary(data, var_names=["mu", "theta"]))
out["diverging"] = int(groups["sample_stats"]["diverging"].sum())
json.dump(out, sys.stdout)
