package stdlib

// A Rule describes a name of the language whose arguments are not plain values, for example distributions, sets or
// discrete unknowns. The checker handles each in its own code.
type Rule struct{ Name, Form, Doc string }

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{
		{"Density", "x ~ Density(e)", "adds e to the log density; e may read x and need not be normalised"},
		{"logpdf", "logpdf(D(…), x)", "log density of distribution D at x; for a discrete D, the log probability"},
		{"logcdf", "logcdf(D(…), x)", "log P(X <= x) for X from distribution D"},
		{"cdf", "cdf(D(…), x)", "P(X <= x) for X from distribution D"},
		{"quantile", "quantile(D(…), p)", "least x with P(X <= x) >= p, for p in 0..1; its gradient is correct for " +
			"distributions with a density, and 0 for distributions of integers"},
		{"dropout", "dropout(x, p)", "x; while ppl optimize trains with minibatches, each element is set to 0 with " +
			"probability p, and otherwise divided by 1 - p"},
		{"random_crop", "random_crop(x[H, W, C], n)", "the image x; while ppl optimize trains with minibatches, it " +
			"is shifted at random by -n to n rows and by -n to n columns, and the gap is filled with zeros"},
		{"random_flip", "random_flip(x[H, W, C], p)", "the image x; while ppl optimize trains with minibatches, it " +
			"is mirrored left to right with probability p"},
		{"integrate", "integrate(f, a, b, …)", "integral of f(x, …) over x from a to b, which may be infinite, for a " +
			"smooth function f that the model defines"},
		{"fill", "fill(v, N, …)", "array over the sets N, … with every element v"},
		{"concat", "concat(x, y, …)", "arrays one after the other along their first axis, numbered from 1"},
		{"first", "first(x)", "first element of a vector, or first row of an array with more axes"},
		{"last", "last(x)", "last element of a vector, or last row of an array with more axes"},
		{"flatten", "flatten(x)", "elements of an array as a vector, the last axis running fastest"},
		{"probability", "probability(z[i] == k)",
			"exact posterior probability of a condition on one discrete unknown; in generate"},
		{"mode", "mode(z)", "jointly most probable values of a discrete unknown; in generate"},
	}
}
