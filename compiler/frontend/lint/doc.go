// Package lint finds likely mistakes in a model with known names, types and axes: statements that compile but are
// usually not intended, names that nothing reads, and distributions whose arguments can leave their domain.
//
//	y[i in N] ~ Poisson(a + b * x[i])     refused: the rate takes every real number
//	y ~ Normal(mu, sigma^2)               warning: a variance, and the standard deviation is taken
//	y[1] ~ Normal(mu, 1)                  warning: the other elements have no distribution
//	y[i in N] ~ Normal(b * y[i], s)       warning: y explains itself
//
// Every function reads the model and adds to a list of diagnostics; none changes the model. Ranges follow from the
// supports of parameters by interval arithmetic (Moore 1966, Interval Analysis). A diagnostic is given only if the
// range is exact, so that the mistake certainly occurs for some values of the parameters.
package lint
