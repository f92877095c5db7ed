r"""Passes the log density of a model to other libraries: SciPy, nutpie, BlackJAX and NumPyro.

>>> import ppl_lang
>>> from ppl_lang import adapters
>>> f = ppl_lang.Model("x ~ Normal(3, 1)\ns ~ Exponential(1)\n").log_density()
>>> found = adapters.minimize(f)
>>> float(round(f.constrain(found.x)["x"], 3))
3.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppl_lang._tables import require
from ppl_lang.density import LogDensity

__all__ = ["jax_log_density", "minimize", "nutpie_model", "to_xarray"]


def minimize(f: LogDensity, start: Any = None, *, seed: int | None = 1, **options: Any) -> Any:
    """Find the mode in the unconstrained coordinates with ``scipy.optimize.minimize``.

    Parameters
    ----------
    f : LogDensity
        The log density.
    start : array, optional
        The starting point.
    seed : int, optional
        The seed of a random starting point, if `start` is not given.
    **options
        Other arguments of ``scipy.optimize.minimize``, such as ``method``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        ``x`` is the mode; ``f.constrain(result.x)`` returns the parameters at the mode.
    """
    optimize = require("scipy.optimize", "minimize", "arviz")

    def negative(theta: Any) -> tuple[float, Any]:
        value, gradient = f.value_and_gradient(theta)
        return -value, -gradient

    start = f.initial(seed) if start is None else start
    return optimize.minimize(negative, start, jac=True, **{"method": "L-BFGS-B", **options})


def nutpie_model(f: LogDensity) -> Any:
    """Convert the model to the form that ``nutpie.sample`` accepts.

    Parameters
    ----------
    f : LogDensity
        The log density.

    Returns
    -------
    object
        The argument of ``nutpie.sample``. Draws are parameters on their original scale.
    """
    import numpy as np

    require("nutpie", "the adapter for nutpie", "arviz")
    from nutpie.compiled_pyfunc import from_pyfunc

    def make_density() -> Callable[..., Any]:
        def density(theta: Any) -> tuple[float, Any]:
            return f.value_and_gradient(theta)

        return density

    def make_expand(*_: Any) -> Callable[..., Any]:
        def expand(theta: Any) -> dict[str, Any]:
            return {k: np.asarray(v, dtype=np.float64) for k, v in f.constrain(theta).items()}

        return expand

    def initial(seed: Any) -> Any:
        return f.initial(int.from_bytes(bytes(np.asarray(seed).tobytes()), "little") % 2**63)

    coords = {d: labels for p in f.parameters for d, labels in p.coords.items()}
    return from_pyfunc(
        ndim=f.dimension,
        make_logp_fn=make_density,
        make_expand_fn=make_expand,
        expanded_dtypes=[np.dtype("float64")] * len(f.parameters),
        expanded_shapes=[p.shape for p in f.parameters],
        expanded_names=[p.name for p in f.parameters],
        dims={p.name: p.dims for p in f.parameters},
        coords=coords,
        make_initial_point_fn=initial,
    )


def jax_log_density(f: LogDensity) -> Callable[[Any], Any]:
    """Return the log density as a JAX function with a gradient, which can be batched and compiled.

    BlackJAX takes this function, and NumPyro its negative: ``NUTS(potential_fn=lambda x: -g(x))``. JAX must use
    double precision: ``jax.config.update("jax_enable_x64", True)``.

    Parameters
    ----------
    f : LogDensity
        The log density.

    Returns
    -------
    callable
        A function of a vector of unconstrained coordinates.
    """
    import numpy as np

    jax = require("jax", "the adapter for BlackJAX and NumPyro", "arviz")
    import jax.numpy as jnp

    if not jax.config.jax_enable_x64:
        raise ValueError('JAX is in single precision: call jax.config.update("jax_enable_x64", True) first')

    def both(theta: Any) -> tuple[Any, Any]:
        value, gradient = f.value_and_gradient(np.asarray(theta))
        return np.asarray(value, dtype=np.float64), np.asarray(gradient, dtype=np.float64)

    def called(theta: Any) -> tuple[Any, Any]:
        shapes = (jax.ShapeDtypeStruct(theta.shape[:-1], jnp.float64), jax.ShapeDtypeStruct(theta.shape, jnp.float64))
        found: tuple[Any, Any] = jax.pure_callback(both, shapes, theta, vmap_method="broadcast_all")
        return found

    @jax.custom_vjp  # type: ignore[untyped-decorator, unused-ignore]
    def density(theta: Any) -> Any:
        return called(theta)[0]

    def forward(theta: Any) -> tuple[Any, Any]:
        return called(theta)

    def backward(gradient: Any, cotangent: Any) -> tuple[Any]:
        return (gradient * cotangent[..., None],)

    density.defvjp(forward, backward)
    return density  # type: ignore[no-any-return, unused-ignore]


def to_xarray(f: LogDensity, draws: Any) -> Any:
    """Convert draws of other samplers to an ``xarray.Dataset`` of parameters on their original scale.

    Parameters
    ----------
    f : LogDensity
        The log density.
    draws : array
        Unconstrained draws, by chain and draw.

    Returns
    -------
    xarray.Dataset
        The parameters by name, with labels as coordinates.
    """
    xr = require("xarray", "a Dataset", "arviz")
    values = f.constrain(draws)
    arrays = {p.name: (("chain", "draw", *p.dims), values[p.name]) for p in f.parameters}
    return xr.Dataset(arrays, coords={d: labels for p in f.parameters for d, labels in p.coords.items()})
