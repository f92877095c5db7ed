package infer

import (
	"slices"

	"ppl/lang/types"
)

// statistics is the table of what samplers store with a draw: one type and one meaning for each name, whatever the
// sampler. Names are ArviZ's where it has one. What happens between two kept draws counts for the second.
func statistics() []types.Variable {
	return []types.Variable{
		{Name: "lp", Doc: "log density of the draw: log_prior + log_lik"},
		{Name: "lp_estimate", Doc: "log_prior + log_lik_estimate"},
		{Name: "log_prior", Doc: "log prior density of the sampler's unconstrained coordinates, with the log-Jacobian"},
		{Name: "log_lik", Doc: "log likelihood of all data; the group log_likelihood has it by row"},
		{Name: "log_lik_estimate", Doc: "log likelihood of all data, estimated from the rows of a minibatch"},
		{Name: "acceptance_rate", Doc: "mean acceptance probability of the trajectories since the draw before"},
		{Name: "step_size", Doc: "step size in whitened coordinates"},
		{Name: "tree_depth", Int: true, Doc: "doublings of the last trajectory"},
		{Name: "n_steps", Int: true, Doc: "steps taken since the draw before, one gradient each"},
		{Name: "diverging", Bool: true, Doc: "whether a trajectory since the draw before diverged: the error of " +
			"its energy was large, or it left where the density is finite"},
		{Name: "energy", Doc: "the Hamiltonian where the last trajectory at temperature 1 ended, before any exchange"},
		{Name: "replica", Int: true, Doc: "walker of its ladder that the draw comes from"},
		{Name: "log_q", Doc: "log density of the approximation that the draw comes from"},
	}
}

// Statistics picks rows of the table of statistics, for Recorder.Begin.
func Statistics(names ...string) []types.Variable {
	table := statistics()
	out := make([]types.Variable, len(names))
	for k, name := range names {
		i := slices.IndexFunc(table, func(v types.Variable) bool { return v.Name == name })
		if i < 0 {
			panic("internal error: there is no statistic " + name)
		}
		out[k] = table[i]
	}
	return out
}
