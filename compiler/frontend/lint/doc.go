// Package lint finds likely mistakes in a checked model: statements that compile but are usually not intended, names
// that nothing reads, and distributions whose arguments can leave their domain.
//
//	y[i in N] ~ Poisson(a + b * x[i])     error: the rate can be negative
//	y ~ Normal(mu, sigma^2)               warning: the argument is a standard deviation, not a variance
//	y[1] ~ Normal(mu, 1)                  warning: the other elements have no distribution
//	y[i in N] ~ Normal(b * y[i], s)       warning: the distribution of y[i] reads y[i]
//
// The functions read the model and add to a list of diagnostics. Ranges follow from the supports of parameters by
// interval arithmetic (Moore 1966, Interval Analysis). An argument outside its domain is reported only if its range is
// exact, so that the mistake certainly occurs for some values of the parameters.
package lint
