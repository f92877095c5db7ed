package main

const preface = `# Prices of diamonds: a Bayesian network, linear regression and gradient boosting

The log price of 5,000 diamonds by 24 predictors (posteriordb's data set "diamonds", of R's ggplot2), predicted by a linear
regression with a network of two layers of 64 units for what it leaves out, all weights and coefficients sampled
(network.ppl), and by scikit-learn's linear regression and gradient boosting (others.py).

    go run ./experiments/diamonds -data diamonds.json -python venv/bin/python

%s`

const about = `Each method learns from %d rows and predicts %d others. The log score is the mean log density of a new row,
with its standard error; the shares in intervals should be .5 and .9. Gradient boosting has no density: its log score takes a
normal one with the standard deviation that cross-validation gives, its intervals are quantile regressions.

%s`
