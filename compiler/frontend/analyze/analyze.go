// Package analyze finds properties of a checked model beyond its types: in which order its arrays can be computed, how
// its discrete unknowns are summed out, and over which rows its observations are independent.
//
// Each analysis is one function of the finished model. It adds to a list of diagnostics and fills the fields of package
// model whose comments name it. The order matters: Latents needs the groups of Recurrences, and Rows needs the results
// of Latents. For the model
//
//	x[1] ~ Normal(0, 1)
//	x[t in 2..T] ~ Normal(x[t-1], s)
//	z[n in N] ~ Categorical(w)
//	y[n in N] ~ Normal(m[z[n]], x[1])
//
// Cycles and Orders find that each x[t] is drawn from an earlier element. Latents finds that the term of y reads z at
// its own plate n. Elimination finds that summing z out takes, for each n, a table with one entry for each value of z.
// Rows finds that the terms of y over N are independent given the parameters.
package analyze
