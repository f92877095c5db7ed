package topics

// Words describes the keywords that begin a statement or follow a distribution.
func Words() []Topic {
	return rowTopics([]explained{
		{"censored", "t[i in N] ~ Weibull(2, s) censored 0..limit[i]",
			"Values at or below the lower end are known only to lie below it, those at or above the upper end only " +
				"to lie above; inf means that there is no such end."},
		{"data", "data y[N], group[N]: index(J) from \"file.csv\"",
			"Declares what is known, with axes and types; a name on its own is one number. Values follow =, in " +
				"a file, or come from --data."},
		{"from", "data y[N] from \"file.csv\"",
			"Names the file that the declared arrays are in; \"file.json#key\" picks an entry. The option --data " +
				"takes precedence."},
		{"generate", "generate v = e,  generate v ~ D(…)",
			"Computes or draws a quantity for every draw that is kept, after inference, and saves it. The model " +
				"may not read what generate draws."},
		{"import", "import \"irt.ppl\"",
			"Brings a file's functions, templates and constants, as irt.name."},
		{"in", "x ~ Normal(0, 1) in 0..inf",
			"After a distribution: truncation, with the probability of a..b divided out. After data: bounds that are " +
				"checked when they are read. With an index: the set it runs over."},
		{"infer", "infer renhd(replicas = 8)",
			"Names the sampler and its settings; ppl help settings lists them. Without it all are chosen."},
		{"missing", "data x[N] missing,  data x[N] missing -9",
			"Missing values (NA, NaN, null, an empty field, or the given code) are allowed. They become parameters; " +
				"discrete ones are summed out, and those that nothing else reads are dropped."},
		{"noncentered", "theta[j in J] ~ Normal(mu, tau) noncentered",
			"Samples in standardised coordinates; the model stays the same. It helps if data say little about " +
				"each element. If renhd needs no ladder, its warm-up makes this choice for each element."},
		{"ordered", "m[k in K] ~ Normal(0, 10) ordered",
			"The elements increase along the last axis: one labelling of exchangeable components."},
		{"return", "return e",
			"Ends the block { … } of a function or template with its value."},
		{"zerosum", "e[K] ~ Normal(0, s) zerosum",
			"The elements sum to 0 along the last axis, a normal distribution on that plane."},
	})
}

// Constructs describes words with a special meaning in certain positions, which can be names elsewhere. They begin a
// statement, follow a distribution, or combine distributions.
func Constructs() []Topic {
	return rowTopics([]explained{
		{"at", "at t = 24: u += 100,  at[d in D] t = when[d]: u[who[d]] += dose[d]",
			"Adds to a state of a differential equation at a time: a dose. States that are read at that time are " +
				"those before it."},
		{"factor", "factor e,  factor[i in N]: e",
			"Adds e to the log density. It is part of the likelihood if it reads data, else of the prior."},
		{"Hurdle", "rain[i in N] ~ Hurdle(p, Gamma(shape, rate))",
			"Is 0 with probability p, and else drawn from the distribution given that it is not 0."},
		{"Mixture", "y ~ Mixture(w, [Normal(m1, s1), StudentT(4, m2, s2)])",
			"Draws from each distribution with the probability given by its weight. The weights are a simplex; " +
				"for two distributions, the weight of the first is enough."},
		{"rounded", "height ~ Normal(m, s) rounded 0.5",
			"Values were rounded to a multiple of a unit: the true value lies within half a unit of the recorded one."},
		{"upto", "lower ~ Weibull(2, s) upto upper",
			"Only two bounds of a value are known; if they are equal, the value is known. inf means no upper bound."},
		{"weight", "y ~ Normal(m, s) weight w",
			"The log density of each row is multiplied by a number of 0 or more."},
		{"ZeroInflated", "seen ~ ZeroInflated(p, NegBinomial(m, size))",
			"Is 0 with probability p, and else drawn from the distribution."},
	})
}
