package main

const preface = `# Are the draws of the examples calibrated?

Parameters are drawn from the prior of an example, data given these parameters, and ` + "`ppl sample`" + ` draws from the posterior
given these data, at default settings. The rank of the true parameters among the draws is uniform if the draws are right
(Talts et al. 2018). Examples are left out whose data cannot be drawn
from their prior, whose sizes depend on what is observed, or that take minutes.

    go run ./experiments/calibration

%s`

const about = `Ranks are those of the first and the last element of each parameter, and of the log likelihood at the true
parameters (Modrák et al. 2023: it sees draws that are from the prior instead of the posterior), among 99 draws at even
distances. They are counted in %d bins; p is that of χ² with %d degrees of freedom, the least over the numbers of a row,
and *p of the least* is that times how many numbers there are, at most 1. *Failed* are runs without draws, *flagged* those
with a warning or with R-hat above 1.01; all that have draws are counted in the ranks.

%s
The least *p of the least* is %.3g.`

const randomPreface = `# Are the draws of random hierarchical models calibrated?

Groups with a location and a scale, of twelve families, with outcomes that know more or less of them (random.go):
parameters are drawn from the prior, data given these, and ` + "`ppl sample`" + ` draws at default settings. The rank of the true parameters
among the draws is uniform if the draws are right.

    go run ./experiments/calibration -random 300 -replicates 20

%s`

const aboutRandom = `Each run gives one rank of each kind, so that ranks of a kind are independent: all runs are counted together, flagged
ones too, in %d bins (χ²), and by the largest distance of their distribution function from the uniform one. Draws count
as wrong if the least p, times how many there are, is below the error rate of %.0f %%.

%s
%s`
