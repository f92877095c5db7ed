// Package analyze proves and finds what a checked model needs beyond types: in which order its arrays can be computed,
// how its discrete unknowns are summed out, and over which rows its observations are independent.
//
// Each analysis is one function of the finished model. It reports to a list of diagnostics, and fills the fields of
// package model that name it as their writer. The order matters: Latents needs the groups of Recurrences, and Rows
// needs what Latents finds. Of the model
//
//	x[1] ~ Normal(0, 1)
//	x[t in 2..T] ~ Normal(x[t-1], s)
//	z[n in N] ~ Categorical(w)
//	y[n in N] ~ Normal(m[z[n]], x[1])
//
// Cycles and Orders see that each x[t] is drawn from an earlier one, Latents that the term of y reads z at its own
// plate n, Elimination that summing z out takes a table with an entry for each value of z, for each n, and Rows that
// the terms of y over N are independent given the parameters.
package analyze
