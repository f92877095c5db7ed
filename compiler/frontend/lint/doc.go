// Package lint looks for mistakes in a model whose names, types and axes are known: what compiles and is most often not
// what was meant, what nothing reads, and distributions whose arguments leave their domain.
//
//	y[i in N] ~ Poisson(a + b * x[i])     refused: the rate takes every real number
//	y ~ Normal(mu, sigma^2)               warning: a variance, and the standard deviation is taken
//	y[1] ~ Normal(mu, 1)                  warning: the other elements have no distribution
//	y[i in N] ~ Normal(b * y[i], s)       warning: y explains itself
//
// Every function reads the model and adds to a list of diagnostics; none changes the model. Ranges follow from the
// supports of parameters by interval arithmetic (Moore 1966, Interval Analysis), so that a message is certain for some
// values of the parameters; if a range is only an outer limit, nothing is said.
package lint
