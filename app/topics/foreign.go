package topics

import (
	"fmt"
	"slices"
	"strings"

	"ppl/app/samplers"
	"ppl/infer/settings"
	"ppl/stdlib"
)

// Samplers describes the samplers that --sampler and `infer` accept.
func Samplers() (all []Topic) {
	for _, r := range samplers.All() {
		takes := slices.DeleteFunc(settings.Names(), func(n string) bool { return !r.Takes(n) })
		all = append(all, Topic{r.Name, fmt.Sprintf("%-12s %s", r.Name, r.Doc),
			fmt.Sprintf("ppl sample --sampler %s   infer %s(…)\n\n%s\nSettings: %s.", r.Name, r.Name, Sentence(r.Doc),
				strings.Join(takes, ", "))})
	}
	return all
}

// Solvers describes the solvers and options that `infer ode` accepts.
func Solvers() []Topic {
	return rowTopics([]explained{
		{"ode", "infer ode(method = rk45, rtol = 1e-6, atol = 1e-6, max_steps = 1000)",
			"Sets the solver of differential equations, which are written u'(t) = … with u(0) = …."},
		{"rk45", "infer ode(method = rk45)", "The solver of Dormand and Prince, orders 5 and 4, the default."},
		{"bdf", "infer ode(method = bdf)", "The solver for stiff systems, by backward differentiation formulas."},
		{"rtol", "infer ode(rtol = 1e-6)", "Relative tolerance of the solution."},
		{"atol", "infer ode(atol = 1e-6)", "Absolute tolerance of the solution."},
		{"max_steps", "infer ode(max_steps = 1000)",
			"Steps that a solution may attempt; without it a pilot solution sets it."},
	})
}

// foreignWords maps words and flags of Stan, PyMC, NumPyro, brms and R to the ppl equivalent. Names of functions and
// distributions are in stdlib.Foreign.
func foreignWords() map[string]string {
	const (
		kept     = "--draws D, which counts the kept draws of each chain; warm-up is not among them"
		warm     = "--warmup W"
		accepted = "--set accept=0.95"
		evidence = "ppl evidence RUN…, by bridge sampling from the draws of runs"
		begin    = "--init FILE.json, or --init RUN; without it chains begin at draws from the prior"
		choice   = "`c ? a : b`, in one expression: there are no statements to choose between"
	)
	return map[string]string{
		"iter": kept + " (in Stan and brms iter counts warm-up, too)", "num_samples": kept, "n_samples": kept,
		"iter_sampling": kept, "samples": kept, "niter": kept,
		"tune": warm, "num_warmup": warm, "n_warmup": warm, "iter_warmup": warm, "burnin": warm, "burn_in": warm,
		"burn": warm, "n_tune": warm,
		"cores": "--threads T", "parallel_chains": "--threads T", "num_chains": "--chains C", "n_chains": "--chains C",
		"nchains": "--chains C", "thin": "nothing: thinning is chosen so that each draw counts, and is reported",
		"adapt_delta": accepted, "target_accept": accepted, "target_accept_prob": accepted, "delta": accepted,
		"max_treedepth": "--sampler nuts --set max_depth=12", "max_tree_depth": "--sampler nuts --set max_depth=12",
		"Emax":     "--sampler nuts --set max_energy_error=1000",
		"stepsize": "--set step_size=0.1", "step_size": "--set step_size=0.1", "random_seed": "--seed S",
		"rng_seed": "--seed S", "output": "--out DIR", "output_dir": "--out DIR",
		"init": begin, "inits": begin, "initvals": begin, "init_params": begin, "initial_params": begin,
		"bayes_factor": evidence, "marginal_likelihood": evidence, "bridge_sampler": evidence, "log_ml": evidence,
		"refresh": "--quiet, or nothing: progress is shown by itself",
		"verbose": "nothing: progress is shown by itself",
		"ifelse":  choice, "if": choice, "else": choice, "if_else": choice,
		"for":         "an index: `y[i in N] ~ Normal(mu[i], 1)`, or `sum(i in N: x[i])`",
		"while":       "a recurrence: `x[t in 2..T] = f(x[t-1])`",
		"target":      "`factor e`, which adds e to the log density",
		"parameters":  "no block: a name on the left of `~` that is not data is a parameter",
		"model":       "no block: a file is a model",
		"transformed": "a definition: `x = e`", "functions": "an equation: `f(x) = e`",
	}
}

// modulePrefixes returns the modules of other languages that contain functions known to ppl.
func modulePrefixes() []string {
	return []string{"np.", "jnp.", "numpy.", "math.", "pt.", "pm.math.", "tf.", "torch.", "scipy.special.", "special."}
}

// Foreign returns the ppl equivalent of a word of another tool, or "" if it is unknown.
func Foreign(name string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(name, "-"), " ") // of "if … else", the first word
	word = strings.ReplaceAll(word, "-", "_")
	if say, ok := foreignWords()[word]; ok {
		return say
	}
	for _, prefix := range modulePrefixes() {
		if bare, ok := strings.CutPrefix(name, prefix); ok {
			if code, known := stdlib.Foreign(bare); known {
				return "`" + code + "`; write functions without " + strings.TrimSuffix(prefix, ".")
			}
			return "`" + bare + "(x)`; write functions without " + strings.TrimSuffix(prefix, ".")
		}
	}
	if code, ok := stdlib.Foreign(name); ok {
		return "`" + code + "`"
	}
	return ""
}
