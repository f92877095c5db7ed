"""Linear regression and gradient boosting of scikit-learn on data in two JSON files: rows to learn from and to predict.

    python3 others.py learned.json new.json

prints a list of scores of the new rows: RMSE, mean log density, and the shares inside of 50 % and 90 % intervals. Linear
regression predicts with Student's distribution, which is exact if errors are normal. Gradient boosting has no density of
its own: a normal one has the standard deviation of its errors in a cross-validation by five parts; its intervals are
from quantile regressions.
"""
import json
import sys

import numpy as np
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict


def read(path):
    d = json.load(open(path))
    return np.array(d["x"]), np.array(d["y"])


def scores(name, y, mean, log_density, quantiles):
    inside = {level: np.mean((quantiles[lo] <= y) & (y <= quantiles[hi]))
              for level, lo, hi in ((50, .25, .75), (90, .05, .95))}
    return {"name": name, "rmse": np.sqrt(np.mean((y - mean) ** 2)), "log_score": np.mean(log_density),
            "log_score_error": np.std(log_density) / np.sqrt(len(y)), "covered_50": inside[50],
            "covered_90": inside[90]}


LEVELS = (.05, .25, .75, .95)


def linear(x, y, new_x, new_y):
    fit = LinearRegression().fit(x, y)
    mean, free = fit.predict(new_x), len(y) - x.shape[1] - 1
    variance = np.sum((y - fit.predict(x)) ** 2) / free
    ones, new_ones = np.c_[np.ones(len(x)), x], np.c_[np.ones(len(new_x)), new_x]
    spread = np.sqrt(variance * (1 + np.einsum("ij,jk,ik->i", new_ones, np.linalg.pinv(ones.T @ ones), new_ones)))
    t = stats.t(free, mean, spread)
    return scores("linear regression", new_y, mean, t.logpdf(new_y), {q: t.ppf(q) for q in LEVELS})


def boosting(x, y, new_x, new_y):
    make = lambda **how: HistGradientBoostingRegressor(early_stopping=True, random_state=1, max_iter=1000, **how)
    mean = make().fit(x, y).predict(new_x)
    sd = np.std(y - cross_val_predict(make(), x, y, cv=5))
    quantiles = {q: make(loss="quantile", quantile=q).fit(x, y).predict(new_x) for q in LEVELS}
    return scores("gradient boosting", new_y, mean, stats.norm(mean, sd).logpdf(new_y), quantiles)


data = (*read(sys.argv[1]), *read(sys.argv[2]))
print(json.dumps([linear(*data), boosting(*data)]))
