// Package advice writes the help line of diagnostics about unknown names and about axes that do not match.
//
//	y ~ Normal(mu, sgima)      `sgima` is not defined         did you mean `sigma`?
//	b ~ Normal(0, tau)         `tau` is not defined           a parameter needs a distribution: `tau ~ HalfNormal(1)`
//	y[i in N] ~ Normal(x, 1)   `x` has axis N, …              … means the whole array over N: write `x[i]`
//	p ~ dbeta(1, 1)            there is no distribution …     did you mean `Beta`?
//
// It uses the names, the sizes and the text of the file, and detects no mistakes itself. It suggests a known name if
// few letters differ (Damerau 1964, doi:10.1145/363958.363994).
package advice
