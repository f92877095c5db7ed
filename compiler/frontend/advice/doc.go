// Package advice reports what to write instead, where a name is not known or axes do not match: the last line of many
// diagnostics.
//
//	y ~ Normal(mu, sgima)      `sgima` is not defined         did you mean `sigma`?
//	b ~ Normal(0, tau)         `tau` is not defined           a parameter needs a distribution: `tau ~ HalfNormal(1)`
//	y[i in N] ~ Normal(x, 1)   `x` has axis N, …              `x` means all of N here: write `x[i]`
//	p ~ dbeta(1, 1)            there is no distribution …     did you mean `Beta`?
//
// It reads names, sizes and the text of the file, and finds no mistakes itself. A name is taken for another one if few
// letters differ (Damerau 1964, doi:10.1145/363958.363994).
package advice
