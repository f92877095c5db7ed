"""Fixtures: a small model, its data, and a run of it that all tests share."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

import ppl_lang as ppl

GROWTH = """data weight[N], age[N]
a, b ~ Normal(0, 10)
sigma ~ HalfNormal(5)
weight[i in N] ~ Normal(a + b * age[i], sigma)
"""

GROUPS = """data g[N]: index(J), y[N]
mu ~ Normal(0, 3)
a[j in J] ~ Normal(mu, 1)
y[i in N] ~ Normal(a[g[i]], 1)
"""


@pytest.fixture(scope="session")
def growth_data() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    age = rng.uniform(0, 4, 40)
    return {"age": age, "weight": 1 + 2 * age + rng.normal(0, 0.5, 40)}


@pytest.fixture(scope="session")
def growth() -> ppl.Model:
    return ppl.Model(GROWTH, name="growth")


@pytest.fixture(scope="session")
def groups() -> ppl.Model:
    return ppl.Model(GROUPS, name="groups")


@pytest.fixture(scope="session")
def run(growth: ppl.Model, growth_data: dict[str, np.ndarray]) -> ppl.Run:
    return growth.sample(growth_data, seed=1, draws=500, warmup=500)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave slow tests out, unless they are asked for."""
    if not os.environ.get("PPL_SLOW"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="PPL_SLOW=1 runs it"))


def sampled(model: ppl.Model, data: object, **options: object) -> ppl.Run:
    """Sample a few draws, without warnings about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ppl.SamplingWarning)
        return model.sample(data, **{"seed": 1, "draws": 40, "warmup": 60, "chains": 2, **options})
