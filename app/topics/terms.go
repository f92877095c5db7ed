package topics

// Numbers describes the statistics in reports.
func Numbers() []Topic {
	const paretoK = "Shape of the tail of a row's importance weights. Above 0.7 the row is too influential for them: " +
		"`ppl loo RUN --refit` samples again without it."
	return rowTopics([]explained{
		{"mean", "mean, sd", "Mean and standard deviation of the posterior, over the draws of all chains."},
		{"mcse", "mcse", "Monte Carlo standard error of the mean: how far it would move in another run of this " +
			"length. More draws make it smaller, the sd stays."},
		{"q5", "q5  q50  q95", "Quantiles of the posterior; --quantiles and --ci of `ppl summary` choose others."},
		{"ess_bulk", "ess_bulk", "Effective sample size of the centre: how many independent draws would be as " +
			"informative about it. Some 400 are needed before r_hat means anything (Vehtari et al. 2021)."},
		{"ess_tail", "ess_tail",
			"Effective sample size of the 5 and 95 % quantiles, the smaller one (Vehtari et al. 2021)."},
		{"r_hat", "r_hat", "Compares the chains, by ranks and folded ranks. Above 1.01 they disagree: do not use the " +
			"draws (Vehtari et al. 2021). More than 32 chains begin in 16 places, and those of a place are compared " +
			"together with the others (nested R-hat, Margossian et al. 2024)."},
		{"E-BFMI", "E-BFMI", "How freely a chain changes its energy. Below 0.3 the tails may be missed: look at the " +
			"parameters that `ppl diagnose` names."},
		{"divergences", "divergent trajectories", "Trajectories whose energy error became very large: the " +
			"posterior has a region too narrow for the step size. Try --set accept=0.95, or a prior that keeps a " +
			"scale away from 0."},
		{"elpd_loo", "elpd_loo, se", "Expected log predictive density of rows that the model has not seen, summed " +
			"over rows, and its standard error. Higher is better; only differences on the same rows mean something."},
		{"elpd_diff", "elpd_diff, se_diff", "elpd_loo of the best model minus that of this one, and the standard " +
			"error of this difference over rows. A difference below 4 is too small to be reliable."},
		{"p_loo", "p_loo", "Effective number of parameters: how much better the model fits rows that it has seen. " +
			"A value much larger than the number of parameters indicates that the model does not fit."},
		{"elpd_waic", "elpd_waic, p_waic",
			"The same by the widely applicable information criterion; elpd_loo is safer."},
		{"k̂", "k̂", paretoK}, {"pareto_k", "k̂", paretoK},
		{"weight", "weight",
			"Stacking weight of a model: the mixture of models with these weights predicts left out rows best."},
	})
}

// Declarations describes the types of data and other words in declarations. All of them can also be names.
func Declarations() []Topic {
	return rowTopics([]explained{
		{"columns", "data X[N, D] from \"f.csv\" columns \"age\", \"bmi\"",
			"Chooses the columns of a matrix, in that order. Without it the matrix has all numeric columns that the " +
				"model names nowhere else."},
		{"complete", "data x[N], y[N] from \"f.csv\" complete",
			"Leaves out the rows in which one of these arrays has no value, and reports how many and why. Results " +
				"refer to the original row numbers."},
		{"permute", "data label[N]: index(0..9) permute 0.2 seed 1",
			"Puts a fifth of the values in another order, to see how well a model is learned from labels of which " +
				"some are wrong. Rows that are held out, and new data, keep theirs."},
		{"int", "data y[N]: int",
			"Whole numbers; other values are an error. Without a type, ppl infers it from the use."},
		{"real", "data x[N]: real in 0..1", "Numbers; what follows `in` bounds them."},
		{"bool", "data sick[N]: bool(\"yes\")",
			"0 and 1, false and true, or two texts; the named one counts as true."},
		{"index", "data group[N]: index(J)", "Names or numbers of the elements of J, such as groups: a column of " +
			"texts or codes, which then label the output. index(0..9) is for numbers of a range."},
	})
}

// An explained is a name, the form in which it is written, and its meaning.
type explained struct{ name, form, doc string }

func rowTopics(rows []explained) (all []Topic) {
	for _, r := range rows {
		all = append(all, Topic{r.name, r.form, r.form + "\n\n" + r.doc})
	}
	return all
}
